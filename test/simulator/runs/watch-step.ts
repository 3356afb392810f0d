import type { ChangeId } from "../../../src/contract/ids.ts";
import type { LocalPath } from "../../../src/contract/path.ts";
import type { Watcher, WatchHint } from "../../../src/mirror/ports/disk.ts";
import { createDaemon } from "../../../src/mirror/engine/daemon/daemon.ts";
import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import { type Dice, rollDice } from "../dice.ts";
import { actInApp } from "./app-acts.ts";
import type { Actors } from "./actors.ts";
import { type Ledger, shownText, treeOf } from "./ledger.ts";
import { actInFolder } from "./local-acts.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import { type Act, type LocalAct, type ProgramAct, quietSync, type WatchStep } from "./script.ts";
import type { RunFacts } from "./oracle-run.ts";
import { runSync, settingsOf, type Work } from "./sync-step.ts";
import { ReportedEvents } from "./reported-events.ts";
import type { BarrierEnd } from "../../../src/mirror/engine/daemon/interface.ts";
import { type DocumentRecord, indexRecordsByPath } from "../../../src/mirror/model/record.ts";
import { Killed } from "../process.ts";
import { choose } from "./choices.ts";
import { absolutePath, documentsOf } from "./user-folder.ts";
import { marksOf, tagOf, withoutDestinations } from "./contents.ts";
import type { LiveFile } from "./world.ts";
import { withoutRename } from "./wire-reading.ts";

/**
 * Runs a mirror's daemon for a while, in virtual time. Users act meanwhile, and the daemon may be
 * killed like a sync.
 */

/** ms by which virtual time and the disk's clock advance together. */
const SLICE_MS = 500;
/** One action in this many gives no hint, because hints are not reliable. */
const HINTS_LOST = 8;

export function runWatch(actors: Actors, step: WatchStep): Promise<RunFacts> {
  const { mirror, seed, kill, storm, incidents = [] } = step;
  const sync = { ...quietSync(mirror, seed), retry: false, kill, storm, incidents };
  return runSync(actors, sync, watchFor(actors, step));
}

function watchFor(actors: Actors, step: WatchStep): Work {
  const mirror = actors.mirrors[step.mirror]!;
  return async (world, ledger): Promise<RunReport | null> => {
    const { watcher, hint } = watchedBy();
    const dice = rollDice(step.seed + 3);
    const events =
      actors.simulatedWorld.hasEvents && hasEventStream(step) ? new ReportedEvents(rollDice(step.seed + 5)) : null;
    const daemon = createDaemon(world, watcher, {
      settings: settingsOf(mirror, false),
      ...(events === null ? {} : { events }),
    });
    const stopping = new AbortController();
    const program = new Program({ actors, mirror, ledger, daemon });
    let ended: { readonly error: unknown } | null = null;
    const running = daemon.run(stopping.signal).then(
      () => undefined,
      (error: unknown) => {
        ended = { error };
      },
    );
    for (const act of step.acts) {
      await pass(actors, mirror, act.after, () => ended !== null);
      const before = entriesOf(mirror);
      const there = events === null ? [] : actors.simulatedWorld.readable(step.mirror);
      actors.tally.interventions++;
      actors.history.note(perform({ actors, mirror, ledger, program }, act));
      actors.noteIds();
      actors.history.noteScan(step.mirror, treeOf(mirror), false);
      mirror.disk.advance(10);
      events?.reportChanges(there, actors.simulatedWorld.readable(step.mirror));
      if (dice.below(HINTS_LOST) > 0) for (const one of hintsOf(before, entriesOf(mirror), dice)) hint(one);
    }
    await pass(actors, mirror, step.rest, () => ended !== null);
    if (ended === null) await program.end();
    stopping.abort();
    await running;
    // Reports the cause of the end like a sync.
    if (ended !== null) throw (ended as { readonly error: unknown }).error;
    return daemon.status().lastReport;
  };
}

type WatchContext = {
  readonly actors: Actors;
  readonly mirror: SimulatedMirror;
  readonly ledger: Ledger;
  readonly program: Program;
};

