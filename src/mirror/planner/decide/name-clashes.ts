import { isMoving, type Row, SIDES, setGoal } from "../match/row.ts";
import { type PlanDraft, blockRow, rowsOf, withdraw } from "./plan-draft.ts";
import { isLeftOver } from "./left-over.ts";
import { type RowToBlock, type WantedPlaces, NameAssignment, type Wishes } from "./assign-names.ts";
import { settleFolders } from "./settle-folders.ts";

/**
 * Decides which folders to create, keep or remove, and gives each document and folder a name of its
 * own. If two of them want one path, the document of the service keeps it, and the local document
 * becomes `name-2.md`. If no name is possible, blocks the document or folder at its current place
 * and decides all places again. The rounds end, because each blocks at least one more.
 */
export function resolveNameClashes(draft: PlanDraft): void {
  const decided: Wishes = new Map(rowsOf(draft).map((row) => [row, goalsOf(row)]));
  const wishes = new Map(decided);
  const keptInPlace = new Set<Row>();
  for (;;) {
    setGoals(draft, decided, keptInPlace);
    settleFolders(draft, keptInPlace);
    const rows = rowsOf(draft);
    if (!rows.some((row) => isMoving(row, "local") || isMoving(row, "remote") || isLeftOver(draft, row))) return;
    recordWishes(rows, keptInPlace, wishes);
    const rowsToBlock = new NameAssignment(draft, rows, keptInPlace, wishes).run();
    if (rowsToBlock.length === 0) return;
    for (const rowToBlock of rowsToBlock) {
      blockInPlace(draft, rowToBlock);
      keptInPlace.add(rowToBlock.row);
    }
  }
}

function goalsOf({ local, remote }: Row): WantedPlaces {
  return { local: local.goal, remote: remote.goal };
}

/**
 * Resets all planned places to those that were decided before this function. A blocked document or
 * folder is planned at its current place.
 */
function setGoals(draft: PlanDraft, decided: Wishes, keptInPlace: ReadonlySet<Row>): void {
  for (const row of rowsOf(draft)) {
    const goals = keptInPlace.has(row) ? undefined : decided.get(row);
    for (const side of SIDES) setGoal(row, side, goals === undefined ? row[side].now : goals[side]);
    if (row.kind === "folder") draft.proposals.delete(row);
  }
}

function recordWishes(rows: readonly Row[], keptInPlace: ReadonlySet<Row>, wishes: Map<Row, WantedPlaces>): void {
  for (const row of rows) {
    const known = wishes.get(row);
    const goals = goalsOf(row);
    // Stores only new places, because in a large plan nearly all of them are already stored.
    const isKnown = known?.local === goals.local && known.remote === goals.remote;
    if (!keptInPlace.has(row) && !isKnown) wishes.set(row, goals);
  }
}

function blockInPlace(draft: PlanDraft, { row, reason, detail }: RowToBlock): void {
  draft.moveReasons.delete(row);
  if (row.kind === "document")
    for (const role of ["before", "arrive-local", "arrive-remote"] as const) withdraw(draft, row, role);
  blockRow(draft, row, reason, detail);
}
