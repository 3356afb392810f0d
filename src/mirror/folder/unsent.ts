import { faultTrouble } from "./fault-trouble.ts";
import type { MirrorOptions } from "./open-mirror.ts";
import { type Preview, previewSync, USUAL_RUN } from "./run.ts";
import { ok, type Result } from "../../common/trouble.ts";
import { withMirror } from "./with-mirror.ts";

/** Plan with the local changes that would never be uploaded if the folder were unlinked now. */
type UnsentPlan = Extract<Preview, { kind: "planned" }>;

const NOT_LEFT: ReadonlySet<string> = new Set([
  "relink",
  "note-facts",
  "forget",
  "look-again",
  "link-folder",
  "forget-folder",
]);

/**
 * Plans a sync, and leaves out downloads, because unlinking loses nothing of them. Writes nothing.
 * @returns null if everything was uploaded and nothing is open; trouble if that cannot be known
 */
export function findUnsent(
  root: string,
  options: Omit<MirrorOptions, "mode" | "what">,
): Promise<Result<UnsentPlan | null>> {
  return withMirror<UnsentPlan | null>(root, { ...options, mode: "read", what: "unlink" }, async (mirror) => {
    const preview = await previewSync(mirror, USUAL_RUN);
    if (preview.kind === "offline") return { kind: "trouble", trouble: faultTrouble(preview.fault, mirror.url) };
    // An action that changes the local disk alone uploads nothing.
    const steps = preview.plan.steps.filter(({ action: { kind } }) => !kind.endsWith("-local") && !NOT_LEFT.has(kind));
    const isClean = steps.length === 0 && preview.open.length === 0 && preview.plan.verdict.kind === "run";
    return ok(isClean ? null : { ...preview, plan: { ...preview.plan, steps } });
  });
}
