import { existsSync, realpathSync } from "node:fs";
import { waitReasonOf } from "../engine/daemon/phase.ts";
import type { Clock } from "../../common/clock.ts";
import type { Random } from "../../common/random.ts";
import { hookMemoryOf } from "../trust/gate.ts";
import type { RunReport } from "../folder/run.ts";
import { errorCodeOf, errnoClause, ok, type Result, trouble } from "../../common/trouble.ts";
import { failureClause, keepEnd } from "./deliver.ts";
import { type Due, reportEvent } from "./due.ts";
import { pendingEventsOf, hooksFor, mirrorName } from "./pending-events.ts";
import { type Facts, factsOf } from "./facts.ts";
import type { Env, Hook } from "./hook.ts";
import { readMemory, rememberOffline } from "./memory.ts";
import { messageOf } from "./message.ts";
import { readHooks } from "./read-hooks.ts";
import { runCommand } from "./run-command.ts";

type AfterSync = {
  readonly env: Env;
  readonly clock: Clock;
  readonly random: Random;
  readonly stop: AbortSignal;
  readonly onNote: (note: string) => void;
};

/** LIMIT: milliseconds that a single `sync` waits for its hooks. */
const MOST_MS = 60_000;

/**
 * Runs hooks after a single run. Its result is the state until the next run, so nothing is delayed.
 * An unreachable service is reported by the run that finds it still unreachable after its time.
 * @param dir a folder that has `.mdmirror/`, of which nothing is open
 */
export async function runHooksAfterSync(dir: string, report: RunReport, after: AfterSync): Promise<Result<null>> {
  const hooks = readHooks(after.env);
  if (hooks.kind === "trouble") return hooks;
  try {
    await tellAll(existsSync(dir) ? realpathSync(dir) : dir, hooks.value, report, after);
    return ok(null);
  } catch (error) {
    const code = errorCodeOf(error);
    if (code === null) throw error;
    const what = `the events that hooks received cannot be saved: ${errnoClause(error)}`;
    return trouble("fault", what, "the next sync runs them again", { code });
  }
}

async function tellAll(root: string, hooks: readonly Hook[], report: RunReport, after: AfterSync): Promise<void> {
  const { env, clock, stop } = after;
  const file = hookMemoryOf(root, env);
  if (file === null) return;
  const offlineMs = offlineFor(file, report, clock.now());
  const offline = offlineMs === null ? null : { code: waitReasonOf(report.fault), ms: offlineMs };
  const { blocked: _blocked, ...changes } = report.counts;
  const facts = factsOf(root, report, offline, changes);
  const late = AbortSignal.any([stop, AbortSignal.timeout(MOST_MS)]);
  await Promise.all(hooksFor(root, hooks, env).map((hook) => tellOne(hook, root, file, { facts, after, late })));
}

/** Returns null if the service was reached. */
function offlineFor(file: string, { state }: RunReport, now: number): number | null {
  const { offlineSince } = readMemory(file);
  // After the clock was set back, the duration begins again.
  const since = offlineSince === null || offlineSince > now ? now : offlineSince;
  rememberOffline(file, state === "offline" ? since : null);
  return state === "offline" ? now - since : null;
}

type Round = {
  readonly facts: Facts;
  readonly after: AfterSync;
  /** Ends active hooks. */
  readonly late: AbortSignal;
};

/** One event after the other. */
async function tellOne(hook: Hook, root: string, file: string, { facts, after, late }: Round): Promise<void> {
  const { env, clock, random, onNote } = after;
  const { dues, told } = pendingEventsOf(hook, facts, readMemory(file), file);
  let known = told;
  for (const due of dues.filter(({ event }) => isRipe(event, hook, facts))) {
    const about = { name: mirrorName(root, env), root, at: clock.now(), id: `msg_${random.hex(24)}` };
    const message = messageOf(due, facts, about);
    const end = await runCommand(hook, message, { env, timeoutMs: hook.timeoutMs, stop: late });
    if (end.kind === "failed") onNote(`the hook "${hook.name}" failed on ${due.event}: ${failureClause(end)}`);
    // A hook that did not finish is run again next time, if the state is the same.
    const heard = end.kind === "done" || end.reason !== "stopped";
    if (heard) known = reportEvent(due.event, facts, known);
    keepEnd(file, hook, message, end, heard ? known : null);
    if (late.aborted) return;
  }
}

function isRipe(event: Due["event"], hook: Hook, { offlineMs }: Facts): boolean {
  return event !== "offline" || offlineMs >= hook.on.get("offline")!;
}
