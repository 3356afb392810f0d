import { type DocumentRow, type FolderRow, isMoving, type PlanRow, setGoal, type Side, SIDES } from "../match/row.ts";
import {
  blockRow,
  listRows,
  type PlanDraft,
  proposeAction,
  proposeFolderRecord,
  withdrawProposals,
} from "./plan-draft.ts";
import { hasLeftOverName } from "./left-over.ts";
import { NameAssignment, type RowToBlock, type WantedPlaces, type WantedPlacesByRow } from "./assign-names.ts";
import type { DirId, DocId } from "../../../contract/ids.ts";
import { findBaseFolder, findOrAddFolder } from "../match/forest.ts";
import { once } from "../../../common/once.ts";
import { depthOf, type LocalPath, parentOf } from "../../../contract/path.ts";
import { choosePathToProveAbsent } from "./absence.ts";
import { generateLocalPaths } from "../../model/left-out.ts";
import { isOnBothSides } from "./place-rows.ts";
import { deriveLocalPlace, deriveRemotePlace } from "./places.ts";
import { isFolderChangeForbidden } from "./gates.ts";

/**
 * Decides which folders to create, keep or remove. Gives each document and folder a name of its own
 * in the folder.
 * - If a document of the service and a local document want one path, the document of the service
 *   gets the path. The local document becomes `name-2.md`.
 * - If no name is possible, the document or folder is blocked at its current place, and all places
 *   are decided again. Each attempt blocks at least one more item, so the attempts end.
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
 * Resets all planned places to the places before the search for free names. A blocked document or
 * folder stays at its current place.
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
    // Only new places are added, because the map already has nearly all places of a large plan.
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

/**
 * Decides which folders to create, keep or remove. Begins with the deepest folders, because a
 * folder stays if a folder in it stays.
 * ORDER: documents come before folders, because a folder is needed if a document will be in it.
 */
function settleFolders(draft: PlanDraft, keptInPlace: ReadonlySet<PlanRow>): void {
  const contents: FolderContents = {
    local: new Set(),
    remote: new Set(),
    unseen: new Set(),
    occupied: once(() => findOccupiedFolders(draft)),
  };
  for (const document of draft.documents) {
    noteParents(contents, document);
    noteUnseenDocument(draft, document, contents);
  }
  for (const path of draft.undecided) contents.local.add(findOrAddFolder(draft.forest, "local", parentOf(path)));
  for (const folder of draft.forest.folders) if (isOnBothSides(folder)) noteParents(contents, folder);
  const foldersToSettle = [...draft.forest.folders]
    .filter((folder) => !isOnBothSides(folder))
    .sort((a, b) => getFolderDepth(b) - getFolderDepth(a) || a.key - b.key);
  for (const folder of foldersToSettle) {
    if (!keptInPlace.has(folder)) settleFolder(draft, folder, contents);
    noteParents(contents, folder);
  }
  for (const folder of draft.forest.folders) if (!keptInPlace.has(folder)) recordFolder(draft, folder);
}

/**
 * Folders that directly contain a document or folder after the plan, by side.
 * - `unseen`: folders with a document that the service did not show. Such a folder is kept, but not
 *   created.
 * - `occupied`: folders that are not empty on disk before the plan.
 */
type FolderContents = Readonly<Record<Side | "unseen", Set<FolderRow>>> & { readonly occupied: () => OccupiedFolders };

function noteParents(contents: FolderContents, row: PlanRow): void {
  for (const side of SIDES) {
    const parent = row[side].goal?.parent;
    if (parent !== undefined) contents[side].add(parent);
  }
}

/** Adds the last known folder of a document that a scan did not show. That folder must stay. */
function noteUnseenDocument(draft: PlanDraft, document: DocumentRow, contents: FolderContents): void {
  const { record } = document;
  if (record === null) return;
  if (document.local.seen.kind === "unknown") contents.local.add(findBaseFolder(draft.forest, "local", record));
  if (document.remote.seen.kind === "unseen") contents.unseen.add(findBaseFolder(draft.forest, "remote", record));
}

function getFolderDepth(folder: FolderRow): number {
  return Math.max(depthOf(folder.localPath ?? ""), depthOf(folder.remotePath ?? ""));
}

