import type { Outcome } from "../../model/action.ts";
import { toFolderInodeKey } from "../../planner/match/evidence.ts";
import { ancestorsOf, type LocalPath } from "../../../contract/path.ts";
import { outcomeOfDisk, stale } from "./effect.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import type { Disk } from "../../ports/disk.ts";

/**
 * Creates the missing folders above a path. A folder is missing if no listing contained it, or if
 * it was deleted and a document in it is restored later.
 * @returns the outcome if a folder could not be created; null on success
 */
export function ensureFolders(ctx: CycleContext, path: LocalPath): Outcome | null {
  for (const folder of ancestorsOf(path)) {
    if (ctx.world.disk.look(folder).kind !== "absent") continue;
    if (hasDisappeared(ctx, folder)) return stale("its folder was removed meanwhile");
    const makeOutcome = ctx.world.disk.makeFolder(folder);
    if (makeOutcome.kind !== "done") return outcomeOfDisk(makeOutcome);
  }
  return null;
}

/**
 * Returns true if a recorded folder is missing although this cycle scanned or created it.
 * RACE: somebody moved the folder. If mdmirror created it again, base would take the new folder for
 * the moved one. Documents in the moved folder would then count as moved by the user.
 */
function hasDisappeared({ notes: { local, made }, world }: CycleContext, path: LocalPath): boolean {
  const dir = world.state.dirAt(path);
  const key = dir === null ? null : toFolderInodeKey(dir);
  if (key === null) return false;
  const scannedFolder = local?.folders.get(path);
  return made.has(key) || (scannedFolder !== undefined && toFolderInodeKey(scannedFolder) === key);
}

export type FreePath =
  | { readonly kind: "free"; readonly path: LocalPath }
  | { readonly kind: "unknown"; readonly why: string };

/**
 * Returns the first free path of a series. Stops at a path that cannot be read, because all other
 * paths may be unreadable for the same reason.
 */
export function findFreePath(disk: Pick<Disk, "look">, pathOf: (number: number) => LocalPath): FreePath {
  for (let number = 1; ; number++) {
    const path = pathOf(number);
    const atPath = disk.look(path);
    if (atPath.kind === "absent") return { kind: "free", path };
    if (atPath.kind === "unknown") return { kind: "unknown", why: atPath.why };
  }
}
