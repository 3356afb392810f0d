import { isDirId, isDocId } from "../../../contract/ids.ts";
import {
  type FolderIntention,
  BLOCK_REASONS,
  type BlockReason,
  type DocumentIntention,
  isRememberedBlock,
} from "../../model/block.ts";
import type { Block } from "../../model/record.ts";
import { type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import { hasFileAt } from "../../model/left-out.ts";
import type { DocumentRow } from "../match/row.ts";
import { isUnseen } from "../match/unseen.ts";
import type { LocalFile, Trees } from "../../model/tree.ts";
import { type PlanDraft, blockRow, keepBlock, toBlockKey, findPathOfRow } from "./plan-draft.ts";

/**
 * Returns the block that an earlier answer of the service caused; null if there is none, or if this
 * cycle sends refused requests again.
 */
function findRememberedBlock({ trees, policy }: PlanDraft, key: string): Block | null {
  const block = trees.base.blocks.get(key);
  return block === undefined || !isRememberedBlock(block) || policy.retryRefused ? null : block;
}

/**
 * Returns the block that an earlier answer of the service caused. Null if the document's content,
 * version or path has changed since, so that the block has ended.
 */
export function findRemainingBlock(draft: PlanDraft, row: DocumentRow): Block | null {
  const block = findRememberedBlock(draft, toBlockKey(row));
  if (block === null) return null;
  if (block.digest === null && block.changeId === null) return findBlockOfPlace(draft, block, row);
  const localDigest = row.local.seen.kind === "present" ? row.local.seen.value.digest : null;
  const remoteChangeId = row.remote.seen.kind === "present" ? row.remote.seen.file.changeId : null;
  const isSameContent = block.digest === null || block.digest === localDigest;
  return isSameContent && (block.changeId === null || block.changeId === remoteChangeId) ? block : null;
}

/**
 * Returns a stored block that applies to any content and version; null if the block ended, because
 * the document has another path now. A block for a missing grant (`read-only`) stays, because a
 * local move does not give the key that grant.
 */
function findBlockOfPlace(draft: PlanDraft, block: Block, row: DocumentRow): Block | null {
  const path = findPathOfRow(row);
  const isAtBasePath = block.reason === "read-only" && block.path === row.record?.localPath;
  if (block.path === path || isAtBasePath) return block;
  return isSameMove(draft, block, row, path) ? { ...block, path } : null;
}

/**
 * Returns true if the move would send the refused request again unchanged (I08). A request contains
 * either the new name or the id of the new folder. The new folder may itself have moved since the
 * refusal, so its paths in base and in its block are also compared.
 */
function isSameMove(
  { trees }: PlanDraft,
  { reason, path: blockedPath }: Block,
  row: DocumentRow,
  path: LocalPath,
): boolean {
  const { record, local } = row;
  if (record === null || (reason !== "read-only" && reason !== "refused") || nameOf(blockedPath) !== nameOf(path))
    return false;
  if (nameOf(path) !== nameOf(record.localPath)) return true;
  const folderId = local.now?.parent.record?.id;
  const { dirs, blocks } = trees.base;
  return (
    folderId !== undefined &&
    [dirs.get(folderId)?.localPath, blocks.get(folderId)?.path].includes(parentOf(blockedPath))
  );
}

/** Returns true, and keeps the block, if an earlier answer of the service forbids this action. */
export function isForbidden(draft: PlanDraft, row: DocumentRow, intention: DocumentIntention): boolean {
  const block = findRemainingBlock(draft, row);
  if (block === null || BLOCK_REASONS[block.reason].forbids?.includes(intention) !== true) return false;
  // Without the grant to edit, edits of other users are still merged into the local file. But a
  // merge that was refused is not repeated for the same version.
  if (block.reason === "read-only" && intention === "merge" && block.changeId === null) return false;
  keepBlock(draft, block);
  return true;
}

/**
 * Blocks a document that one side did not show. If a refused request has blocked the document
 * already, keeps that block: without it, the request would be sent again (I08). An incomplete list
 * cannot show that such a block has ended (I22).
 */
export function blockUnseen(draft: PlanDraft, row: DocumentRow, reason: BlockReason, detail: string): void {
  const block = draft.trees.base.blocks.get(toBlockKey(row));
  // A block with the reason `gone-or-unreadable` stays even in a cycle that sends refused requests
  // again. It needs no request to end: each scan checks whether the document is gone.
  const isGone = block?.reason === "gone-or-unreadable";
  if (block !== undefined && (isGone || (isRememberedBlock(block) && !draft.policy.retryRefused)))
    keepBlock(draft, block);
  else blockRow(draft, row, reason, detail);
}

/**
 * Keeps the block of a new file that the service refused, even if the service now lists a document
 * at the file's path. The block ends only when one record names this file and this document.
 * Otherwise the refused POST would be sent again after the next incomplete list.
 */
export function keepBlockOfNewFile(draft: PlanDraft, { path, digest }: LocalFile): void {
  const block = findRememberedBlock(draft, path);
  if (block !== null && (block.digest === null || block.digest === digest)) keepBlock(draft, block);
}

/**
 * Keeps blocks of files and folders that this scan could not read, because no other rule keeps
 * them. ORDER: after all decisions.
 */
export function keepBlocksWithoutDocument(draft: PlanDraft): void {
  const { undecided, trees } = draft;
  const { base, local } = trees;
  if (base.blocks.size === 0 || (local.unseen.size === 0 && undecided.size === 0)) return;
  const hiddenFolderIds = listHiddenFolders(draft);
  for (const block of base.blocks.values()) {
    if (!isRememberedBlock(block) || draft.blocks.has(block.key) || isTriedAgain(draft, block)) continue;
    const isUnjudged = isDirId(block.key)
      ? hiddenFolderIds.has(block.key)
      : undecided.has(block.key) || isUnseenPath(trees, block.key);
    if (isUnjudged) keepBlock(draft, block);
  }
}

function listHiddenFolders({ forest }: PlanDraft): ReadonlySet<string> {
  const hiddenRows = [...forest.folders].filter(({ localSeen }) => localSeen === "unknown");
  return new Set(hiddenRows.flatMap(({ dirId }) => dirId ?? []));
}

function isUnseenPath(trees: Trees, key: string): boolean {
  if (isDocId(key) || hasFileAt(trees, key) || trees.local.folders.has(key)) return false;
  return isUnseen(key, trees);
}

/**
 * Returns true if a refused request is sent again in this cycle. Always false for a request that
 * the service does not support.
 */
function isTriedAgain({ policy }: PlanDraft, { reason }: Block): boolean {
  return policy.retryRefused && reason !== "folder-stays";
}

/**
 * Returns true, and keeps the block, if an earlier answer of the service forbids this change of a
 * folder.
 * @param key id of the folder; for a folder without a record, its local path
 * @param path current path of the folder, if the block ends when the path changes; otherwise null
 */
export function isFolderChangeForbidden(
  draft: PlanDraft,
  key: string,
  intention: FolderIntention,
  path: LocalPath | null = null,
): boolean {
  const block = draft.trees.base.blocks.get(key);
  if (block === undefined || BLOCK_REASONS[block.reason].forbidsOnFolder?.includes(intention) !== true) return false;
  if (path !== null && block.path !== path && block.reason !== "read-only") return false;
  if (isTriedAgain(draft, block)) return false;
  keepBlock(draft, block);
  return true;
}
