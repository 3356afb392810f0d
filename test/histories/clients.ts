import type { Json } from "../../src/conformance/world.ts";
import { Dice } from "../simulator/dice.ts";
import { type Counter, draw, type Drawn, Known } from "./draw.ts";
import { rowsOf } from "./facts.ts";
import type { Answer, Operation, Recorder, Send } from "./operation.ts";

/** Concurrent clients of one service. */

export type Work = {
  readonly recorder: Recorder;
  readonly known: Known;
  readonly marks: Counter;
  /** Connects a client to a running process of the service; waits while none runs. */
  readonly connect: (client: number, dice: Dice) => Promise<Send>;
  readonly isOver: () => boolean;
};

export function newWork(work: Pick<Work, "recorder" | "connect" | "isOver">): Work {
  return { ...work, known: new Known(), marks: { next: 0 } };
}

/** Runs that many clients until the work is over. */
export async function runClients(work: Work, seed: number, clients: number): Promise<void> {
  await Promise.all(Array.from({ length: clients }, (_, n) => new ServiceClient(work, seed, n).run()));
}

export class ServiceClient {
  readonly #work: Work;
  readonly #number: number;
  readonly #drawn: Drawn;

  constructor(work: Work, seed: number, number: number) {
    this.#work = work;
    this.#number = number;
    this.#drawn = { known: work.known, marks: work.marks, dice: new Dice(seed * 1_000 + number) };
  }

  async run(): Promise<void> {
    while (!this.#work.isOver()) await this.ask(draw(this.#drawn));
  }

  /** Sends an operation. Follows a listing to its last page. */
  async ask(op: Operation): Promise<Answer | null> {
    const answer = await this.#askOnce(op);
    if (op.kind !== "list" || answer?.status !== 200 || !answer.json.hasMore) return answer;
    return this.ask({ ...op, cursor: answer.json.nextCursor });
  }

  async #askOnce(op: Operation): Promise<Answer | null> {
    const { recorder, known, connect } = this.#work;
    const send = await connect(this.#number, this.#drawn.dice);
    const before = recorder.count;
    const answer = await recorder.ask(this.#number, op, send);
    // Other clients may have been answered meanwhile; they learn from their own answers.
    const own = recorder.history.slice(before).find((done) => done.op === op);
    if (own !== undefined) known.learn(own);
    return answer;
  }
}

/**
 * Reads the whole workspace after all other clients have ended, and proves that each acknowledged
 * version is still stored. A version is stored if the service can merge an edit that is based on it
 * and sends the same content.
 */
export async function audit(
  client: ServiceClient,
  { recorder, marks }: Work,
  { listReviews, workspaceId }: { readonly listReviews: Send; readonly workspaceId: string },
): Promise<void> {
  for (const kind of ["folders", "files"] as const)
    await client.ask({
      kind: "list",
      of: kind,
      selector: { path_prefix: "/" },
      limit: 7,
      cursor: null,
      listing: marks.next++,
    });
  const reviews = await listReviews("GET", `/admin/reviews?workspaceId=${workspaceId}`, null, "admin");
  if (typeof reviews === "string") throw new Error("the reviews could not be listed");
  for (const { id, fileId } of reviews.json.data as Json[]) await client.ask({ kind: "show-review", id, file: fileId });
  for (const [id, versions] of versionsOf(recorder)) {
    const live = await client.ask({ kind: "read", id });
    if (live?.status !== 200) continue;
    if (live.json.protected) await client.ask({ kind: "protect", id, on: false });
    for (const [base, text] of versions) await client.ask({ kind: "edit", id, base, text });
  }
}

/** Returns, for each document, the versions that answers contained: change id → content. */
function versionsOf({ history }: Recorder): Map<string, Map<string, string>> {
  const versions = new Map<string, Map<string, string>>();
  const note = (id: string, change: string, text: string) => {
    versions.set(id, (versions.get(id) ?? new Map()).set(change, text));
  };
  for (const done of history) {
    const { op, answer } = done;
    for (const { id, change, text } of rowsOf(done)) if (text !== null) note(id, change, text);
    if (op.kind === "edit" && answer?.status === 202) note(op.id, answer.json.id, op.text);
  }
  return versions;
}
