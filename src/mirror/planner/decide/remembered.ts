import { isDirId, isDocId } from "../../../contract/ids.ts";
import {
  type FolderIntention,
  BLOCK_REASONS,
  type BlockReason,
  type Intention,
  isRemembered,
} from "../../model/block.ts";
import type { Block } from "../../model/record.ts";
import { type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import { hasFileAt } from "../../model/left-out.ts";
import type { DocumentRow } from "../match/row.ts";
import { isUnseen } from "../match/unseen.ts";
import type { LocalFile, Trees } from "../../model/tree.ts";
import { type PlanDraft, blockRow, keepBlock, keyOf, pathOfRow } from "./plan-draft.ts";

/**
 * Returns the block from an earlier answer of the service, unless the refused request is to be sent
 * again.
 */
function rememberedBlock({ trees, policy }: PlanDraft, key: string): Block | null {
  const block = trees.base.blocks.get(key);
  return block === undefined || !isRemembered(block) || policy.retryRefused ? null : block;
}

/**
 * Returns the remembered block of a document, if the document still has the content, version and
 * path to which the block applies; otherwise null.
 */
export function remainingBlock(draft: PlanDraft, row: DocumentRow): Block | null {
  const block = rememberedBlock(draft, keyOf(row));
  if (block === null) return null;
  if (block.digest === null && block.changeId === null) return blockOfPlace(draft, block, row);
  const local = row.local.seen.kind === "present" ? row.local.seen.value.digest : null;
  const remote = row.remote.seen.kind === "present" ? row.remote.seen.file.changeId : null;
  const isSameText = block.digest === null || block.digest === local;
  return isSameText && (block.changeId === null || block.changeId === remote) ? block : null;
}

/**
 * Returns the block if it applies to the row's current path. A block that concerns neither content
 * nor a version concerns the path, so another path ends it. A refusal for a missing grant applies
 * at any path.
 */
function blockOfPlace(draft: PlanDraft, block: Block, row: DocumentRow): Block | null {
  const path = pathOfRow(row);
  const isAtBase = block.reason === "read-only" && block.path === row.record?.localPath;
  if (block.path === path || isAtBase) return block;
  return isSameMove(draft, block, row, path) ? { ...block, path } : null;
}

/**
 * Returns true if the refused request would be sent again unchanged (I08). The request is unchanged
 * if the document gets the same name, or moves into the same folder: the request contains the id of
 * that folder. The folder may have moved since the refusal. It was then at base's path, or at the
 * path of its own blocked move.
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
  const folder = local.now?.parent.record?.id;
  const { dirs, blocks } = trees.base;
  return (
    folder !== undefined && [dirs.get(folder)?.localPath, blocks.get(folder)?.path].includes(parentOf(blockedPath))
  );
}

/**
 * Returns true if an earlier answer of the service forbids an action, and keeps the block of that
 * answer.
 */
export function isForbidden(draft: PlanDraft, row: DocumentRow, intention: Intention): boolean {
  const block = remainingBlock(draft, row);
  if (block === null || BLOCK_REASONS[block.reason].forbids?.includes(intention) !== true) return false;
  // Without the grant to edit, edits of other users are still merged locally: only the merge with
  // the version that failed is not tried again.
  if (block.reason === "read-only" && intention === "merge" && block.changeId === null) return false;
  keepBlock(draft, block);
  return true;
}

/**
 * Blocks a document that one side did not show. A block from a refusal stays until a scan shows
 * whether it still applies (I22): an incomplete listing must not end it, because the write would
 * then be sent again unchecked (I08).
 */
export function blockUnseen(draft: PlanDraft, row: DocumentRow, reason: BlockReason, detail: string): void {
  const block = draft.trees.base.blocks.get(keyOf(row));
  // This block stays even if refused writes are retried: each scan checks again whether the
  // document is gone.
  const isGone = block?.reason === "gone-or-unreadable";
  if (block !== undefined && (isGone || (isRemembered(block) && !draft.policy.retryRefused))) keepBlock(draft, block);
  else blockRow(draft, row, reason, detail);
}

/**
 * Keeps the block of a new file that the service refused, although the service now shows a document
 * at its path. The block stays until base has recorded the two as one: the next listing may be
 * incomplete, and the POST must not be sent again then.
 */
export function keepBlockOfNewFile(draft: PlanDraft, { path, digest }: LocalFile): void {
  const block = rememberedBlock(draft, path);
  if (block !== null && (block.digest === null || block.digest === digest)) keepBlock(draft, block);
}

/**
 * Keeps blocks without a document in base: that of a folder that the scan could not read, and that
 * of a new file or folder (blocked by its path). Called after all decisions.
 */
export function keepBlocksWithoutDocument(draft: PlanDraft): void {
  const { undecided, trees } = draft;
  const { base, local } = trees;
  if (base.blocks.size === 0 || (local.unseen.size === 0 && undecided.size === 0)) return;
  const hidden = hiddenFolders(draft);
  for (const block of base.blocks.values()) {
    if (!isRemembered(block) || draft.blocks.has(block.key) || isTriedAgain(draft, block)) continue;
    const isUnjudged = isDirId(block.key)
      ? hidden.has(block.key)
      : undecided.has(block.key) || isUnseenPath(trees, block.key);
    if (isUnjudged) keepBlock(draft, block);
  }
}

/** Returns ids of folders that the scan could not read. */
function hiddenFolders({ forest }: PlanDraft): ReadonlySet<string> {
  const hidden = [...forest.folders].filter(({ localSeen }) => localSeen === "unknown");
  return new Set(hidden.flatMap(({ dirId }) => dirId ?? []));
}

function isUnseenPath(trees: Trees, key: string): boolean {
  if (isDocId(key) || hasFileAt(trees, key) || trees.local.folders.has(key)) return false;
  return isUnseen(key, trees);
}

/**
 * Returns true if the request that led to a block is sent again. A request is not sent again if the
 * service has no such endpoint.
 */
function isTriedAgain({ policy }: PlanDraft, { reason }: Block): boolean {
  return policy.retryRefused && reason !== "folder-stays";
}

/**
 * Returns true if an earlier answer forbids this change of a folder. The block stays until the
 * change is no longer wanted, or is tried again.
 * @param key the id, or the local path of a folder that has no record yet
 * @param path current path of a recorded folder: a refusal that concerns its place ends when the
 * folder has another path
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