function settleFolder(draft: PlanDraft, folder: FolderRow, contents: FolderContents): void {
  if (folder === draft.forest.root || folder.localSeen === "unknown") return;
  if (folder.remoteSeen === "unknown" && folder.remotePath === null) return;
  const isOnDisk = folder.localPath !== null;
  const isOnService = folder.remotePath !== null;
  if (isOnDisk && !isOnService) settleLocalFolder(draft, folder, contents);
  else if (!isOnDisk && isOnService) settleRemoteFolder(draft, folder, contents);
  else if (!isOnDisk && folder.record !== null) forgetFolder(draft, folder);
}

/** Decides about a folder that is new locally, or was deleted on the service. */
function settleLocalFolder(draft: PlanDraft, folder: FolderRow, contents: FolderContents): void {
  if (contents.remote.has(folder)) {
    proposeRemoteFolder(draft, folder, contents);
    return;
  }
  // The listing did not show a document of this folder, so the folder may exist on the service. A
  // second POST would make a second folder, or be refused in every cycle (I08).
  if (contents.unseen.has(folder)) return;
  if (folder.isVacated) decideVacatedFolder(draft, folder, contents);
  else if (folder.record !== null) decideLocalRemoval(draft, folder, folder.record.id, contents);
  else proposeRemoteFolder(draft, folder, contents);
}

function decideVacatedFolder(draft: PlanDraft, folder: FolderRow, contents: FolderContents): void {
  if (!isLeftEmpty(folder, contents) || draft.policy.direction === "push") return;
  proposeLocalRemoval(draft, folder, null, "its content is in the folder on the service");
}

function decideLocalRemoval(draft: PlanDraft, folder: FolderRow, dirId: DirId, contents: FolderContents): void {
  const isToBeRemoved = folder.remoteSeen === "gone" && isLeftEmpty(folder, contents);
  if (isToBeRemoved && draft.policy.direction !== "push")
    proposeLocalRemoval(draft, folder, dirId, "no longer on the service");
  else forgetFolder(draft, folder);
}

/**
 * Returns true if a folder will contain only leftovers of editors and desktops, such as
 * `.DS_Store`. Files that are not synced count as content.
 */
function isLeftEmpty(folder: FolderRow, contents: FolderContents): boolean {
  const path = folder.localPath!;
  return !contents.occupied().foreign.has(path) && !contents.local.has(folder);
}

function proposeLocalRemoval(draft: PlanDraft, folder: FolderRow, dirId: DirId | null, why: string): void {
  setGoal(folder, "local", null);
  proposeAction(draft, folder, "leave-local", (at) => ({
    kind: "remove-folder-local",
    why,
    dirId,
    localPath: at.local,
  }));
}

function proposeRemoteFolder(draft: PlanDraft, folder: FolderRow, contents: FolderContents): void {
  const path = folder.localPath!;
  const hasForeignFiles = contents.occupied().foreign.has(path);
  const wantedPlace = deriveRemotePlace(draft, folder);
  if (wantedPlace.kind === "impossible") {
    if (!hasForeignFiles || contents.remote.has(folder))
      blockRow(draft, folder, wantedPlace.reason, wantedPlace.detail);
    return;
  }
  const isEmpty = !hasForeignFiles && !contents.occupied().mirrored.has(path);
  if (!contents.remote.has(folder) && !isEmpty) return;
  if (isCreationForbidden(draft, folder, path)) return;
  const isNew = folder.record === null;
  if (!isNew) forgetFolder(draft, folder);
  setGoal(folder, "remote", wantedPlace.place);
  const reasonClause = isNew ? "created locally" : "no longer on the service, but new documents are in it";
  proposeAction(draft, folder, "arrive-remote", (paths) => ({
    kind: "make-folder-remote",
    why: reasonClause,
    localPath: paths.local,
    remotePath: paths.remote,
  }));
}

function isCreationForbidden(draft: PlanDraft, folder: FolderRow, path: LocalPath): boolean {
  // mdmirror sent a POST of this folder earlier, with an unknown result. A second POST could make a
  // second folder (I08).
  const unreadReason = draft.trees.local.unseen.get(path);
  if (unreadReason !== undefined) {
    blockRow(draft, folder, "not-seen", unreadReason.why);
    return true;
  }
  return draft.policy.direction === "pull" || isFolderChangeForbidden(draft, path, "make");
}

