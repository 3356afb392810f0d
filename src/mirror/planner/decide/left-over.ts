/**
 * Replaces names that no user chose. A row that an interrupted plan left at a temporary name gets
 * its former name, or that name with the next free number. A row that has digits of its id in its
 * name, because its own name was taken, gets its own name when that is free.
 */

import type { FolderRecord, DocumentRecord } from "../../model/record.ts";
import {
  isTemporaryName,
  lastingName,
  localNameFor,
  numberedName,
  ownNameOf,
  remoteNameFor,
} from "../../model/local-name.ts";
import { type DocumentRow, idOf, nameKindOf, otherSide, pathOn, type Row, type Side, SIDES } from "../match/row.ts";
import { nameOf } from "../../../contract/path.ts";
import { DIRECTION_WITHOUT } from "./gates.ts";
import type { PlanDraft } from "./plan-draft.ts";
import { isFolderChangeForbidden, isForbidden, remainingBlock } from "./remembered.ts";

/**
 * LIMIT: numbers that are tried for a name before a row keeps its temporary name, so that the
 * search ends.
 */
const MAX_NUMBER = 99;

export function isLeftOver(draft: PlanDraft, row: Row): boolean {
  if (nameIfFree(draft, row) !== null) return true;
  return SIDES.some((side) => isTemporaryName(row[side].goal?.name ?? ""));
}

/**
 * Yields names for a row that still has a temporary name, best first. Yields none if the row may
 * not be renamed, or not yet.
 */
export function* lastingNames(draft: PlanDraft, row: Row, side: Side): Generator<string> {
  const { goal } = row[side];
  const free = side === "local" && draft.policy.direction !== "push" ? nameIfFree(draft, row) : null;
  if (free !== null) yield free;
  if (goal === null || !isTemporaryName(goal.name) || !mayBeRenamed(draft, row, side)) return;
  const other = nameOnOtherSide(row, side) ?? goal.name;
  const best = isTemporaryName(other) ? lastingName(goal.name) : other;
  for (const candidate of withNumbers(draft, best, nameKindOf(row))) {
    const name = legalName(draft, row, side, candidate);
    if (name !== null) yield name;
  }
}

function* withNumbers({ trees }: PlanDraft, name: string, kind: "file" | "folder"): Generator<string> {
  yield name;
  for (let number = 2; number <= MAX_NUMBER; number++)
    yield numberedName(name, kind, number, trees.local.disk.maxNameBytes);
}

/**
 * Returns the row's name on the other side: its planned name on that side, otherwise its name in
 * base.
 */
function nameOnOtherSide(row: Row, side: Side): string | null {
  const other = otherSide(side);
  return row[other].goal?.name ?? (row.record === null ? null : nameOf(pathOn(row.record, other)));
}

function legalName({ policy, trees }: PlanDraft, row: Row, side: Side, name: string): string | null {
  const kind = nameKindOf(row);
  return side === "local"
    ? localNameFor(name, kind, idOf(row), trees.local.disk.maxNameBytes)
    : remoteNameFor(name, kind, policy.refusedCharacters);
}

/**
 * Returns the local name that the row would have got if its place had been free when it was
 * created. A row that was moved locally, and may not stay at its new place, keeps its name.
 * Otherwise base would record the new name and lose the move.
 */
function nameIfFree({ trees }: PlanDraft, row: Row): string | null {
  if (row.record === null || SIDES.some((side) => row[side].now === null || row[side].goal === null)) return null;
  if (row.local.goal!.parent !== row.remote.goal!.parent) return null;
  const { maxNameBytes } = trees.local.disk;
  return ownNameOf(row.local.goal!.name, row.remote.goal!.name, nameKindOf(row), idOf(row), maxNameBytes);
}

function mayBeRenamed(draft: PlanDraft, row: Row, side: Side): boolean {
  const { record } = row;
  const current = row[side].now;
  if (record === null || current === null || row.local.now === null) return false;
  if (row.remote.now === null && (side === "remote" || !isOnlyLocal(row))) return false;
  if (draft.policy.direction === DIRECTION_WITHOUT[side]) return false;
  if (!isKnownOrBlocked(draft, record, side, current.name)) return false;
  if (side === "local") return true;
  return row.kind === "folder" ? mayFolderMove(draft, record.id) : mayDocumentMove(draft, row);
}

/**
 * Returns true if base already has the temporary name, or the entry is blocked. A temporary name
 * that this plan sees for the first time may come from another linked folder, which is about to
 * rename the entry again. Base records the name, and the next scan decides.
 */
function isKnownOrBlocked(draft: PlanDraft, record: DocumentRecord | FolderRecord, side: Side, name: string): boolean {
  return nameOf(pathOn(record, side)) === name || draft.blocks.has(record.id);
}

function mayFolderMove(draft: PlanDraft, id: string): boolean {
  return draft.policy.canMoveFolders && (isRootBlock(draft, id) || !isFolderChangeForbidden(draft, id, "move"));
}

function mayDocumentMove(draft: PlanDraft, row: DocumentRow): boolean {
  // A block for moves to the root does not forbid this rename, which moves no entry to the root.
  return remainingBlock(draft, row)?.reason === "no-move-to-root" || !isForbidden(draft, row, "move-remote");
}

/**
 * Returns true if a row was deleted on the service, and is blocked locally because of an edit. The
 * service then has no name for it.
 */
function isOnlyLocal(row: Row): boolean {
  if (row.kind === "folder" || row.remote.goal !== null) return false;
  return row.remote.seen.kind === "gone" || row.remote.seen.kind === "outside";
}

function isRootBlock(draft: PlanDraft, key: string): boolean {
  return draft.trees.base.blocks.get(key)?.reason === "no-move-to-root";
}
