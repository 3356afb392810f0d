import { isMoving, type PlanRow, SIDES, setGoal } from "../match/row.ts";
import { type PlanDraft, blockRow, listRows, withdrawProposals } from "./plan-draft.ts";
import { hasLeftOverName } from "./left-over.ts";
import { type RowToBlock, type WantedPlaces, NameAssignment, type WantedPlacesByRow } from "./assign-names.ts";
import { settleFolders } from "./settle-folders.ts";

/**
 * Decides which folders to create, keep or remove. Gives each document and folder a name that no
 * other has in the same folder.
 * - If a document of the service and a local document want one path, the document of the service
 *   gets it, and the local document becomes `name-2.md`.
 * - If no name is possible, the document or folder is blocked at its current place, and all places
 *   are decided again. Each attempt blocks at least one more, so the attempts end.
 */
export function resolveNameClashes(draft: PlanDraft): void {
  const decidedPlaces: WantedPlacesByRow = new Map(listRows(draft).map((row) => [row, getPlannedPlaces(row)]));
  const wantedPlaces = new Map(decidedPlaces);
  const rowsKeptInPlace = new Set<PlanRow>();
  for (;;) {
    resetPlannedPlaces(draft, decidedPlaces, rowsKeptInPlace);
    settleFolders(draft, rowsKeptInPlace);
    const rows = listRows(draft);
    if (!rows.some((row) => isMoving(row, "local") || isMoving(row, "remote") || hasLeftOverName(draft, row))) return;
    recordWantedPlaces(rows, rowsKeptInPlace, wantedPlaces);
    const rowsToBlock = new NameAssignment(draft, rows, rowsKeptInPlace, wantedPlaces).run();
    if (rowsToBlock.length === 0) return;
    for (const rowToBlock of rowsToBlock) {
      blockInPlace(draft, rowToBlock);
      rowsKeptInPlace.add(rowToBlock.row);
    }
  }
}

function getPlannedPlaces({ local, remote }: PlanRow): WantedPlaces {
  return { local: local.goal, remote: remote.goal };
}

/**
 * Resets all planned places to those that were decided before the search for free names. A blocked
 * document or folder stays at its current place.
 */
function resetPlannedPlaces(draft: PlanDraft, decided: WantedPlacesByRow, keptInPlace: ReadonlySet<PlanRow>): void {
  for (const row of listRows(draft)) {
    const plannedPlaces = keptInPlace.has(row) ? undefined : decided.get(row);
    for (const side of SIDES) setGoal(row, side, plannedPlaces === undefined ? row[side].now : plannedPlaces[side]);
    if (row.kind === "folder") draft.proposals.delete(row);
  }
}

function recordWantedPlaces(
  rows: readonly PlanRow[],
  keptInPlace: ReadonlySet<PlanRow>,
  wantedPlaces: Map<PlanRow, WantedPlaces>,
): void {
  for (const row of rows) {
    const knownPlaces = wantedPlaces.get(row);
    const goals = getPlannedPlaces(row);
    // Adds only places that are not in the map yet: in a large plan, nearly all of them are.
    const isKnown = knownPlaces?.local === goals.local && knownPlaces.remote === goals.remote;
    if (!keptInPlace.has(row) && !isKnown) wantedPlaces.set(row, goals);
  }
}

function blockInPlace(draft: PlanDraft, { row, reason, detail }: RowToBlock): void {
  draft.moveReasons.delete(row);
  if (row.kind === "document")
    for (const role of ["before", "arrive-local", "arrive-remote"] as const) withdrawProposals(draft, row, role);
  blockRow(draft, row, reason, detail);
}
