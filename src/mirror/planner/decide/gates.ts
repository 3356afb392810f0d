import { type BlockReason, ONE_WAY_CLAUSES } from "../../model/block.ts";
import type { DocumentRecord } from "../../model/link.ts";
import type { DocumentRow, Side } from "../match/row.ts";
import type { LocalFile } from "../../model/tree.ts";
import { type ContentOfBlock, blockDocument, type PlanDraft } from "./plan-draft.ts";
import { remainingBlock } from "./remembered.ts";

/** Finds reasons to stop an action before it is proposed. Each reason leaves a block. */

/** For each side, the direction of a sync that never changes it. */
export const DIRECTION_WITHOUT = { local: "push", remote: "pull" } as const satisfies Record<Side, string>;

const TEXT_FAULTS = {
  "not-utf-8": "the file is not UTF-8",
  "contains-nul": "the file contains a NUL character",
  "too-large": "the file is longer than the service accepts",
} as const satisfies Partial<Record<BlockReason, string>>;

/**
 * Blocks content that is never sent unchanged: content that the service cannot store, and
 * unfinished merges.
 */
export function isContentBlocked(draft: PlanDraft, row: DocumentRow, localFile: LocalFile): boolean {
  const { link } = row;
  if (localFile.textFault !== null) {
    blockDocument(draft, row, localFile.textFault, TEXT_FAULTS[localFile.textFault], { digest: localFile.digest });
    return true;
  }
  if (link === null) return false;
  const text = draft.texts(localFile.digest);
  if (text === null || !hasNewMarkers(text, draft.texts(link.digest))) return false;
  blockDocument(draft, row, "conflict-markers", "the file contains conflict markers", { digest: localFile.digest });
  return true;
}

/**
 * Blocks a change in the direction that is switched off. Returns true if the change has that
 * direction.
 */
export function isDirectionOff(
  draft: PlanDraft,
  row: DocumentRow,
  off: keyof typeof ONE_WAY_CLAUSES,
  what: string,
  about?: ContentOfBlock,
): boolean {
  if (draft.policy.direction !== off) return false;
  blockDocument(draft, row, "direction-off", `${what}; ${ONE_WAY_CLAUSES[off]}`, about);
  return true;
}

/**
 * Blocks the row and returns true if somebody is editing the file, so that the service's version
 * must wait. A row has only one block; one from an earlier answer that still applies is kept.
 */
export function isInUse(draft: PlanDraft, row: DocumentRow, { path }: LocalFile, about?: ContentOfBlock): boolean {
  const why = draft.policy.inUse?.get(path);
  if (why === undefined || remainingBlock(draft, row) !== null) return false;
  blockDocument(draft, row, "in-use", why, about);
  return true;
}

/**
 * Blocks a row whose absence needs another scan. In `sync`, an absence has no effect before two
 * scans have found it.
 */
export function needsSecondScan(draft: PlanDraft, row: DocumentRow, link: DocumentRecord): boolean {
  if (draft.policy.absentTwice?.has(link.localPath) !== false) return false;
  blockDocument(draft, row, "second-scan", "absent in one scan; a second scan decides");
  return true;
}

/**
 * Returns true if content has the markers of an unfinished merge, in their order, and its base does
 * not.
 */
export function hasNewMarkers(text: string, base: string | null): boolean {
  return holdsMarkers(text) && (base === null || !holdsMarkers(base));
}

function holdsMarkers(text: string): boolean {
  // The cheap test comes first: nearly no content has a marker.
  if (!text.includes("<<<<<<< ")) return false;
  const wanted = [/^<<<<<<< /, /^=======\r?$/, /^>>>>>>> /];
  let found = 0;
  for (const line of text.split("\n")) if (found < wanted.length && wanted[found]!.test(line)) found++;
  return found === wanted.length;
}
