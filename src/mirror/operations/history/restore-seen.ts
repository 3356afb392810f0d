import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { ok, type Result } from "../../../common/trouble.ts";
import { type GuestOptions, withMirror } from "../../folder/with-mirror.ts";
import { chooseVersion, type Restored, restoreVersion } from "./restore.ts";

/**
 * Restores a version that a person looked at before, only if the file and the version are still the
 * same.
 */
type RestoreSeen = {
  readonly path: LocalPath;
  readonly n: number;
  /** Content of that version. */
  readonly wanted: Digest;
  /** Content of the file when it was shown; null if there was none. */
  readonly here: Digest | null;
};

export type RestoredSeen =
  | ({ readonly kind: "restored" } & Restored)
  /** Nothing was written: the file, or the version with this number, has changed. */
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
