import type { DirId, DocId } from "../../../contract/ids.ts";
import type { SyncPlan } from "../../folder/run.ts";
import { readActionPath, readSide, type PathLookup, toPublicKind } from "./actions.ts";
import { ancestorsOf, type LocalPath } from "../../../contract/path.ts";
import { addToShare, type DocumentShare } from "../../settings/ignore-rules.ts";

export function makePathLookup({ records, dirs }: SyncPlan["trees"]["base"]): PathLookup {
  return (id) => (records.get(id as DocId) ?? dirs.get(id as DirId))?.localPath ?? null;
}

export function toPlanJson(preview: SyncPlan) {
  const { plan, staysLocal, trees } = preview;
  const pathOf = makePathLookup(trees.base);
  const stoppedIndexes = new Set(plan.verdict.kind === "safety-stop" ? plan.verdict.stoppedSteps : []);
  return {
    steps: plan.steps.map(({ action, after }, index) => ({
      kind: toPublicKind(action.kind),
      side: readSide(action.kind),
      path: "from" in action ? action.to : readActionPath(action, pathOf),
      from: "from" in action ? action.from : null,
      id: "id" in action ? action.id : "dirId" in action ? action.dirId : null,
      why: action.why,
      after,
      stopped: stoppedIndexes.has(index),
    })),
    blocked: plan.blocks.map(({ path, reason, code, detail, requestId }) => ({
      path,
      reason,
      code,
      detail,
      requestId,
    })),
    verdict: plan.verdict,
    staysLocal,
    largest: findLargestFolders(preview, MAX_FOLDERS),
  };
}

/** LIMIT: number of folders with new documents in `plan --json`, so that the output stays short. */
const MAX_FOLDERS = 20;

type FolderShare = DocumentShare & {
  /**
   * Path of a folder. "" stands for the documents directly in the root; any other path includes
   * subfolders.
   */
  readonly folder: LocalPath;
};

/**
 * Returns the topmost folders with the most documents to upload. If all documents of such a folder
 * are in one subfolder, returns the deepest such subfolder instead.
 * @param limit largest number of folders to return
 */
export function findLargestFolders(
  { plan, trees }: Pick<SyncPlan, "plan" | "trees">,
  limit: number,
): readonly FolderShare[] {
  const shares = new Map<LocalPath, DocumentShare>();
  for (const { action } of plan.steps) {
    const file = action.kind === "create-remote" ? trees.local.files.get(action.localPath) : undefined;
    if (file === undefined) continue;
    const foldersAbove = ancestorsOf(file.path);
    for (const folder of foldersAbove.length === 0 ? [""] : foldersAbove)
      shares.set(folder, addToShare(shares.get(folder), file));
  }
  const deepestByTop = new Map<LocalPath, LocalPath>();
  for (const [folder, { documents }] of shares) {
    const topFolder = folder.split("/", 1)[0]!;
    const isWhole = documents === shares.get(topFolder)!.documents;
    if (isWhole && folder.length >= (deepestByTop.get(topFolder) ?? "").length) deepestByTop.set(topFolder, folder);
  }
  return [...deepestByTop]
    .map(([top, folder]) => ({ folder, ...shares.get(top)! }))
    .toSorted((a, b) => b.documents - a.documents || (a.folder < b.folder ? -1 : 1))
    .slice(0, limit);
}
