import type { RemoteFile } from "../../model/tree.ts";
import type { EventHint, EventListener, EventStreamState, RemoteEvents } from "../../ports/events.ts";
import { fromService, toService, type World } from "../run/world.ts";
import type { Runs } from "./runs.ts";
import type { Schedule } from "./schedule.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { RemotePath } from "../../../contract/path.ts";
import { remoteIsAsBase } from "../../model/agreement.ts";
import { documentsOf } from "../observe/listed.ts";
import type { FileHint } from "./remote-hints.ts";

type EventWatchParts = {
  readonly world: World;
  /** Event stream of the service; null if the daemon does not listen to the service. */
  readonly events: RemoteEvents | null;
  readonly runs: Pick<Runs, "hints" | "knownTrees">;
  readonly schedule: Pick<Schedule, "noteListening" | "pollAt">;
  readonly wakeBy: (time: number) => void;
};

/**
 * Listens to the service's events while the daemon runs, and requests the documents that events
 * report.
 */
export class EventWatch implements EventListener {
  readonly #parts: EventWatchParts;
  #state: EventStreamState = { kind: "off" };

  constructor(parts: EventWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#parts.events?.start(this);
  }

  async close(): Promise<void> {
    await this.#parts.events?.close();
    this.#state = { kind: "off" };
  }

  state(): EventStreamState {
    return this.#state;
  }

  onHint(hint: EventHint): void {
    const { runs, wakeBy } = this.#parts;
    const isFirst = runs.hints.dueAt() === null;
    runs.hints.note(hint, this.#now());
    if (isFirst) wakeBy(runs.hints.dueAt()!);
  }

  onState(state: EventStreamState): void {
    const { world, schedule, wakeBy } = this.#parts;
    const before = this.#state;
    this.#state = state;
    schedule.noteListening(state.kind === "listening");
    if (before.kind === "listening") wakeBy(schedule.pollAt());
    const why = "why" in state ? state.why : null;
    if (state.kind !== before.kind) world.log.write("info", "events", { state: state.kind, why });
  }

  /**
   * Requests the documents that events reported.
   * @returns those that differ from base; null if a listing is needed to see what changed
   */
  async requestDocuments(): Promise<readonly RemoteFile[] | null> {
    const { world, runs } = this.#parts;
    const hinted = runs.hints.take();
    if (hinted.kind === "all") {
      if (hinted.folders) {
        runs.knownTrees.forgetRemote(true);
        this.payForList();
      }
      return null;
    }
    const seen = await requestHintedDocuments(world, hinted.files);
    if (seen === null) return null;
    const files = seen.filter((file) => {
      const record = world.state.record(file.id);
      return record === null || !remoteIsAsBase(record, file);
    });
    runs.hints.pay(seen.length - files.length, this.#now());
    return files;
  }

  /** Charges the request budget of the service's events for a listing that an event caused. */
  payForList(): void {
    const { hints, knownTrees } = this.#parts.runs;
    hints.payForList(knownTrees.documentCount(), this.#now());
  }

  #now(): number {
    return this.#parts.world.clock.monotonic();
  }
}

/**
 * Requests the documents that these hints name, each by its exact path: the answer is small,
 * whatever the size of the workspace. Nothing else in an event of the service is trusted.
 * @returns null if a listing is needed to see what changed, because a document was moved, is gone,
 * or was not read
 */
async function requestHintedDocuments(world: World, hints: readonly FileHint[]): Promise<RemoteFile[] | null> {
  const requested: { readonly hint: FileHint; readonly path: RemotePath }[] = [];
  for (const hint of hints) {
    const path = wantedPath(world, hint, world.state.record(hint.id));
    if (path === "elsewhere") return null;
    if (path !== "known") requested.push({ hint, path });
  }
  const seen = await Promise.all(requested.map(({ hint, path }) => requestAt(world, hint, path)));
  return seen.every((file) => file !== null) ? seen : null;
}

/**
 * Returns the path to request, below the linked folder of the workspace. `known`: base has the
 * version of the event, or has no such document and needs none. `elsewhere`: the document is gone,
 * was moved, or its path is unknown, so more documents may have moved.
 */
function wantedPath(world: World, hint: FileHint, record: DocumentRecord | null): RemotePath | "known" | "elsewhere" {
  const { gone, changeId } = hint;
  const path = hint.path === null ? null : fromService(world, hint.path);
  const isOutside = hint.path !== null && (path === null || path === "");
  if (record === null) return gone || isOutside ? "known" : (path ?? "elsewhere");
  if (gone || isOutside || (path !== null && path !== record.remotePath)) return "elsewhere";
  return path !== null && changeId === record.changeId ? "known" : record.remotePath;
}

/**
 * Requests the document at a path. Returns null if the path has no document or another one, or if
 * no answer came.
 */
async function requestAt(world: World, { id }: FileHint, path: RemotePath): Promise<RemoteFile | null> {
  const listing = await world.remote.listFiles({ kind: "path", path: toService(world, path) });
  const file = listing.complete ? documentsOf(world, listing).get(id) : undefined;
  return file?.path === path ? file : null;
}
