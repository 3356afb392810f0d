import { PLACE_RULES, type PlaceRule, type PlaceDrift } from "./table.ts";
import {
  isNamePair,
  isTemporaryName,
  isUnsafeName,
  toLocalName,
  toOriginalName,
  toRemoteName,
} from "../../model/names.ts";
import type { BlockReason } from "../../model/block.ts";
import {
  type FolderRow,
  toUniqueId,
  getNameKind,
  otherSide,
  getPathOnSide,
  type Place,
  type PlanRow,
  isSamePlace,
  type Side,
} from "../match/row.ts";
import { joinPath, type LocalPath, nameOf, parentOf, type RemotePath } from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import { findBaseFolder, type FolderForest } from "../match/forest.ts";
import { whyHidden } from "../match/evidence.ts";
import { describeExclusion, type PlanDraft } from "./plan-draft.ts";
import { isFolderChangeForbidden } from "./gates.ts";

/**
 * Place on one side that corresponds to a place on the other side, or the reason why no place does.
 */
type WantedPlace = { readonly kind: "place"; readonly place: Place } | ImpossiblePlace;

type ImpossiblePlace = { readonly kind: "impossible"; readonly reason: BlockReason; readonly detail: string };

/**
 * Returns the local place that corresponds to a place on the service. If only a folder above moved,
 * the local name keeps its spelling.
 */
export function deriveLocalPlace(draft: PlanDraft, row: PlanRow): WantedPlace {
  const remotePlace = row.remote.now;
  if (remotePlace === null) return makeImpossiblePlace("not-seen", "its path on the service is not known");
  const localParent = deriveLocalFolderPath(draft, remotePlace.parent);
  if (localParent.kind === "impossible") return localParent;
  const kind = getNameKind(row);
  const keptLocalName = findKeptName(row, "local", remotePlace.name, readBasePaths(row));
  if (keptLocalName === null && isUnsafeName(remotePlace.name, kind))
    return makeImpossiblePlace(
      "remote-name-unsafe",
      `its name on the service, ${JSON.stringify(remotePlace.name)}, cannot be used on disk`,
    );
  const name =
    keptLocalName ??
    toLocalName(toOriginalName(remotePlace.name), kind, toUniqueId(row), draft.trees.local.disk.maxNameBytes);
  const path = joinPath(localParent.path, name);
  if (draft.trees.local.ignores(path, kind))
    return makeImpossiblePlace(
      "suspended",
      `its path on the service is excluded by ${describeExclusion(draft, path, kind)}`,
    );
  return { kind: "place", place: name === remotePlace.name ? remotePlace : { parent: remotePlace.parent, name } };
}

export function deriveRemotePlace(draft: PlanDraft, row: PlanRow): WantedPlace {
  const localPlace = row.local.now;
  if (localPlace === null) return makeImpossiblePlace("not-seen", "its local path is not known");
  const folderBlock = findRemoteFolderProblem(draft, localPlace.parent);
  if (folderBlock !== null) return makeImpossiblePlace("folder-blocked", folderBlock.detail);
  const keptRemoteName = findKeptName(row, "remote", localPlace.name, row.record);
  if (keptRemoteName !== null) return { kind: "place", place: { parent: localPlace.parent, name: keptRemoteName } };
  const mappedName = findRemoteName(toOriginalName(localPlace.name), getNameKind(row), draft.policy);
  return mappedName.kind === "impossible"
    ? mappedName
    : { kind: "place", place: { parent: localPlace.parent, name: mappedName.name } };
}

export function isInPlace(wantedPlace: WantedPlace, now: Place | null): boolean {
  return wantedPlace.kind === "place" && isSamePlace(wantedPlace.place, now);
}

type BasePaths = { readonly localPath: LocalPath; readonly remotePath: RemotePath };

/** Returns base's paths of a document or folder; null for a new item. */
function readBasePaths(row: PlanRow): BasePaths | null {
  return row.record ?? (row.kind === "document" ? row.tombstone : null);
}

/**
 * Returns the name that a document or folder keeps on a side, although the name on the other side
 * differs. Null if the name must follow the other side.
 * @param otherName current name on the other side
 * @param known paths in base; null if there is no record
 */
