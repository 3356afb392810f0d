import type { LocalPath } from "../../../src/contract/path.ts";
import type { Watcher, WatchHint } from "../../../src/mirror/ports/disk.ts";
import { createDaemon } from "../../../src/mirror/engine/daemon/daemon.ts";
import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import { type Dice, rollDice } from "../dice.ts";
import { actInApp } from "./app-acts.ts";
import type { Actors } from "./actors.ts";
import { type Ledger, treeOf } from "./ledger.ts";
import { actInFolder } from "./local-acts.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import { Program } from "./program.ts";
import type { Act, SyncStep, WatchStep } from "./script.ts";
import type { RunFacts } from "./run-facts.ts";
import { runSync, settingsOf, type Work } from "./sync-step.ts";
import { ReportedEvents } from "./reported-events.ts";

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
  const as: SyncStep = {
    do: "sync",
    mirror,
    seed,
    retry: false,
    kill,
    storm,
    trouble: null,
    interventions: [],
    incidents,
  };
  return runSync(actors, as, watchFor(actors, step));
}

function watchFor(actors: Actors, step: WatchStep): Work {
  const mirror = actors.mirrors[step.mirror]!;
  return async (world, ledger): Promise<RunReport | null> => {
    const { watcher, hint } = watchedBy();
    const dice = rollDice(step.seed + 3);
    const news =
      actors.simulatedWorld.hasEvents && hasEventStream(step) ? new ReportedEvents(rollDice(step.seed + 5)) : null;
    const daemon = createDaemon(world, watcher, {
      settings: settingsOf(mirror, false),
      ...(news === null ? {} : { events: news }),
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
      const there = news === null ? [] : actors.simulatedWorld.readable(step.mirror);
      actors.tally.interventions++;
      actors.history.note(perform({ actors, mirror, ledger, program }, act));
      actors.noteIds();
      actors.history.noteScan(step.mirror, treeOf(mirror), false);
      mirror.disk.advance(10);
      news?.reportChanges(there, actors.simulatedWorld.readable(step.mirror));
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
