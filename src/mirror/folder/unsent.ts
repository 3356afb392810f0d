import { type MirrorOptions, withMirror } from "./open-mirror.ts";
import { planSync, type SyncPlan, USUAL_RUN } from "./run.ts";
import { ok, type Result } from "../../common/trouble.ts";

const NOT_LEFT: ReadonlySet<string> = new Set([
  "relink",
  "note-facts",
  "forget",
  "look-again",
  "link-folder",
  "forget-folder",
]);

/**
 * Plans a sync without downloads, because unlinking does not lose them. Writes nothing.
 * @returns null if everything was uploaded and nothing is open; trouble if that cannot be known
 */
export function findUnsent(
  root: string,
  options: Omit<MirrorOptions, "mode" | "what">,
): Promise<Result<SyncPlan | null>> {
  return withMirror<SyncPlan | null>(root, { ...options, mode: "read", what: "unlink" }, async (mirror) => {
    const planned = await planSync(mirror, USUAL_RUN);
    if (planned.kind === "trouble") return planned;
    const { plan, open } = planned.value;
    // An action that changes the local disk alone uploads nothing.
    const steps = plan.steps.filter(({ action: { kind } }) => !kind.endsWith("-local") && !NOT_LEFT.has(kind));
    const isClean = steps.length === 0 && open.length === 0 && plan.verdict.kind === "run";
    return ok(isClean ? null : { ...planned.value, plan: { ...plan, steps } });
  });
}
