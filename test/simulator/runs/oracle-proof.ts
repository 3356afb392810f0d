import { META } from "../../../src/mirror/engine/run/meta.ts";
import type { RunReport } from "../../../src/mirror/engine/run/report.ts";
import { runStateOf } from "../../../src/mirror/engine/run/run-state.ts";
import { planOnly } from "../../../src/mirror/engine/run/sync.ts";
import type { Settings } from "../../../src/mirror/engine/run/world.ts";
import type { Actors } from "./actors.ts";
import { type SimulatedMirror, QUIET_FATE } from "./mirror.ts";

/**
 * Checks I01 and I02: "in sync" is a proof. Right after such a run, without changes on either side,
 * a further run does nothing; and `status` reports "in sync" after no other run.
 */

/** Returns, before a run, the time when the mirror was last in sync. */
export function syncedBefore({ state }: SimulatedMirror): string | null {
  return state.meta(META.syncedAt);
}

const reported = (one: RunReport["attention"]): string => one.map(({ path, kind }) => `${kind} ${path}`).join(", ");

/**
 * An approval waits for a run that reaches the service; a run that did not reach it names no plan.
 */
function isApprovedYet(
  state: SimulatedMirror["state"],
  report: RunReport,
  { kind, path }: RunReport["attention"][number],
): boolean {
  return report.state === "offline" && state.meta(META.approved) !== null && kind === "unproven" && path === "";
}

/** @param before result of `syncedBefore` */
export function checkStatus(actors: Actors, mirror: SimulatedMirror, report: RunReport, before: string | null): void {
  const { state, index } = mirror;
  const [newestRun = null] = state.runs(1);
  const runState = runStateOf({ meta: (key) => state.meta(key), blocks: state.blocks(), newestRun });
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

/** Only if nobody acted since the run began to scan: an unseen change proves nothing. */
export async function checkProof(actors: Actors, mirror: SimulatedMirror, settings: Settings): Promise<void> {
  const world = mirror.start({
    ...QUIET_FATE,
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