function findKeptName(row: PlanRow, side: Side, otherName: string, known: BasePaths | null): string | null {
  if (known !== null && nameOf(getPathOnSide(known, otherSide(side))) === otherName) {
    const baseName = nameOf(getPathOnSide(known, side));
    const [localName, remoteName] = side === "local" ? [baseName, otherName] : [otherName, baseName];
    if (!isTemporaryName(baseName) && isNamePair(localName, remoteName, getNameKind(row), toUniqueId(row)))
      return baseName;
  }
  // No user chose a temporary name, so this side does not follow a temporary name on the other
  // side.
  if (!isTemporaryName(otherName)) return null;
  const candidateNames = [row[side].now?.name, known === null ? undefined : nameOf(getPathOnSide(known, side))];
  return candidateNames.find((name) => name !== undefined && !isTemporaryName(name)) ?? null;
}

function findRemoteName(
  name: string,
  kind: "file" | "folder",
  policy: Policy,
): { readonly kind: "name"; readonly name: string } | ImpossiblePlace {
  const convertedName = toRemoteName(name, kind, policy.refusedCharacters);
  if (convertedName === null)
    return makeImpossiblePlace("name-refused", `no ${kind} named ${JSON.stringify(name)} can be synced`);
  if (convertedName !== name && policy.names === "block")
    return makeImpossiblePlace(
      "name-refused",
      `the service does not accept ${JSON.stringify(name)}; it would accept ${JSON.stringify(convertedName)}`,
    );
  return { kind: "name", name: convertedName };
}

function findRemoteFolderProblem(draft: PlanDraft, folder: FolderRow): ImpossiblePlace | null {
  for (let at: FolderRow | undefined = folder; at !== undefined && at.remotePath === null; at = at.local.now?.parent) {
    if (at.local.now === null) return null;
    if (at.remoteSeen === "gone") continue;
    if (at.remoteSeen === "unknown")
      return makeImpossiblePlace("not-seen", `the service did not list its folder ${JSON.stringify(at.localPath)}`);
    const name = findRemoteName(at.local.now.name, "folder", draft.policy);
    if (name.kind === "impossible") return name;
    if (at.localPath !== null && isFolderChangeForbidden(draft, at.localPath, "make"))
      return makeImpossiblePlace(
        "folder-blocked",
        `the service refused to create the folder ${JSON.stringify(at.localPath)}`,
      );
  }
  return null;
}

/**
 * Returns the path of a folder on disk, now or after the plan. Returns a reason if the folder's
 * name is unsafe, if it is ignored, or if it belongs to another linked folder.
 */
function deriveLocalFolderPath(
  draft: PlanDraft,
  folder: FolderRow,
): ImpossiblePlace | { readonly kind: "path"; readonly path: LocalPath } {
  const missingNames: string[] = [];
  let ancestor: FolderRow | undefined = folder;
  for (; ancestor !== undefined && ancestor.localPath === null; ancestor = ancestor.remote.now?.parent) {
    if (ancestor.remote.now === null) break;
    if (isUnsafeName(ancestor.remote.now.name, "folder"))
      return makeImpossiblePlace(
        "remote-name-unsafe",
        `the name of the folder ${JSON.stringify(ancestor.remotePath)} on the service cannot be used on disk`,
      );
    missingNames.unshift(
      toLocalName(ancestor.remote.now.name, "folder", toUniqueId(ancestor), draft.trees.local.disk.maxNameBytes),
    );
  }
  let path = ancestor?.localPath ?? "";
  for (const name of missingNames) {
    path = joinPath(path, name);
    if (draft.trees.local.ignores(path, "folder"))
      return makeImpossiblePlace(
        "suspended",
        `its folder on the service is excluded by ${describeExclusion(draft, path, "folder")}`,
      );
  }
  // Files below another linked folder belong to that folder's workspace. Therefore this workspace
  // never creates a document below it.
  const unreadReason = whyHidden(path, draft.trees);
  return unreadReason?.isMirror === true
    ? makeImpossiblePlace("not-seen", `its folder is not seen: ${unreadReason.why}`)
    : { kind: "path", path };
}

function makeImpossiblePlace(reason: BlockReason, detail: string): ImpossiblePlace {
  return { kind: "impossible", reason, detail };
}