function perform({ actors, mirror, ledger, program }: WatchContext, act: Act): string {
  const { simulatedWorld, history } = actors;
  if (act.by === "program") return program.act(act.act, act.seed);
  return ledger.intervened(() =>
    act.by === "app"
      ? actInApp(simulatedWorld, history, act.act, act.seed)
      : actInFolder(mirror.userFolder, history, act.act, act.seed),
  );
}

/** Returns true if the daemon gets events: every second daemon does. */
function hasEventStream({ seed }: WatchStep): boolean {
  return seed % 2 === 0;
}

/** Lets virtual time pass while the daemon runs. */
async function pass(
  { simulatedWorld }: Actors,
  { disk }: SimulatedMirror,
  ms: number,
  over: () => boolean,
): Promise<void> {
  for (let left = ms; left > 0 && !over(); left -= SLICE_MS) {
    const slice = Math.min(left, SLICE_MS);
    await simulatedWorld.clock.sleep(slice);
    disk.advance(slice);
  }
}

function watchedBy(): { readonly watcher: Watcher; readonly hint: (hint: WatchHint) => void } {
  let listener: ((hint: WatchHint) => void) | null = null;
  const watcher: Watcher = {
    async start(_ignores, onHint) {
      listener = onHint;
    },
    async close() {
      listener = null;
    },
  };
  return { watcher, hint: (one) => listener?.(one) };
}

type Entries = { readonly files: ReadonlyMap<string, string>; readonly folders: ReadonlySet<string> };

function entriesOf({ disk }: SimulatedMirror): Entries {
  return { files: disk.user.texts(ROOT), folders: new Set(disk.user.folders(ROOT)) };
}

/** Returns the file watcher's hints about the difference of two scans, in any order. */
function hintsOf(before: Entries, after: Entries, dice: Dice): WatchHint[] {
  if (dice.below(20) === 0) return [{ kind: "overflow", why: "too many at once" }];
  const paths = [...new Set([...before.files.keys(), ...after.files.keys()])].filter(
    (path) => before.files.get(path) !== after.files.get(path),
  );
  const folders = [...before.folders, ...after.folders].filter(
    (path) => before.folders.has(path) !== after.folders.has(path),
  );
  const hints: WatchHint[] = [
    ...paths.map((path) => ({ kind: "path", path: path as LocalPath }) as const),
    ...folders.map((path) => ({ kind: "folder", path: path as LocalPath }) as const),
  ];
  return dice.below(2) === 0 ? hints : hints.reverse();
}

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

/**
 * A program beside a mirror's daemon. It writes many files within milliseconds, reads them right
 * after, and waits until they are live. The files that it reads and the answers that it gets are
 * checked immediately.
 */
class Program {
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
    const there = new Set([...marksOf(file.text), ...this.#marksBeforeRestore(file)]);
    const lost = [...marksOf(text)].filter((mark) => history.marks.has(mark) && !there.has(mark));
    // The program may have moved the content to another path since, and mdmirror may have restored
    // the document at this path.
    const stands = marksOf(this.#mirror.disk.user.read(absolutePath(this.#mirror.userFolder, path)) ?? "");
    if (lost.some((mark) => stands.has(mark)) && tagOf(file.text) === tagOf(text))
      history.fail(`I02 a program was told that ${path} is live, and marks ${lost.join(" ")} are not on the service`);
  }

  /**
   * Returns the marks that the service had in base's version of a document, if a restore of the
   * service may have removed them without a sign for the mirror. Change ids have no order, so an
   * older version that this mirror never saw looks like a later edit. If the mirror saw the version
   * before base's, it can know about the restore, and all marks must be on the service.
   */
  #marksBeforeRestore(file: LiveFile): ReadonlySet<string> {
    const { simulatedWorld } = this.#actors;
    const { state } = this.#mirror;
    const record = state.record(file.id);
    if (simulatedWorld.restored === 0 || record === null) return NO_MARKS;
    if (withoutRename(record.changeId) === file.changeId) return NO_MARKS;
    const shown = simulatedWorld.shownChangeId(file) as ChangeId;
    return state.isEarlier(file.id, shown, record.changeId) ? NO_MARKS : marksOf(state.text(record.digest) ?? "");
  }

  #now(): number {
    return this.#actors.simulatedWorld.clock.monotonic();
  }
}

const NO_MARKS: ReadonlySet<string> = new Set();
