import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import { META } from "../../../src/mirror/engine/run/meta.ts";
import { readApprovedKeys } from "../../../src/mirror/engine/run/guard-facts.ts";
import { planOnly, syncToConvergence } from "../../../src/mirror/engine/run/converge.ts";
import type { Settings, World } from "../../../src/mirror/engine/run/world.ts";
import type { WireRequest } from "../../../src/contract/wire.ts";
import type { WireResult } from "../../../src/common/wire.ts";
import type { ChangeId } from "../../../src/contract/ids.ts";
import type { Digest } from "../../../src/contract/digest.ts";
import { makeRunState } from "../../../src/mirror/engine/run/run-state.ts";
import { rollDice, type Dice } from "../dice.ts";
import { Killed } from "../process.ts";
import { SETTINGS, ROOT } from "../mirror.ts";
import { Aim } from "./aim.ts";
import { actInApp } from "./app-acts.ts";
import type { Actors } from "./actors.ts";
import { cutShort, drawFault, makeTrouble, type RequestFault } from "./faults.ts";
import { actInFolder } from "./local-acts.ts";
import { Ledger, treeOf } from "./ledger.ts";
import { type SimulatedMirror, NO_HOOKS } from "./mirror.ts";
import { findChangesBefore } from "./oracle-undone.ts";
import { checkRun, type RunFacts } from "./oracle-run.ts";
import type { SyncStep } from "./script.ts";
import { Incidents } from "./incidents.ts";
import { isTextOf } from "./contents.ts";
import { withoutRename } from "./wire-reading.ts";

/**
 * Runs a process in its world; users may act meanwhile. Returns null if it ended without a report.
 */
export type Work = (world: World, ledger: Ledger) => Promise<RunReport | null>;

/**
 * Runs one sync of one mirror with its faults, and checks it right after.
 * @param work replaces the sync, for a daemon
 */
