/** Checks whether an action may be proposed. If it may not, blocks the document or folder. */

import { hasConflictMarkers } from "../../../markdown/merge/sound.ts";
import { type BlockReason, ONE_WAY_SYNC_CLAUSES } from "../../model/block.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { DocumentRow, Side } from "../match/row.ts";
import type { LocalFile } from "../../model/tree.ts";
import { type BlockedContent, blockRow, type PlanDraft } from "./plan-draft.ts";
import { findRemainingBlock } from "./remembered.ts";

/** For each side, the direction of a sync that never changes this side. */
export const DIRECTION_NEVER_CHANGING = { local: "push", remote: "pull" } as const satisfies Record<Side, string>;

const TEXT_FAULTS = {
  "not-utf-8": "the file is not UTF-8",
  "contains-nul": "the file contains a NUL character",
  "too-large": "the file is longer than the service accepts",
} as const satisfies Partial<Record<BlockReason, string>>;

/**
 * Blocks a document if the service cannot store its local content, or if the content has new
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
 * Blocks a document whose change this sync must not make, because the sync has one direction only.
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
  blockRow(draft, row, "direction-off", `${change}; ${ONE_WAY_SYNC_CLAUSES[direction]}`, context);
  return true;
}

/**
 * Blocks a document while somebody is editing its file. If the document has a block from an earlier
 * answer of the service, that block stays instead.
 */
export function isInUse(draft: PlanDraft, row: DocumentRow, { path }: LocalFile, context?: BlockedContent): boolean {
  const reasonClause = draft.policy.inUse?.get(path);
  if (reasonClause === undefined || findRemainingBlock(draft, row) !== null) return false;
  blockRow(draft, row, "in-use", reasonClause, context);
  return true;
}

/** Blocks a missing document until a second scan confirms that its file was deleted. */
export function needsSecondScan(draft: PlanDraft, row: DocumentRow, record: DocumentRecord): boolean {
  if (draft.policy.absentTwice?.has(record.localPath) !== false) return false;
  blockRow(draft, row, "second-scan", "absent in one scan; a second scan decides");
  return true;
}

/** Returns true if content has conflict markers that its base version does not have. */
export function hasNewConflictMarkers(text: string, base: string | null): boolean {
  return hasConflictMarkers(text) && (base === null || !hasConflictMarkers(base));
}
