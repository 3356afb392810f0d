import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { type GuestOptions, withMirror } from "../../folder/with-mirror.ts";
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

export function restoreSeen(
  root: string,
  { path, n, wanted, here }: RestoreSeen,
  options: GuestOptions,
): Promise<Result<RestoredSeen>> {
  const opening = { ...options, mode: "write", what: "restore" } as const;
  return withMirror<RestoredSeen>(root, opening, async ({ world }) => {
    const chosen = chooseVersion(world, path, n);
    if (chosen.kind === "trouble") return chosen;
    if (chosen.value.entry.digest !== wanted) return ok({ kind: "changed", what: "version" });
    if (chosen.value.now !== here) return ok({ kind: "changed", what: "here" });
    const restored = await restoreVersion(world, path, n);
    return restored.kind === "trouble" ? restored : ok({ kind: "restored", ...restored.value });
  });
}
