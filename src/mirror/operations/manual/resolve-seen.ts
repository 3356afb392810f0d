import type { LocalPath } from "../../../contract/path.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { runSync, USUAL_RUN } from "../../folder/run.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { type GuestOptions, withMirror } from "../../folder/with-mirror.ts";
import { resolveProblem, type Resolution } from "./resolve.ts";
import { findProblem } from "./open-problem.ts";
import { changedSince, isTheirsNow, type Versions, versionsOf } from "./problem-view.ts";

/**
 * `resolve` by who looks at the texts for a while before a way is chosen: done only where they are
 * what was seen.
 */
type ResolveSeen = {
  readonly path: LocalPath;
  readonly way: Resolution;
  readonly seen: Versions;
  /** Takes, and sends, a text that holds conflict markers. */
  readonly force: boolean;
};

export type ResolvedSeen =
  | { readonly kind: "resolved"; readonly path: LocalPath; readonly notes: readonly string[] }
  /** Nothing was written, because these are others by now. */
  | { readonly kind: "changed"; readonly what: readonly (keyof Versions)[] };

export function resolveSeen(root: string, asked: ResolveSeen, options: GuestOptions): Promise<Result<ResolvedSeen>> {
  const opening = { ...options, mode: "write", what: "resolve" } as const;
  return withMirror(root, opening, (mirror) => resolveIn(mirror, asked));
}

async function resolveIn(mirror: OpenedMirror, { path, way, seen, force }: ResolveSeen): Promise<Result<ResolvedSeen>> {
  const { world } = mirror;
  const found = findProblem(world, path);
  if (found.kind === "trouble") return found;
  const subject = found.value;
  const changed = changedSince(seen, versionsOf(world, subject));
  if (changed.length > 0) return ok({ kind: "changed", what: changed });
  if (!(await isTheirsNow(world, subject))) {
    // What is there now is brought here, to be looked at.
    await runSync(mirror, USUAL_RUN, "sync");
    return ok({ kind: "changed", what: ["theirs"] });
  }
  const done = await resolveProblem(world, subject, way, { force, seen });
  if (done.kind === "trouble") return done;
  return ok({ kind: "resolved", path: subject.path, notes: done.value });
}
