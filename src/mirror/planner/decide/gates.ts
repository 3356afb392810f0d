/** Checks whether an action may be proposed. If not, blocks the document or folder. */
import { isDirId, isDocId } from "../../../contract/ids.ts";
import {
  BLOCK_REASONS,
  type BlockReason,
  type DocumentIntention,
  type FolderIntention,
  isRememberedBlock,
  ONE_WAY_SYNC_CLAUSES,
} from "../../model/block.ts";
import type { Block, DocumentRecord } from "../../model/record.ts";
import { type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import { hasFileAt } from "../../model/left-out.ts";
import type { DocumentRow, Side } from "../match/row.ts";
import { isUnseen } from "../match/evidence.ts";
import type { LocalFile, Trees } from "../../model/tree.ts";
import { type BlockedContent, blockRow, findPathOfRow, keepBlock, type PlanDraft, toBlockKey } from "./plan-draft.ts";
import { hasConflictMarkers } from "../../../markdown/merge/sound.ts";

/**
 * Returns the block from an earlier answer of the service; null if there is none, or if this cycle
 * sends refused requests again.
 */
function findRememberedBlock({ trees, policy }: PlanDraft, key: string): Block | null {
  const block = trees.base.blocks.get(key);
  return block === undefined || !isRememberedBlock(block) || policy.retryRefused ? null : block;
}

/**
 * Returns the block from an earlier answer of the service. Null if the block has ended, because the
 * document's content, version or path has changed.
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
 * local move does not give the key a grant.
 */
function findBlockOfPlace(draft: PlanDraft, block: Block, row: DocumentRow): Block | null {
  const path = findPathOfRow(row);
  const isAtBasePath = block.reason === "read-only" && block.path === row.record?.localPath;
  if (block.path === path || isAtBasePath) return block;
  return isSameMove(draft, block, row, path) ? { ...block, path } : null;
}

/**
 * Returns true if the move would repeat the refused request unchanged (I08). A request contains
 * either the new name or the id of the new folder. The folder's paths in base and in its block are
 * compared too, because the folder itself may have moved since the refusal.
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
  // Without the grant to edit, mdmirror still merges other users' edits into the local file. But a
  // refused merge is not repeated for the same version.
  if (block.reason === "read-only" && intention === "merge" && block.changeId === null) return false;
  keepBlock(draft, block);
  return true;
}

/**
 * Blocks a document that one side did not show. Keeps the block of a refused request, because
 * mdmirror would otherwise send the request again (I08). An incomplete listing cannot show that
 * such a block has ended (I22).
 */
export function blockUnseenDocument(draft: PlanDraft, row: DocumentRow, reason: BlockReason, detail: string): void {
  const block = draft.trees.base.blocks.get(toBlockKey(row));
  // A block with the reason `gone-or-unreadable` stays even if this cycle sends refused requests
  // again. No request ends such a block: each scan checks whether the document is gone.
  const isGone = block?.reason === "gone-or-unreadable";
  if (block !== undefined && (isGone || (isRememberedBlock(block) && !draft.policy.retryRefused)))
    keepBlock(draft, block);
  else blockRow(draft, row, reason, detail);
}

/**
 * Keeps the block of a new file that the service refused, even if the service now lists a document
 * at the file's path. Without the block, mdmirror would send the refused POST again after the next
 * incomplete listing. The block ends when one record has both this file and this document.
 */
export function keepBlockOfNewFile(draft: PlanDraft, { path, digest }: LocalFile): void {
  const block = findRememberedBlock(draft, path);
  if (block !== null && (block.digest === null || block.digest === digest)) keepBlock(draft, block);
}

/**
 * Keeps blocks of files and folders that this scan could not read, because no other rule keeps
 * these blocks.
 * ORDER: called after all other decisions, which may keep or replace the same blocks.
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
 * Returns true if this cycle sends the refused request again. Always false for a request that the
 * service does not support.
 */
function isTriedAgain({ policy }: PlanDraft, { reason }: Block): boolean {
  return policy.retryRefused && reason !== "folder-stays";
}

/**
 * Returns true, and keeps the block, if an earlier answer of the service forbids this change of a
 * folder.
 * @param key id of the folder; for a folder without a record, its local path
 * @param path current path of the folder; null if a change of the path does not end the block
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

/** For each side, the direction of a sync that never changes this side. */
export const DIRECTION_NEVER_CHANGING = { local: "push", remote: "pull" } as const satisfies Record<Side, string>;

const TEXT_FAULTS = {
  "not-utf-8": "the file is not UTF-8",
  "contains-nul": "the file contains a NUL character",
  "too-large": "the file is longer than the service accepts",
} as const satisfies Partial<Record<BlockReason, string>>;

/**
 * Blocks a document if the service cannot store the local content, or if the content has new
 * conflict markers.
 */
export function isContentBlocked(draft: PlanDraft, row: DocumentRow, localFile: LocalFile): boolean {
  const { record } = row;
  if (localFile.textFault !== null) {
    blockRow(draft, row, localFile.textFault, TEXT_FAULTS[localFile.textFault], { digest: localFile.digest });
    return true;
  }
  if (record === null) return false;
  const text = draft.texts(localFile.digest);
  if (text === null || !hasNewConflictMarkers(text, draft.texts(record.digest))) return false;
  blockRow(draft, row, "conflict-markers", "the file contains conflict markers", { digest: localFile.digest });
  return true;
}

/**
 * Blocks a document whose change this sync must not make, because the sync has only one direction.
 * The block has the digest of the local content. So an edit that mdmirror does not send identifies
 * the document's file, even if the file or its folder moves.
 * @param direction the direction that never makes this change
 */
export function isDirectionOff(
  draft: PlanDraft,
  row: DocumentRow,
  direction: keyof typeof ONE_WAY_SYNC_CLAUSES,
  change: string,
  context?: BlockedContent,
): boolean {
  if (draft.policy.direction !== direction) return false;
  const digest = row.local.seen.kind === "present" ? row.local.seen.value.digest : null;
  blockRow(draft, row, "direction-off", `${change}; ${ONE_WAY_SYNC_CLAUSES[direction]}`, { digest, ...context });
  return true;
}

/**
 * Blocks a document while somebody is editing its file. A block from an earlier answer of the
 * service stays, and no second block is added.
 */
export function isInUse(draft: PlanDraft, row: DocumentRow, { path }: LocalFile, context?: BlockedContent): boolean {
  const reasonClause = draft.policy.inUse?.get(path);
  if (reasonClause === undefined || findRemainingBlock(draft, row) !== null) return false;
  blockRow(draft, row, "in-use", reasonClause, context);
  return true;
}

/** Blocks a missing document until a second scan confirms the deletion of its file. */
export function needsSecondScan(draft: PlanDraft, row: DocumentRow, record: DocumentRecord): boolean {
  if (draft.policy.absentTwice?.has(record.localPath) !== false) return false;
  blockRow(draft, row, "second-scan", "absent in one scan; a second scan decides");
  return true;
}

/** Returns true if content has conflict markers that its base version does not have. */
export function hasNewConflictMarkers(text: string, base: string | null): boolean {
  return hasConflictMarkers(text) && (base === null || !hasConflictMarkers(base));
}
