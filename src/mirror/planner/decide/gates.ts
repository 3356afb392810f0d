/** Finds reasons why an action may not be proposed. Each reason leaves a block. */

import { type BlockReason, ONE_WAY_CLAUSES } from "../../model/block.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { DocumentRow, Side } from "../match/row.ts";
import type { LocalFile } from "../../model/tree.ts";
import { type ContentOfBlock, blockRow, type PlanDraft } from "./plan-draft.ts";
import { remainingBlock } from "./remembered.ts";

/** For each side, the direction of a sync that never changes it. */
export const DIRECTION_WITHOUT = { local: "push", remote: "pull" } as const satisfies Record<Side, string>;

const TEXT_FAULTS = {
  "not-utf-8": "the file is not UTF-8",
  "contains-nul": "the file contains a NUL character",
  "too-large": "the file is longer than the service accepts",
} as const satisfies Partial<Record<BlockReason, string>>;

/**
 * Returns true, and blocks the row, if its content must not be sent: the service cannot store it,
 * or it has new conflict markers.
 */
export function isContentBlocked(draft: PlanDraft, row: DocumentRow, localFile: LocalFile): boolean {
  const { record } = row;
  if (localFile.textFault !== null) {
    blockRow(draft, row, localFile.textFault, TEXT_FAULTS[localFile.textFault], { digest: localFile.digest });
    return true;
  }
  if (record === null) return false;
  const text = draft.texts(localFile.digest);
  if (text === null || !hasNewMarkers(text, draft.texts(record.digest))) return false;
  blockRow(draft, row, "conflict-markers", "the file contains conflict markers", { digest: localFile.digest });
  return true;
}

/** Returns true, and blocks the row, if the sync never makes changes in this direction. */
export function isDirectionOff(
  draft: PlanDraft,
  row: DocumentRow,
  direction: keyof typeof ONE_WAY_CLAUSES,
  change: string,
  context?: ContentOfBlock,
): boolean {
  if (draft.policy.direction !== direction) return false;
  blockRow(draft, row, "direction-off", `${change}; ${ONE_WAY_CLAUSES[direction]}`, context);
  return true;
}

/**
 * Returns true, and blocks the row, if somebody is editing the file, so that the service's version
 * must wait. A row has only one block; a block from an earlier answer of the service stays if it
 * still applies.
 */
export function isInUse(draft: PlanDraft, row: DocumentRow, { path }: LocalFile, context?: ContentOfBlock): boolean {
  const why = draft.policy.inUse?.get(path);
  if (why === undefined || remainingBlock(draft, row) !== null) return false;
  blockRow(draft, row, "in-use", why, context);
  return true;
}

/**
 * Returns true, and blocks the row, if its absence needs another scan. In `sync`, an absence has no
 * effect before two scans have found it.
 */
export function needsSecondScan(draft: PlanDraft, row: DocumentRow, record: DocumentRecord): boolean {
  if (draft.policy.absentTwice?.has(record.localPath) !== false) return false;
  blockRow(draft, row, "second-scan", "absent in one scan; a second scan decides");
  return true;
}

/**
 * Returns true if content has the markers of an unfinished merge, in their order, and its base does
 * not.
 */
export function hasNewMarkers(text: string, base: string | null): boolean {
  return hasMarkers(text) && (base === null || !hasMarkers(base));
}

function hasMarkers(text: string): boolean {
  // This cheap test comes first, because nearly no content has a conflict marker.
  if (!text.includes("<<<<<<< ")) return false;
  const markers = [/^<<<<<<< /, /^=======\r?$/, /^>>>>>>> /];
  let found = 0;
  for (const line of text.split("\n")) if (found < markers.length && markers[found]!.test(line)) found++;
  return found === markers.length;
}
