import { toGuardKey } from "../../../src/mirror/planner/verdict/stops.ts";
import { readApprovedKeys } from "../../../src/mirror/engine/run/guard-facts.ts";
import { META } from "../../../src/mirror/engine/run/meta.ts";
import { planOnly } from "../../../src/mirror/engine/run/sync.ts";
import type { Actors } from "./actors.ts";
import { NO_HOOKS } from "./mirror.ts";
import { settingsOf } from "./sync-step.ts";

const NOT_APPROVABLE: ReadonlySet<string> = new Set(["root-missing", "root-replaced"]);

/**
 * Approves like `mdmirror approve`: makes a new plan, and approves exactly the actions that a
 * safety check stops.
 * @returns the approved actions
 */
export async function approveStop(actors: Actors, index: number): Promise<string> {
  const mirror = actors.mirrors[index]!;
  const exchange = async (request: Parameters<typeof NO_HOOKS.exchange>[0]) =>
    ({ kind: "answer", response: await actors.simulatedWorld.handle(request) }) as const;
  const world = mirror.start({ ...NO_HOOKS, exchange });
  const end = await planOnly(world, { settings: settingsOf(mirror), retryRefused: true, kind: "approve" });
  if (end.kind === "offline" || end.plan.verdict.kind === "run") return "nothing";
  const { reasons, stoppedSteps, byReason } = end.plan.verdict;
  if (reasons.some(({ reason }) => NOT_APPROVABLE.has(reason))) return "nothing";
  const keys = [
    ...(byReason ? reasons.map(({ reason }) => reason) : []),
    ...stoppedSteps.map((step) => toGuardKey(end.plan.steps[step]!.action)),
  ];
  mirror.state.setMeta(META.approved, JSON.stringify([...new Set([...readApprovedKeys(world), ...keys])].sort()));
  return reasons.map(({ reason }) => reason).join(" ");
}