export async function runSync(actors: Actors, step: SyncStep, work: Work | null = null): Promise<RunFacts> {
  const { history, tally } = actors;
  const mirror = actors.mirrors[step.mirror]!;
  const oracle = actors.oracles[step.mirror]!;
  const before = treeOf(mirror);
  const localDigests = new Map(Array.from(mirror.state.load().records.values(), (one) => [one.id, one.localDigest]));
  const idsBefore = actors.liveIds();
  const { torn } = actors.simulatedWorld;
  const { arrived } = actors.simulatedWorld.late;
  const changesBefore = actors.simulatedWorld.late.awaits ? null : findChangesBefore(actors, mirror, step.trouble);
  const ledger = new Ledger(mirror);
  if (step.kill?.power) {
    mirror.disk.settle();
    mirror.settleState();
  }
  const heard: number[] = [];
  const approved = mirror.state.meta(META.approved) !== null;
  const synced = mirror.state.meta(META.syncedAt);
  const [late, superseded] = [savedLate(mirror), supersededIn(actors, mirror)];
  // In every second sync the stamps of earlier files are trusted, so the scan does not read these
  // files again.
  if ((mirror.state.runs(1)[0]?.run ?? 0) % 2 === 1) mirror.disk.advance(2_500);
  const watch = watchDisk(actors, mirror);
  const trouble = makeTrouble(mirror, step);
  oracle.startRun(work !== null);
  actors.startSync(step.mirror);
  const aim = new Aim(actors, step, ledger);
  const intervene = intervener(actors, step, ledger);
  const incidents = new Incidents(actors, step, ledger, aim);
  const connection = new MirrorConnection(actors, step, heard, aim, incidents);
  const world = mirror.start({
    get killAt() {
      return incidents.killAt ?? step.kill?.at ?? null;
    },
    onCall: (call, member) => {
      aim.onCall();
      incidents.onCall(member);
      intervene(call);
    },
    exchange: (request) => connection.send(request),
    onDisk: (call, path, to) => {
      watch.onDisk(call, path, to);
      aim.onDisk(call, path, to);
      incidents.onDisk(call, path, to);
      oracle.onDisk(call, path);
    },
    onScan: () => oracle.onScan(),
  });
  const once: Work = () => {
    return syncToConvergence(world, { settings: settingsOf(mirror), retryRefused: step.retry, kind: "sync" });
  };
  const end = await survive(async () => ({ report: await (work ?? once)(world, ledger) }));
  const report = end?.report ?? null;
  trouble.end();
  tally.portCalls += mirror.calls;
  if (end === null) {
    tally.kills++;
    noteMayHaveLeft(actors, mirror);
    actors.crashPoints.add(mirror.crashPoint!);
    if (step.kill?.power) {
      const dice = rollDice(step.seed + 5);
      mirror.losePower(() => dice.fraction());
      oracle.forgetJournal();
      ledger.lostPower(history);
      tally.powerCuts++;
    }
  }
  ledger.judge(actors.mirrors, actors.simulatedWorld, history, oracle.shownTexts, end !== null);
  if (trouble.hiddenFolder !== null) history.weighHiddenPaths(step.mirror, trouble.hiddenFolder);
  // A sync with open problems may have a blocked move. Base then has the document's former path,
  // and after an edit only similar content identifies it.
  const isAllKnown = work === null && report?.state === "in-sync" && report.counts.blocked === 0;
  history.noteScan(step.mirror, treeOf(mirror), isAllKnown);
  const facts: RunFacts = {
    report,
    killed: end === null,
    before,
    localDigests,
    changesBefore,
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
  // A late write changes the service without an action of a user, but a scan takes it for one.
  const isLate = actors.simulatedWorld.late.awaits || actors.simulatedWorld.late.arrived !== arrived;
  if (report?.state === "in-sync" && !facts.intervened && !isLate)
    await actors.simulatedWorld.withoutFaults(() => checkProof(actors, mirror, settingsOf(mirror)));
  mirror.disk.advance(10);
  return facts;
}

/**
 * Records content that may have been sent: the process was killed when it was about to send a
 * request.
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

/**
 * Returns a function that lets users act between two port calls, which causes late saves and
 * inconsistent listings.
 */
function intervener(actors: Actors, step: SyncStep, ledger: Ledger): (call: number) => void {
  const { simulatedWorld, history } = actors;
  const userFolder = actors.mirrors[step.mirror]!.userFolder;
  // RACE: without hard links, a save between the last check and the rename is overwritten.
  const mayWrite = actors.mirrors[step.mirror]!.setup.disk.hardLinks !== false && step.trouble !== "unmounted";
  return (call) => {
    for (const intervene of step.interventions) {
      if (intervene.at !== call) continue;
      actors.tally.interventions++;
      if (intervene.by === "app") history.note(actInApp(simulatedWorld, history, intervene.act, intervene.seed));
      else if (mayWrite)
        ledger.intervened(() => history.note(actInFolder(userFolder, history, intervene.act, intervene.seed)));
      actors.noteIds();
    }
  };
}

const MUTATIONS: ReadonlySet<string> = new Set(["rename", "link", "unlink", "writeNew", "mkdir", "rmdir"]);

/**
 * Checks I26 at each disk call: nothing outside of the root, behind a symlink or ignored is
 * touched.
 */
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

/** A mirror's connection to the service, with the faults of its requests. */
class MirrorConnection {
  readonly #actors: Actors;
  readonly #step: SyncStep;
  readonly #heard: number[];
  readonly #aim: Aim;
  readonly #incidents: Incidents;
  readonly #dice: Dice;

  constructor(actors: Actors, step: SyncStep, heard: number[], aim: Aim, incidents: Incidents) {
    this.#actors = actors;
    this.#step = step;
    this.#heard = heard;
    this.#aim = aim;
    this.#incidents = incidents;
    this.#dice = rollDice(step.seed);
  }

  async send(request: WireRequest): Promise<WireResult> {
    const { oracles, history, simulatedWorld } = this.#actors;
    oracles[this.#step.mirror]!.sending(request);
    if (request.method === "PUT") history.sends(request.body ?? "");
    await simulatedWorld.late.arrive();
    this.#aim.onRequest(request);
    const stormy = this.#storm(request);
    const result = await this.#exchange(request, this.#incidents.onRequest(request) ?? stormy);
    this.#hear(request, result);
    return result;
  }

  #storm(request: WireRequest): RequestFault | null {
    const { storm } = this.#step;
    if (storm === null) return null;
    // Writes are rare, so they get faults more often than reads.
    const odds = request.method === "GET" ? storm : Math.ceil(storm / 5);
    return this.#dice.below(odds) === 0 ? drawFault(this.#dice, request) : null;
  }

  #hear(request: WireRequest, result: WireResult): void {
    const { history, oracles } = this.#actors;
    oracles[this.#step.mirror]!.heard(request, result);
    this.#heard.push(result.kind === "answer" ? result.response.status : 0);
    history.note(`${request.method} ${request.path} ${result.kind}`);
    history.decisions.update(`${request.method} ${request.path.replace(/cursor=[^&]*/, "")} ${request.body ?? ""}\n`);
  }

  async #exchange(request: WireRequest, fault: RequestFault | null): Promise<WireResult> {
    const { simulatedWorld, tally } = this.#actors;
    if (fault !== null) tally.fault(fault.kind === "answer" ? fault.name : fault.kind);
    switch (fault?.kind) {
      case undefined:
        return { kind: "answer", response: await simulatedWorld.handle(request) };
      case "not-sent":
        return { kind: "not-sent", why: "connection refused" };
      case "lost-before":
        return LOST;
      case "late":
        simulatedWorld.late.delay(request, fault.wait);
        return { kind: "lost", why: "deadline of 30 s" };
      case "lost-after":
        await simulatedWorld.handle(request);
        return LOST;
      case "cut":
        return { kind: "answer", response: cutShort(await simulatedWorld.handle(request)) };
      case "answer":
        return { kind: "answer", response: fault.response };
    }
  }
}

