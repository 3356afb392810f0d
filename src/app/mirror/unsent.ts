import { faultTrouble } from "./fault-trouble.ts";
import { openMirror, type MirrorOptions } from "./open-mirror.ts";
import { type Preview, previewSync, USUAL_RUN } from "./run.ts";
import { ok, type Result } from "./trouble.ts";

/** What of a mirror would be left where it is, were it unlinked now. */
export type Unsent = Extract<Preview, { kind: "planned" }>;

const NOT_LEFT: ReadonlySet<string> = new Set([
  "relink",
  "note-facts",
  "forget",
  "look-again",
  "link-folder",
  "forget-folder",
]);

/**
 * Plans a sync, and leaves out of it what only comes here: nothing of that is lost. Writes nothing.
 * @returns null: all was sent, nothing is open; the trouble: it cannot be known
 */
export async function findUnsent(
  root: string,
  options: Omit<MirrorOptions, "mode" | "what">,
): Promise<Result<Unsent | null>> {
  const opened = await openMirror(root, { ...options, mode: "read", what: "unlink" });
  if (opened.kind === "trouble") return opened;
  try {
    const preview = await previewSync(opened.value, USUAL_RUN);
    if (preview.kind === "offline") return { kind: "trouble", trouble: faultTrouble(preview.fault, opened.value.url) };
    const steps = preview.plan.steps.filter(({ action: { kind } }) => !isBrought(kind) && !NOT_LEFT.has(kind));
    const isClean = steps.length === 0 && preview.open.length === 0 && preview.plan.verdict.kind === "run";
    return ok(isClean ? null : { ...preview, plan: { ...preview.plan, steps } });
  } finally {
    await opened.value.close();
  }
}

/** An effect that is on this disk alone. */
function isBrought(kind: string): boolean {
  return kind.endsWith("-local");
}