/** Decides about a folder that is new on the service, or was deleted locally. */
function settleRemoteFolder(draft: PlanDraft, folder: FolderRow, contents: FolderContents): void {
  if (contents.local.has(folder) || folder.record === null) proposeLocalFolder(draft, folder, contents);
  else if (!contents.remote.has(folder) && !contents.unseen.has(folder)) proposeRemoteRemoval(draft, folder);
}

function proposeRemoteRemoval(draft: PlanDraft, folder: FolderRow): void {
  const { dirId } = folder;
  if (dirId === null || draft.policy.direction === "pull") return;
  if (isFolderChangeForbidden(draft, dirId, "remove")) return;
  setGoal(folder, "remote", null);
  proposeAction(draft, folder, "leave-remote", (paths) => ({
    kind: "remove-folder-remote",
    why: "deleted locally",
    dirId,
    localPath: choosePathToProveAbsent(draft, folder),
    remotePath: paths.remote,
  }));
}

function proposeLocalFolder(draft: PlanDraft, folder: FolderRow, contents: FolderContents): void {
  const { record, dirId } = folder;
  // If only a document's path shows this folder on the service, the folder is created together with
  // the document.
  if (!contents.local.has(folder) && dirId === null) return;
  const wantedPlace = deriveLocalPlace(draft, folder);
  if (wantedPlace.kind === "impossible") {
    if (wantedPlace.reason !== "suspended") blockRow(draft, folder, wantedPlace.reason, wantedPlace.detail);
    return;
  }
  if (draft.policy.direction === "push") return;
  setGoal(folder, "local", wantedPlace.place);
  if (dirId === null) return;
  const reasonClause = record === null ? "new on the service" : "deleted locally, but documents are in it";
  const carriedIds = record === null ? [] : listDeletedDocuments(draft, folder);
  proposeAction(draft, folder, "arrive-local", (paths) => ({
    kind: "make-folder-local",
    why: reasonClause,
    dirId,
    localPath: paths.local,
    remotePath: paths.remote,
    carries: carriedIds,
  }));
}

function listDeletedDocuments({ forest, documents }: PlanDraft, folder: FolderRow): DocId[] {
  const isDeleted = ({ record, local }: DocumentRow) =>
    record !== null && local.goal === null && findBaseFolder(forest, "local", record) === folder;
  return documents.filter(isDeleted).map(({ record }) => record!.id);
}

function forgetFolder(draft: PlanDraft, folder: FolderRow): void {
  const dirId = folder.replaced ?? folder.record!.id;
  proposeAction(draft, folder, "before", () => ({ kind: "forget-folder", why: "no longer on the service", dirId }));
}

function recordFolder(draft: PlanDraft, folder: FolderRow): void {
  const { dirId } = folder;
  if (dirId === null || !isOnBothSides(folder) || folder === draft.forest.root) return;
  if (folder.replaced !== null) forgetFolder(draft, folder);
  if (!differsFromBase(draft, folder)) return;
  const reasonClause = draft.moveReasons.get(folder) ?? "on both sides";
  // If another folder was merged into this folder, base still has the other folder's documents at
  // their old paths. Each of these documents gets a step of its own, so this step changes no record
  // below the folder.
  proposeFolderRecord(draft, folder, { dirId, why: reasonClause, carries: folder.isMerged ? [] : null });
}

function differsFromBase(draft: PlanDraft, folder: FolderRow): boolean {
  return folder.record === null || folder.replaced !== null || folder.isPathTaken || draft.moveReasons.has(folder);
}

type OccupiedFolders = { readonly mirrored: ReadonlySet<string>; readonly foreign: ReadonlySet<string> };

/**
 * Returns the folders on disk that contain more than leftovers of editors and desktops, such as
 * `.DS_Store`. Files that are not synced count as content.
 */
function findOccupiedFolders(draft: PlanDraft): OccupiedFolders {
  const parentsOfSynced = new Set<string>();
  const parentsOfForeign = new Set<string>();
  const { folders, others } = draft.trees.local;
  for (const path of generateLocalPaths(draft.trees)) parentsOfSynced.add(parentOf(path));
  for (const path of folders.keys()) parentsOfSynced.add(parentOf(path));
  for (const entry of others.values()) if (entry.kind !== "litter") parentsOfForeign.add(parentOf(entry.path));
  return { mirrored: parentsOfSynced, foreign: parentsOfForeign };
}
