/**
 * Restores names after mdmirror had to use other names.
 * - A temporary name comes from an interrupted plan. The document or folder gets its former name,
 *   or that name with a number.
 * - A name with digits of the id was used because another item had the original name. The original
 *   name is restored when it is free.
 */

import type { FolderRecord, DocumentRecord } from "../../model/record.ts";
import {
  findOriginalName,
  isTemporaryName,
  makeNumberedName,
  toLocalName,
  toOriginalName,
  toRemoteName,
} from "../../model/names.ts";
import {
  type DocumentRow,
  toUniqueId,
  getNameKind,
  otherSide,
  getPathOnSide,
  type PlanRow,
  type Side,
  SIDES,
} from "../match/row.ts";
import { nameOf } from "../../../contract/path.ts";
import { DIRECTION_NEVER_CHANGING, findRemainingBlock, isFolderChangeForbidden, isForbidden } from "./gates.ts";
import type { PlanDraft } from "./plan-draft.ts";

/**
 * LIMIT: highest number in a name (`note-99.md`), so that the search for a free name ends. If no
 * name up to this number is free, the temporary name stays.
 */
export const MAX_NAME_NUMBER = 99;

export function hasLeftOverName(draft: PlanDraft, row: PlanRow): boolean {
  if (findNameIfFree(draft, row) !== null) return true;
  return SIDES.some((side) => isTemporaryName(row[side].goal?.name ?? ""));
}

/**
 * Yields permanent names for a document or folder, the best name first; none if the item may not be
 * renamed.
 */
export function* generateLastingNames(draft: PlanDraft, row: PlanRow, side: Side): Generator<string> {
  const { goal } = row[side];
  const freeName = side === "local" && draft.policy.direction !== "push" ? findNameIfFree(draft, row) : null;
  if (freeName !== null) yield freeName;
  if (goal === null || !isTemporaryName(goal.name) || !mayBeRenamed(draft, row, side)) return;
  const otherSidesName = findNameOnOtherSide(row, side) ?? goal.name;
  const bestName = isTemporaryName(otherSidesName) ? toOriginalName(goal.name) : otherSidesName;
  for (const candidate of generateNumberedNames(draft, bestName, getNameKind(row))) {
    const name = toLegalName(draft, row, side, candidate);
    if (name !== null) yield name;
  }
}

function* generateNumberedNames({ trees }: PlanDraft, name: string, kind: "file" | "folder"): Generator<string> {
  yield name;
  for (let number = 2; number <= MAX_NAME_NUMBER; number++)
    yield makeNumberedName(name, kind, number, trees.local.disk.maxNameBytes);
}

function findNameOnOtherSide(row: PlanRow, side: Side): string | null {
  const oppositeSide = otherSide(side);
  return row[oppositeSide].goal?.name ?? (row.record === null ? null : nameOf(getPathOnSide(row.record, oppositeSide)));
}

function toLegalName({ policy, trees }: PlanDraft, row: PlanRow, side: Side, name: string): string | null {
  const kind = getNameKind(row);
  return side === "local"
    ? toLocalName(name, kind, toUniqueId(row), trees.local.disk.maxNameBytes)
    : toRemoteName(name, kind, policy.refusedCharacters);
}

/**
 * Returns the original local name of a document or folder that has digits of the id in its name.
 * Returns null if the item already has the original name.
 *
 * Also null if the item's folders on the two sides do not correspond. Otherwise base would get the
 * new name, and the user's move to another folder would be lost.
 */
function findNameIfFree({ trees }: PlanDraft, row: PlanRow): string | null {
  if (row.record === null || SIDES.some((side) => row[side].now === null || row[side].goal === null)) return null;
  if (row.local.goal!.parent !== row.remote.goal!.parent) return null;
  const { maxNameBytes } = trees.local.disk;
  return findOriginalName(row.local.goal!.name, row.remote.goal!.name, getNameKind(row), toUniqueId(row), maxNameBytes);
}

function mayBeRenamed(draft: PlanDraft, row: PlanRow, side: Side): boolean {
  const { record } = row;
  const currentPlace = row[side].now;
  if (record === null || currentPlace === null || row.local.now === null) return false;
  if (row.remote.now === null && (side === "remote" || !isOnlyLocal(row))) return false;
  if (draft.policy.direction === DIRECTION_NEVER_CHANGING[side]) return false;
  if (!isKnownOrBlocked(draft, record, side, currentPlace.name)) return false;
  if (side === "local") return true;
  return row.kind === "folder" ? mayFolderMove(draft, record.id) : mayDocumentMove(draft, row);
}

/**
 * Returns true if base has the temporary name, or if the document or folder is blocked. A temporary
 * name that base lacks may come from another linked folder, which may be about to replace the name.
 * This plan then only records the name, and the next plan decides.
 */
function isKnownOrBlocked(draft: PlanDraft, record: DocumentRecord | FolderRecord, side: Side, name: string): boolean {
  return nameOf(getPathOnSide(record, side)) === name || draft.blocks.has(record.id);
}

function mayFolderMove(draft: PlanDraft, id: string): boolean {
  return draft.policy.canMoveFolders && (isRootBlock(draft, id) || !isFolderChangeForbidden(draft, id, "move"));
}

function mayDocumentMove(draft: PlanDraft, row: DocumentRow): boolean {
  // The block `no-move-to-root` does not prevent this rename, because the document stays in its
  // folder.
  return findRemainingBlock(draft, row)?.reason === "no-move-to-root" || !isForbidden(draft, row, "move-remote");
}

/**
 * Returns true if a document with a local file was deleted on the service, or moved out of the
 * linked part of the workspace. The service then has no name for the document.
 */
function isOnlyLocal(row: PlanRow): boolean {
  if (row.kind === "folder" || row.remote.goal !== null) return false;
  return row.remote.seen.kind === "gone" || row.remote.seen.kind === "outside";
}

function isRootBlock(draft: PlanDraft, key: string): boolean {
  return draft.trees.base.blocks.get(key)?.reason === "no-move-to-root";
}