const LOST: WireResult = { kind: "lost", why: "connection reset" };

/**
 * Returns, before a sync, the paths of replaced files into whose old file a program has saved
 * since. mdmirror restores that content, whatever the service shows.
 */
function savedLate({ state, disk }: SimulatedMirror): ReadonlySet<string> {
  const setAside = state.intents().flatMap(({ intent }) => (intent.kind === "set-aside" ? [intent] : []));
  const isOther = (text: string | null, digest: Digest): boolean => text !== null && !isTextOf(state, digest, text);
  const late = setAside.filter(({ setAsideAt, expect }) =>
    isOther(disk.user.read(`${ROOT}/.mdmirror/${setAsideAt}`), expect),
  );
  return new Set(late.map(({ path }) => path));
}

/**
 * Returns, before a sync, the paths of documents of which the service shows this mirror an earlier
 * version. None if a user has accepted these versions. A mirror that only uploads leaves both sides
 * as they are, so the approval stays, and its first sync in both directions downloads the versions.
 */
function supersededIn(actors: Actors, mirror: SimulatedMirror): readonly string[] {
  const { index, state, setup } = mirror;
  // The sync first concludes the effects of a killed process and restores late saves.
  if (readApprovedKeys({ state }).has("service-restored") || savedLate(mirror).size > 0) return [];
  if (state.intents().some(({ intent }) => intent.kind !== "set-aside" && intent.kind !== "sent")) return [];
  const { conflicts } = state.load();
  return actors.simulatedWorld.readable(index).flatMap((file) => {
    const { id, changeId, path } = file;
    const record = state.record(id);
    // A user has accepted the earlier version, and it is shown as the conflict's other version.
    if (conflicts.has(id)) return [];
    // This mirror sees only versions in its linked part of the workspace.
    if (setup.prefix !== "" && !path.startsWith(`${setup.prefix}/`)) return [];
    if (record === null || withoutRename(record.changeId) === changeId) return [];
    // Change ids have no order, so an earlier version with a new id looks new.
    const shown = actors.simulatedWorld.shownChangeId(file) as ChangeId;
    return state.isEarlier(id, shown, record.changeId) ? [path] : [];
  });
}

const reported = (one: RunReport["attention"]): string => one.map(({ path, kind }) => `${kind} ${path}`).join(", ");

/** Returns true if an approval is still pending: it waits for a sync that reaches the service. */
function isApprovedYet(
  state: SimulatedMirror["state"],
  report: RunReport,
  { kind, path }: RunReport["attention"][number],
): boolean {
  return report.state === "offline" && state.meta(META.approved) !== null && kind === "unproven" && path === "";
}

/**
 * Checks I01: `status` reports "in sync" only after a sync that ended so.
 * @param before time when the mirror was last in sync before this sync; null if it never was
 */
function checkStatus(actors: Actors, mirror: SimulatedMirror, report: RunReport, before: string | null): void {
  const { state, index } = mirror;
  const [newestRun = null] = state.runs(1);
  const runState = makeRunState({ meta: (key) => state.meta(key), blocks: state.blocks(), newestRun });
  if ((runState.state === "in-sync") !== (report.state === "in-sync"))
    actors.history.fail(`I01 status of mirror ${index} says ${runState.state} after a run that ended ${report.state}`);
  if (report.state !== "in-sync" && state.meta(META.syncedAt) !== before)
    actors.history.fail(`I01 mirror ${index} is last sync a run that ended ${report.state}`);
  const named = runState.attention.filter((one) => !isApprovedYet(state, report, one));
  if (reported(named) !== reported(report.attention))
    actors.history.fail(
      `I01 status of mirror ${index} names ${reported(named)}, and the run named ${reported(report.attention)}`,
    );
}

/**
 * Checks I02 after a sync that ended "in sync": one more sync does nothing. Called only if nobody
 * acted since the sync began to scan, because a change that it did not see proves nothing.
 */
async function checkProof(actors: Actors, mirror: SimulatedMirror, settings: Settings): Promise<void> {
  const world = mirror.start({
    ...NO_HOOKS,
    exchange: async (request) => ({ kind: "answer", response: await actors.simulatedWorld.handle(request) }),
  });
  const end = await planOnly(world, { settings, retryRefused: false, kind: "plan" });
  const fail = (what: string): void =>
    actors.history.fail(`I02 mirror ${mirror.index} said "in sync", and a further run ${what}`);
  if (end.kind === "offline") return fail(`is offline: ${end.fault.detail}`);
  if (end.plan.verdict.kind === "safety-stop") fail("halts");
  const steps = end.plan.steps.map(({ action }) => `${action.kind} ${JSON.stringify(action)}`);
  if (steps.length > 0) fail(`would: ${steps.join("; ")}`);
}
