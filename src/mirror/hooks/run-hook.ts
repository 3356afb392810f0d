import type { Clock } from "../../common/clock.ts";
import type { Random } from "../../common/random.ts";
import type { RunReport } from "../engine/run/report.ts";
import { waitReasonOf } from "../engine/daemon/phase.ts";
import { itemsOf } from "./events.ts";
import { type Facts, factsOf } from "./facts.ts";
import { type Env, EVENT_NAMES, failureClause, type Hook, type HookEnd, type EventName } from "./hook.ts";
import { type HookEvent, messageOf } from "./message.ts";
import { hooksFor, mirrorName, readHooks } from "./read-hooks.ts";
import { runCommand } from "./run-command.ts";
import { ok, type Result } from "../../common/trouble.ts";
import { listOwnMirrors } from "../trust/list.ts";

export type HookWorld = { readonly env: Env; readonly clock: Clock; readonly random: Random };

/**
 * Runs a hook for one event of a folder.
 * @param stop ends the command
 */
export async function runHook(
  hook: Hook,
  event: HookEvent,
  root: string,
  { env, clock, random }: HookWorld,
  stop: AbortSignal,
): Promise<HookEnd> {
  const message = messageOf(event, { name: mirrorName(root, env), root, clock, random });
  return runCommand(hook, message, { env, timeoutMs: hook.timeoutMs, stop });
}

/** LIMIT: milliseconds that a single `sync` waits for its hooks. */
const LONGEST_RUN_MS = 60_000;

type AfterSync = HookWorld & { readonly stop: AbortSignal; readonly onNote: (note: string) => void };

/**
 * Runs hooks after a single run, for the changes of the run. Its result is the state until the next
 * run, so no state has to last.
 * @param before state of the folder before the run
 */
export async function runHooksAfterSync(
  root: string,
  before: Facts,
  report: RunReport,
  { stop, onNote, ...world }: AfterSync,
): Promise<Result<null>> {
  const read = readHooks(world.env);
  if (read.kind === "trouble") return read;
  const offline = report.state === "offline" ? { code: waitReasonOf(report.fault), ms: 0 } : null;
  const { blocked: _blocked, ...changes } = report.counts;
  const after = factsOf(root, report, { offline, changes });
  const late = AbortSignal.any([stop, AbortSignal.timeout(LONGEST_RUN_MS)]);
  await Promise.all(hooksFor(root, read.value, world.env).map(runForEvents));
  return ok(null);

  async function runForEvents(hook: Hook): Promise<void> {
    for (const event of EVENT_NAMES.filter((name) => hook.on.has(name))) {
      const items = itemsOf(event, before, after);
      if (items === null || late.aborted) continue;
      const end = await runHook(hook, { event, items, before, now: after }, root, world, late);
      if (end.kind === "failed") onNote(`the hook "${hook.name}" failed on ${event}: ${failureClause(end)}`);
    }
  }
}

const NOTHING: Omit<Facts, "state"> = {
  changes: {},
  attention: [],
  conflicts: [],
  stopped: [],
  offline: [],
  offlineMs: 0,
  reviews: null,
};
const STATES: Readonly<Record<EventName, Facts["state"]>> = {
  stopped: "stopped",
  offline: "offline",
  conflict: "attention",
  attention: "attention",
  "review-settled": "in-sync",
  "in-sync": "in-sync",
};
const EXAMPLE = { path: "example.md", kind: "test", code: null, next: "nothing: this is a test" } as const;

/** Runs a hook with a made-up event. */
export function testHook(hook: Hook, event: EventName, world: HookWorld, stop: AbortSignal): Promise<HookEnd> {
  const root = listOwnMirrors(world.env).mirrors[0]?.root ?? "/example";
  const after = { ...NOTHING, state: STATES[event] };
  const items = event === "in-sync" ? [] : [EXAMPLE];
  return runHook(hook, { event, items, before: after, now: after, test: true }, root, world, stop);
}
