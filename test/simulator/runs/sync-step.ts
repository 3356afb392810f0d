import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import { META } from "../../../src/mirror/engine/run/meta.ts";
import { syncToConvergence } from "../../../src/mirror/engine/run/sync.ts";
import type { Settings, World } from "../../../src/mirror/engine/run/world.ts";
import { rollDice } from "../dice.ts";
import { Killed } from "../process.ts";
import { SETTINGS } from "../mirror.ts";
import { Aim } from "./aim.ts";
import { actInApp } from "./app-acts.ts";
import type { Actors } from "./actors.ts";
import { makeTrouble } from "./disk-trouble.ts";
import { actHere } from "./local-acts.ts";
import { Ledger, treeOf } from "./ledger.ts";
import { ROOT } from "../mirror.ts";
import type { SimulatedMirror } from "./mirror.ts";
import { savedLate, supersededIn } from "./superseded.ts";
import { sightBefore } from "./oracle-undone.ts";
import { checkProof, checkStatus, syncedBefore } from "./oracle-proof.ts";
import { checkRun } from "./oracle-run.ts";
import { exchanger } from "./exchanger.ts";
import type { RunFacts } from "./run-facts.ts";
import type { SyncStep } from "./script.ts";
import { Incidents } from "./incidents.ts";

/** One `sync` of one mirror, with its faults, and the checks right after. */

/**
 * The work of the process in its world; users may act during it.
 * @returns null: it ended before a report
 */
export type Work = (world: World, ledger: Ledger) => Promise<RunReport | null>;

export async function runSync(actors: Actors, step: SyncStep, work: Work | null = null): Promise<RunFacts> {
  const { history, tally } = actors;
  const mirror = actors.mirrors[step.mirror]!;
  const judge = actors.oracles[step.mirror]!;
  const before = treeOf(mirror);
  const idsBefore = actors.liveIds();
  const { torn } = actors.simulatedWorld;
  const { arrived } = actors.simulatedWorld.late;
  const sighted = actors.simulatedWorld.late.awaits ? null : sightBefore(actors, mirror);
  const ledger = new Ledger(mirror);
  if (step.kill?.power) {
    mirror.disk.settle();
    mirror.settleState();
  }
  const heard: number[] = [];
  const approved = mirror.state.meta(META.approved) !== null;
  const synced = syncedBefore(mirror);
  const [late, superseded] = [savedLate(mirror), supersededIn(actors, mirror)];
  // In every second run the stamps of earlier files are trusted, so that the scan leaves these out.
  if ((mirror.state.runs(1)[0]?.run ?? 0) % 2 === 1) mirror.disk.advance(2_500);
  const watch = watchDisk(actors, mirror);
  const calm = makeTrouble(mirror, step);
  judge.startRun(work !== null);
  actors.startLooking(step.mirror);
  const aim = new Aim(actors, step, ledger);
  const intervene = intervener(actors, step, ledger);
  const incidents = new Incidents(actors, step, ledger, aim);
  const world = mirror.start({
    get killAt() {
      return incidents.killAt ?? step.kill?.at ?? null;
    },
    onCall: (call, member) => {
      aim.onCall();
      incidents.onCall(member);
      intervene(call);
    },
    exchange: exchanger(actors, step, heard, aim, incidents),
    onDisk: (call, path, to) => {
      watch.onDisk(call, path, to);
      aim.onDisk(call, path, to);
      incidents.onDisk(call, path, to);
      judge.onDisk(call, path);
    },
    onScan: () => judge.onScan(),
  });
  const once: Work = () => {
    return syncToConvergence(world, { settings: settingsOf(mirror), retryRefused: step.retry, kind: "sync" });
  };
  const end = await survive(async () => ({ report: await (work ?? once)(world, ledger) }));
  const report = end?.report ?? null;
  calm();
  tally.portCalls += mirror.calls;
  if (end === null) {
    tally.kills++;
    noteMayHaveLeft(actors, mirror);
    actors.crashPoints.add(mirror.crashPoint!);
    if (step.kill?.power) {
      const dice = rollDice(step.seed + 5);
      mirror.losePower(() => dice.fraction());
      judge.forgetJournal();
      ledger.lostPower(history);
      tally.powerCuts++;
    }
  }
  ledger.judge(actors.mirrors, actors.simulatedWorld, history, judge.shownTexts, end !== null);
  // With open problems, a move may be blocked: base knows the document by its old place, and by
  // likeness once it is edited too.
  const isAllKnown = work === null && report?.state === "in-sync" && report.counts.blocked === 0;
  history.lookedAt(step.mirror, treeOf(mirror), isAllKnown);
  const facts: RunFacts = {
    report,
    killed: end === null,
    before,
    sighted,
    intervened:
      step.interventions.length > 0 ||
      (step.aim ?? null) !== null ||
      incidents.byPeople ||
      work !== null ||
      torn !== actors.simulatedWorld.torn,
    unmounted: step.trouble === "unmounted",
    savedLate: late,
    superseded,
    approved,
    diskWrites: watch.writes(),
    heard,
  };
  checkRun(actors, step.mirror, facts, idsBefore);
  if (work === null && report !== null) checkStatus(actors, mirror, report, synced);
  // A late write is nobody's act, and after a scan it counts as a user's.
  const isLate = actors.simulatedWorld.late.awaits || actors.simulatedWorld.late.arrived !== arrived;
  if (report?.state === "in-sync" && !facts.intervened && !isLate)
    await actors.simulatedWorld.calmly(() => checkProof(actors, mirror, settingsOf(mirror)));
  mirror.disk.advance(10);
  return facts;
}

