import type { Digest } from "../../model/digest.ts";
import type { LocalPath } from "../../model/path.ts";
import { type MirrorOptions, openMirror } from "../mirror/open-mirror.ts";
import { ok, type Result } from "../mirror/trouble.ts";
import { chooseVersion, type Restored, restoreVersion } from "./restore.ts";

/**
 * `restore` by who looked at the texts for a while: done only where the file and the version are
 * what was seen.
 */
type RestoreSeen = {
  readonly path: LocalPath;
  readonly n: number;
  /** The text of that version. */
  readonly wanted: Digest;
  /** The text that was in the file; null: there was none. */
  readonly here: Digest | null;
};

export type RestoredSeen =
  | ({ readonly kind: "restored" } & Restored)
  /** Nothing was written, because the file, or the version of this number, is another by now. */
  | { readonly kind: "changed"; readonly what: "here" | "version" };

type Options = Required<Pick<MirrorOptions, "env" | "cwd" | "clock" | "random">>;

/** @param root a folder that holds `.mdmirror/`, of this user */
export async function restoreSeen(
  root: string,
  { path, n, wanted, here }: RestoreSeen,
  options: Options,
): Promise<Result<RestoredSeen>> {
  const opened = await openMirror(root, { ...options, mode: "write", what: "restore", isGuest: true });
  if (opened.kind === "trouble") return opened;
  const mirror = opened.value;
  try {
    const chosen = chooseVersion(mirror.world, path, n);
    if (chosen.kind === "trouble") return chosen;
    if (chosen.value.entry.digest !== wanted) return ok({ kind: "changed", what: "version" });
    if (chosen.value.now !== here) return ok({ kind: "changed", what: "here" });
    const restored = await restoreVersion(mirror.world, path, n);
    return restored.kind === "trouble" ? restored : ok({ kind: "restored", ...restored.value });
  } finally {
    await mirror.close();
  }
}
