import type { LocalPath } from "../../model/path.ts";
import { type MirrorOptions, openMirror } from "../mirror/open-mirror.ts";
import { runSync, USUAL_RUN } from "../mirror/run.ts";
import { ok, type Result } from "../mirror/trouble.ts";
import { findSubject, resolveSubject, type Way } from "./resolve.ts";
import { changedSince, isTheirsNow, type Versions, versionsOf } from "./subject-view.ts";

/**
 * `resolve` by who looks at the texts for a while before a way is chosen: done only where they are
 * what was seen.
 */
type ResolveSeen = {
  readonly path: LocalPath;
  readonly way: Way;
  readonly seen: Versions;
  /** Takes, and sends, a text that holds conflict markers. */
  readonly force: boolean;
};

export type ResolvedSeen =
  | { readonly kind: "resolved"; readonly path: LocalPath; readonly notes: readonly string[] }
  /** Nothing was written, because these are others by now. */
  | { readonly kind: "changed"; readonly what: readonly (keyof Versions)[] };

type Options = Required<Pick<MirrorOptions, "env" | "cwd" | "clock" | "random">>;

/** @param root a folder that holds `.mdmirror/`, of this user */
export async function resolveSeen(
  root: string,
  { path, way, seen, force }: ResolveSeen,
  options: Options,
): Promise<Result<ResolvedSeen>> {
  const opened = await openMirror(root, { ...options, mode: "write", what: "resolve", isGuest: true });
  if (opened.kind === "trouble") return opened;
  const mirror = opened.value;
  const { world } = mirror;
  try {
    const found = findSubject(world, path);
    if (found.kind === "trouble") return found;
    const subject = found.value;
    const changed = changedSince(seen, versionsOf(world, subject));
    if (changed.length > 0) return ok({ kind: "changed", what: changed });
    if (!(await isTheirsNow(world, subject))) {
      // What is there now is brought here, to be looked at.
      await runSync(mirror, USUAL_RUN, "sync");
      return ok({ kind: "changed", what: ["theirs"] });
    }
    const done = await resolveSubject(world, subject, way, { force, seen });
    if (done.kind === "trouble") return done;
    return ok({ kind: "resolved", path: subject.path, notes: done.value });
  } finally {
    await mirror.close();
  }
}
