import type { BarrierEnd } from "../../../src/mirror/engine/daemon/daemon-types.ts";
import { type DocumentRecord, indexRecordsByPath } from "../../../src/mirror/model/record.ts";
import type { LocalPath } from "../../../src/contract/path.ts";
import { rollDice } from "../dice.ts";
import { Killed } from "../process.ts";
import type { Actors } from "./actors.ts";
import { choose } from "./choose.ts";
import { absolutePath, documentsOf } from "./user-folder.ts";
import { withoutDestinations } from "./linked-texts.ts";
import { actInFolder } from "./local-acts.ts";
import type { LiveFile } from "./live-lists.ts";
import type { SimulatedMirror } from "./mirror.ts";
import type { LocalAct, ProgramAct } from "./script.ts";
import { type Ledger, shownText } from "./ledger.ts";
import { marksOf, tagOf } from "./text-marks.ts";

/**
 * A program beside a mirror's daemon. It writes many files within milliseconds, reads them right
 * after, and waits until they are live. The files that it reads and the answers that it gets are
 * checked immediately.
 */

type WatchSetup = {
  readonly actors: Actors;
  readonly mirror: SimulatedMirror;
  readonly ledger: Ledger;
  readonly daemon: Barrier;
};

type Barrier = {
  readonly whenSynced: (scope: readonly LocalPath[], signal: AbortSignal) => Promise<BarrierEnd>;
};

/**
 * Milliseconds during which the mirror does not touch a file after a change (`settingsOf`), less
 * some rounding.
 */
const QUIET_MS = 1_900;

const WRITES: readonly LocalAct[] = [
  "create",
  "create",
  "write-in-place",
  "write-in-place",
  "save-by-rename",
  "delete-and-create",
  "rewrite",
  "touch",
  "rename",
  "move",
  "swap",
];

type Written = { readonly text: string; readonly at: number };

export class Program {
  readonly #actors: Actors;
  readonly #mirror: SimulatedMirror;
  readonly #ledger: Ledger;
  readonly #daemon: Barrier;
  readonly #written = new Map<string, Written>();
  readonly #waits: { readonly stop: AbortController; readonly ended: Promise<void> }[] = [];

  constructor({ actors, mirror, ledger, daemon }: WatchSetup) {
    this.#actors = actors;
    this.#mirror = mirror;
    this.#ledger = ledger;
    this.#daemon = daemon;
  }

  act(act: ProgramAct, seed: number): string {
    if (act === "write-many") return this.#writeMany(seed);
    return act === "read-back" ? this.#readBack() : this.#wait(seed);
  }

  /** Ends the open waits with the present state. */
  async end(): Promise<void> {
    for (const { stop } of this.#waits) stop.abort();
    await Promise.all(this.#waits.map(({ ended }) => ended));
  }

  #writeMany(seed: number): string {
    const { userFolder, disk } = this.#mirror;
    const dice = rollDice(seed);
    const before = documentsOf(userFolder);
    const count = 3 + dice.below(12);
    for (let n = 0; n < count; n++) {
      disk.advance(1);
      const act = dice.pick(WRITES);
      this.#ledger.intervened(() => actInFolder(userFolder, this.#actors.history, act, seed + n * 31));
    }
    const now = this.#now();
    const after = documentsOf(userFolder);
    for (const path of [...this.#written.keys()])
      if (after.get(path) !== this.#written.get(path)!.text) this.#written.delete(path);
    // A file that was only moved keeps its times.
    const old = new Set(before.values());
    for (const [path, text] of after) if (!old.has(text)) this.#written.set(path, { text, at: now });
    return `program ${userFolder.mirror}: ${count} acts`;
  }

  /**
   * Checks that recently written files still have their content; at most, they moved with their
   * documents.
   */
  #readBack(): string {
    const { userFolder, index } = this.#mirror;
    const texts = documentsOf(userFolder);
    const there = new Set(Array.from(texts.values(), withoutDestinations));
    let read = 0;
    for (const [path, { text, at: since }] of this.#written) {
      if (!userFolder.hands || this.#now() - since > QUIET_MS) continue;
      read++;
      if (!there.has(withoutDestinations(text)))
        this.#actors.history.fail(
          `I14 mirror ${index} wrote over ${path} under a program's hands: ${shownText(text)} → ${shownText(texts.get(path) ?? "nothing")}`,
        );
    }
    return `program ${userFolder.mirror}: read ${read} back`;
  }

  #wait(seed: number): string {
    const { userFolder } = this.#mirror;
    const texts = documentsOf(userFolder);
    const one = choose([...texts.keys()], seed);
    const scope = seed % 3 === 0 && one !== null ? [one as LocalPath] : ["" as LocalPath];
    const stop = new AbortController();
    const ended = this.#daemon.whenSynced(scope, stop.signal).then(
      (end) => this.#reported(texts, scope, end),
      (error: unknown) => {
        // The daemon was stopped or killed, so there is no answer.
        if (error instanceof Killed || String(error).includes("the daemon has stopped")) return;
        this.#actors.history.fail(`a program that waits is refused: ${String(error)}`);
      },
    );
    this.#waits.push({ stop, ended });
    return `program ${userFolder.mirror}: waits for ${scope[0] === "" ? "all" : scope[0]}`;
  }

  #reported(texts: ReadonlyMap<string, string>, scope: readonly LocalPath[], end: BarrierEnd): void {
    if (end.kind === "outside") return;
    const reported = new Map(end.paths.map((one) => [one.path as string, one]));
    // A document may have been moved after the call, and moved back after the scan.
    const byId = new Map(end.paths.map((one) => [one.id, one]));
    // If the program waits for the whole folder, files that were live at the scan are not reported
    // one by one.
    const asked = scope[0] === "" ? texts : new Map([...texts].filter(([path]) => reported.has(path)));
    const records: ReadonlyMap<string, DocumentRecord> = indexRecordsByPath(this.#mirror.state.load().records.values());
    const files = new Map<string, LiveFile>(this.#actors.simulatedWorld.files().map((file) => [file.id, file]));
    for (const [path, text] of asked) {
      const known = records.get(path)?.id ?? null;
      const { state = "live", id = known } = reported.get(path) ?? (known === null ? null : byId.get(known)) ?? {};
      const file = id === null ? undefined : files.get(id);
      if (state === "live" && file !== undefined) this.#judge(path, text, file);
    }
  }

  #judge(path: string, text: string, file: LiveFile): void {
    const { history, tally } = this.#actors;
    tally.barriers++;
    const there = marksOf(file.text);
    const lost = [...marksOf(text)].filter((mark) => history.marks.has(mark) && !there.has(mark));
    // The program may have moved the content to another path since, and mdmirror may have restored
    // the document at this path.
    const stands = marksOf(this.#mirror.disk.user.read(absolutePath(this.#mirror.userFolder, path)) ?? "");
    if (lost.some((mark) => stands.has(mark)) && tagOf(file.text) === tagOf(text))
      history.fail(`I02 a program was told that ${path} is live, and marks ${lost.join(" ")} are not on the service`);
  }

  #now(): number {
    return this.#actors.simulatedWorld.clock.monotonic();
  }
}