/**
 * Returns the rule for the place of a document or folder. Usually the side that moved the item
 * decides. After an interrupted plan, mdmirror itself may have chosen the place:
 * - A temporary name is replaced by the name on the other side.
 * - If the names on the two sides do not correspond, the service's name is used. mdmirror had then
 *   sent only one of two PATCHes, and the user moved the document back.
 */
export function choosePlaceRule(forest: FolderForest, row: PlanRow, movedBy: PlaceDrift): PlaceRule {
  const rule = PLACE_RULES[movedBy];
  const [localPlace, remotePlace] = [row.local.now, row.remote.now];
  if (localPlace === null || remotePlace === null) return rule;
  if (rule === "stay") return chooseRuleIfUnmoved(row, localPlace, remotePlace);
  return rule === "agree" ? chooseRuleIfBothMoved(forest, row, localPlace, remotePlace) : rule;
}

function chooseRuleIfUnmoved(row: PlanRow, localPlace: Place, remotePlace: Place): PlaceRule {
  const isLocalNameTemporary = isTemporaryName(localPlace.name);
  const isRemoteNameTemporary = isTemporaryName(remotePlace.name);
  if (isLocalNameTemporary !== isRemoteNameTemporary) return isRemoteNameTemporary ? "follow-local" : "follow-remote";
  const doPlacesCorrespond =
    localPlace.parent === remotePlace.parent &&
    isNamePair(localPlace.name, remotePlace.name, getNameKind(row), toUniqueId(row));
  // If both names are temporary, this cycle replaces the local name, and a later cycle the name on
  // the service.
  return doPlacesCorrespond && !isLocalNameTemporary ? "stay" : "follow-remote";
}

/**
 * Returns the rule for a document or folder that moved on both sides. If mdmirror itself may have
 * made the move on the service (before a power cut, or by a late request), the local place wins.
 */
function chooseRuleIfBothMoved(forest: FolderForest, row: PlanRow, localPlace: Place, remotePlace: Place): PlaceRule {
  if (isTemporaryName(localPlace.name)) return "agree";
  const followsLocal =
    isTemporaryName(remotePlace.name) ||
    isAtBaseLocalPlace(forest, row, remotePlace) ||
    isHalfMoved(row, localPlace, remotePlace);
  return followsLocal ? "follow-local" : "agree";
}

/**
 * Returns true if the service has the new name in the old folder, or the old name in the new
 * folder. A local move that changes folder and name takes two requests, and the process may have
 * been killed between them.
 */
function isHalfMoved(row: PlanRow, localPlace: Place, remotePlace: Place): boolean {
  const { record } = row;
  if (record === null) return false;
  const hasNewName = isNamePair(localPlace.name, remotePlace.name, getNameKind(row), toUniqueId(row));
  const hasNewFolder = localPlace.parent === remotePlace.parent;
  const hasOldName = remotePlace.name === nameOf(record.remotePath);
  const hasOldFolder = remotePlace.parent.remotePath === parentOf(record.remotePath);
  return (
    (hasNewName && !hasNewFolder && hasOldFolder && !hasOldName) ||
    (hasNewFolder && !hasNewName && hasOldName && !hasOldFolder)
  );
}

/**
 * Returns true if a move on the service needs no local move, because base has its target as the
 * local place. There are two cases:
 * - mdmirror moved the document on the service, and was killed before base recorded the move.
 * - Base has a temporary name for the service, and another client has replaced that name. In this
 *   case, the folder does not matter.
 */
function isAtBaseLocalPlace(forest: FolderForest, row: PlanRow, remotePlace: Place): boolean {
  const { record } = row;
  if (record === null || !isNamePair(nameOf(record.localPath), remotePlace.name, getNameKind(row), toUniqueId(row)))
    return false;
  return isTemporaryName(nameOf(record.remotePath)) || remotePlace.parent === findBaseFolder(forest, "local", record);
}

export function derivePlannedPath(place: Place, side: Side): string {
  const names = [place.name];
  const visitedFolders = new Set<FolderRow>();
  for (let folder = place.parent; !visitedFolders.has(folder); ) {
    visitedFolders.add(folder);
    const folderGoal = folder[side].goal;
    if (folderGoal === null) break;
    names.push(folderGoal.name);
    folder = folderGoal.parent;
  }
  return names.reduceRight((path, name) => joinPath(path, name), "");
}