/**
 * A request that was about to be sent at the kill may have left: nobody can know, so it counts as
 * sent.
 */
function noteMayHaveLeft({ history }: Actors, { state }: SimulatedMirror): void {
  for (const { intent } of state.intents()) if (intent.kind === "put") history.sends(state.text(intent.digest) ?? "");
}

export function settingsOf(mirror: SimulatedMirror, sleeps = true): Settings {
  const { direction, setup } = mirror;
  const usual = { ...SETTINGS, direction, conflicts: () => setup.conflicts };
  return mirror.userFolder.hands ? { ...usual, handsOff: { unchangedMs: 2_000, openMs: 600_000, sleeps } } : usual;
}

async function survive<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    return null;
  }
}

/** A user acts between two port calls: late writes, torn listings. */
function intervener(actors: Actors, step: SyncStep, ledger: Ledger): (call: number) => void {
  const { simulatedWorld, history } = actors;
  const userFolder = actors.mirrors[step.mirror]!.userFolder;
  // RACE: without hard links there is a moment between the last check and the rename over the file.
  const mayWrite = actors.mirrors[step.mirror]!.setup.disk.hardLinks !== false && step.trouble !== "unmounted";
  return (call) => {
    for (const intervene of step.interventions) {
      if (intervene.at !== call) continue;
      actors.tally.interventions++;
      if (intervene.by === "app") history.note(actInApp(simulatedWorld, history, intervene.act, intervene.seed));
      else if (mayWrite)
        ledger.intervened(() => history.note(actHere(userFolder, history, intervene.act, intervene.seed)));
      actors.noteIds();
    }
  };
}

const MUTATIONS: ReadonlySet<string> = new Set(["rename", "link", "unlink", "writeNew", "mkdir", "rmdir"]);

/** Checks I26: nothing outside the root, nothing behind a symlink, nothing ignored. */
function watchDisk(actors: Actors, mirror: SimulatedMirror) {
  let writes = 0;
  return {
    writes: () => writes,
    onDisk(call: string, path: string, to: string | null): void {
      for (const one of to === null ? [path] : [path, to]) {
        const inside = one === ROOT || one.startsWith(`${ROOT}/`);
        const behind = /^\/(?:private|linked)\/./.test(one.slice(ROOT.length));
        if (!inside || behind) actors.history.fail(`I26 mirror ${mirror.index} calls ${call} on ${one}`);
      }
      const own = path.startsWith(`${ROOT}/.mdmirror`) && (to === null || to.startsWith(`${ROOT}/.mdmirror`));
      if (MUTATIONS.has(call) && !own) writes++;
    },
  };
}
