import { ancestorsOf, type LocalPath } from "../../../contract/path.ts";
import type { SyncPlan } from "../../folder/run.ts";
import { addToShare, type Share } from "../../settings/propose-rules.ts";

/** Finds the folders from which a plan uploads the most documents for the first time. */

export type FolderShare = Share & {
  /** Path of the folder, counted without its subfolders; "" is the linked folder itself. */
  readonly folder: LocalPath;
};

type PlanWithTrees = Pick<SyncPlan, "plan" | "trees">;

/**
 * Returns the folders with the most documents to upload. Each top folder counts as one, shown as
 * the deepest folder that has all its documents.
 * @param most number of folders
 */
export function largestFolders({ plan, trees }: PlanWithTrees, most: number): readonly FolderShare[] {
  const shares = new Map<LocalPath, Share>();
  for (const { action } of plan.steps) {
    const file = action.kind === "create-remote" ? trees.local.files.get(action.localPath) : undefined;
    if (file === undefined) continue;
    const above = ancestorsOf(file.path);
    for (const folder of above.length === 0 ? [""] : above) shares.set(folder, addToShare(shares.get(folder), file));
  }
  const deepest = new Map<LocalPath, LocalPath>();
  for (const [folder, { documents }] of shares) {
    const top = folder.split("/", 1)[0]!;
    const isWhole = documents === shares.get(top)!.documents;
    if (isWhole && folder.length >= (deepest.get(top) ?? "").length) deepest.set(top, folder);
  }
  return [...deepest]
    .map(([top, folder]) => ({ folder, ...shares.get(top)! }))
    .toSorted((a, b) => b.documents - a.documents || (a.folder < b.folder ? -1 : 1))
    .slice(0, most);
}
