import type { WhoMoved } from "../drift/place-change.ts";
import { isNamePair } from "../../model/name-pair.ts";
import type { BlockReason } from "../../model/block.ts";
import { isTemporaryName, isUnsafeName, lastingName, localNameFor, remoteNameFor } from "../../model/local-name.ts";
import {
  type FolderRow,
  idOf,
  nameKindOf,
  otherSide,
  pathOn,
  type Place,
  type Row,
  samePlace,
  type Side,
} from "../match/row.ts";
import { joinPath, type LocalPath, nameOf, parentOf, type RemotePath } from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import { baseFolderOf, type Forest } from "../match/forest.ts";
import { whyHidden } from "../match/unseen.ts";
import { excludedBy, type PlanDraft } from "./plan-draft.ts";
import { isFolderChangeForbidden } from "./remembered.ts";
import { PLACE_RULES, type PlaceRule } from "./table.ts";

/**
 * The place that a row should have on a side, according to the other side; or the reason why it
 * cannot have one.
 */
export type WantedPlace = { readonly kind: "place"; readonly place: Place } | ImpossiblePlace;

type ImpossiblePlace = { readonly kind: "impossible"; readonly reason: BlockReason; readonly detail: string };

/**
 * Returns the place on disk that corresponds to the row's place on the service. If only a folder
 * above the row moved, the name keeps its local spelling.
 */
export function localWish(draft: PlanDraft, row: Row): WantedPlace {
  const remotePlace = row.remote.now;
  if (remotePlace === null) return impossible("not-seen", "its path on the service is not known");
  const above = localFolder(draft, remotePlace.parent);
  if (above.kind === "impossible") return above;
  const kind = nameKindOf(row);
  const keptLocalName = keptName(row, "local", remotePlace.name, knownPaths(row));
  if (keptLocalName === null && isUnsafeName(remotePlace.name, kind))
    return impossible(
      "remote-name-unsafe",
      `its name on the service, ${JSON.stringify(remotePlace.name)}, cannot be used on disk`,
    );
  const name =
    keptLocalName ?? localNameFor(lastingName(remotePlace.name), kind, idOf(row), draft.trees.local.disk.maxNameBytes);
  const path = joinPath(above.path, name);
  if (draft.trees.local.ignores(path, kind))
    return impossible("suspended", `its path on the service is excluded by ${excludedBy(draft, path, kind)}`);
  return { kind: "place", place: name === remotePlace.name ? remotePlace : { parent: remotePlace.parent, name } };
}

/** Returns the place on the service that corresponds to the row's local place. */
export function remoteWish(draft: PlanDraft, row: Row): WantedPlace {
  const localPlace = row.local.now;
  if (localPlace === null) return impossible("not-seen", "its local path is not known");
  const folderBlock = whyNotBelowRemote(draft, localPlace.parent);
  if (folderBlock !== null) return impossible("folder-blocked", folderBlock.detail);
  const keptRemoteName = keptName(row, "remote", localPlace.name, row.record);
  if (keptRemoteName !== null) return { kind: "place", place: { parent: localPlace.parent, name: keptRemoteName } };
  const mapped = remoteName(lastingName(localPlace.name), nameKindOf(row), draft.policy);
  return mapped.kind === "impossible"
    ? mapped
    : { kind: "place", place: { parent: localPlace.parent, name: mapped.name } };
}

/** Returns true if a row is already at the wanted place. */
export function isInPlace(wish: WantedPlace, now: Place | null): boolean {
  return wish.kind === "place" && samePlace(wish.place, now);
}

type KnownPaths = { readonly localPath: LocalPath; readonly remotePath: RemotePath };

/** Returns the paths that base has for a row, or last had before the row was gone. */
function knownPaths(row: Row): KnownPaths | null {
  return row.record ?? (row.kind === "document" ? row.tombstone : null);
}

/**
 * Returns the name that base has for a row on a side, unless the name on the other side requires
 * another one. A temporary name on the other side requires none: the row's lasting name on this
 * side stays.
 * @param otherName the row's current name on the other side
 * @param known the row's paths in base
 */
function keptName(row: Row, side: Side, otherName: string, known: KnownPaths | null): string | null {
  if (known !== null && nameOf(pathOn(known, otherSide(side))) === otherName) {
    const baseName = nameOf(pathOn(known, side));
    const [localName, remoteName] = side === "local" ? [baseName, otherName] : [otherName, baseName];
    if (!isTemporaryName(baseName) && isNamePair(localName, remoteName, nameKindOf(row), idOf(row))) return baseName;
  }
  // No user chose a temporary name, so only the folder is taken from the other side.
  if (!isTemporaryName(otherName)) return null;
  const names = [row[side].now?.name, known === null ? undefined : nameOf(pathOn(known, side))];
  return names.find((name) => name !== undefined && !isTemporaryName(name)) ?? null;
}

function remoteName(
  name: string,
  kind: "file" | "folder",
  policy: Policy,
): { readonly kind: "name"; readonly name: string } | ImpossiblePlace {
  const mapped = remoteNameFor(name, kind, policy.refusedCharacters);
  if (mapped === null) return impossible("name-refused", `no ${kind} named ${JSON.stringify(name)} can be synced`);
  if (mapped !== name && policy.names === "block")
    return impossible(
      "name-refused",
      `the service does not accept ${JSON.stringify(name)}; it would accept ${JSON.stringify(mapped)}`,
    );
  return { kind: "name", name: mapped };
}

/**
 * Returns why no entry can be put below a folder on the service: the folder is missing and cannot
 * be created. Null if entries can be put below it.
 */
function whyNotBelowRemote(draft: PlanDraft, folder: FolderRow): ImpossiblePlace | null {
  for (let at: FolderRow | undefined = folder; at !== undefined && at.remotePath === null; at = at.local.now?.parent) {
    if (at.local.now === null) return null;
    if (at.remoteSeen === "gone") continue;
    if (at.remoteSeen === "unknown")
      return impossible("not-seen", `the service did not list its folder ${JSON.stringify(at.localPath)}`);
    const name = remoteName(at.local.now.name, "folder", draft.policy);
    if (name.kind === "impossible") return name;
    if (at.localPath !== null && isFolderChangeForbidden(draft, at.localPath, "make"))
      return impossible("folder-blocked", `the service refused to create the folder ${JSON.stringify(at.localPath)}`);
  }
  return null;
}

/**
 * Returns the path that a folder has on disk, or will have. If no entry can be put below it,
 * returns why: it is missing and cannot be created, or belongs to another linked folder.
 */
function localFolder(
  draft: PlanDraft,
  folder: FolderRow,
): ImpossiblePlace | { readonly kind: "path"; readonly path: LocalPath } {
  const names: string[] = [];
  let above: FolderRow | undefined = folder;
  for (; above !== undefined && above.localPath === null; above = above.remote.now?.parent) {
    if (above.remote.now === null) break;
    if (isUnsafeName(above.remote.now.name, "folder"))
      return impossible(
        "remote-name-unsafe",
        `the name of the folder ${JSON.stringify(above.remotePath)} on the service cannot be used on disk`,
      );
    names.unshift(localNameFor(above.remote.now.name, "folder", idOf(above), draft.trees.local.disk.maxNameBytes));
  }
  let path = above?.localPath ?? "";
  for (const name of names) {
    path = joinPath(path, name);
    if (draft.trees.local.ignores(path, "folder"))
      return impossible("suspended", `its folder on the service is excluded by ${excludedBy(draft, path, "folder")}`);
  }
  // Documents in another linked folder belong to the workspace of that folder.
  const hidden = whyHidden(path, draft.trees);
  return hidden?.isMirror === true
    ? impossible("not-seen", `its folder is not seen: ${hidden.why}`)
    : { kind: "path", path };
}

function impossible(reason: BlockReason, detail: string): ImpossiblePlace {
  return { kind: "impossible", reason, detail };
}

/**
 * Returns the rule for a row's place. No user chose a place that an interrupted plan left:
 * - A temporary name follows the name on the other side.
 * - If the two names do not correspond, the name on the service counts: the first of two PATCHes
 *   was made, and then the document was moved back locally.
 */
export function placeRule(forest: Forest, row: Row, movedBy: WhoMoved): PlaceRule {
  const rule = PLACE_RULES[movedBy];
  const [localPlace, remotePlace] = [row.local.now, row.remote.now];
  if (localPlace === null || remotePlace === null) return rule;
  if (rule === "stay") return ruleOfUnmoved(row, localPlace, remotePlace);
  return rule === "agree" ? ruleOfMovedTwice(forest, row, localPlace, remotePlace) : rule;
}

function ruleOfUnmoved(row: Row, localPlace: Place, remotePlace: Place): PlaceRule {
  const isLocalNameTemporary = isTemporaryName(localPlace.name);
  const isRemoteNameTemporary = isTemporaryName(remotePlace.name);
  if (isLocalNameTemporary !== isRemoteNameTemporary) return isRemoteNameTemporary ? "follow-local" : "follow-remote";
  const fits =
    localPlace.parent === remotePlace.parent &&
    isNamePair(localPlace.name, remotePlace.name, nameKindOf(row), idOf(row));
  // If both sides have temporary names, the local name is changed first, and the service's name in
  // a later cycle.
  return fits && !isLocalNameTemporary ? "stay" : "follow-remote";
}

/**
 * Returns the rule for a document that seems to have moved on both sides. After a power cut, or
 * when a request arrived late, mdmirror itself may have made the move on the service.
 */
function ruleOfMovedTwice(forest: Forest, row: Row, localPlace: Place, remotePlace: Place): PlaceRule {
  if (isTemporaryName(localPlace.name)) return "agree";
  const follows =
    isTemporaryName(remotePlace.name) ||
    isAtBaseLocalPlace(forest, row, remotePlace) ||
    isHalfMoved(row, localPlace, remotePlace);
  return follows ? "follow-local" : "agree";
}

/**
 * Returns true if the service has only the new name, or only the new folder, of a local move that
 * changed both. Such a move is two requests, and the first may arrive after its sender was killed.
 */
function isHalfMoved(row: Row, localPlace: Place, remotePlace: Place): boolean {
  const { record } = row;
  if (record === null) return false;
  const hasName = isNamePair(localPlace.name, remotePlace.name, nameKindOf(row), idOf(row));
  const hasFolder = localPlace.parent === remotePlace.parent;
  const keptName = remotePlace.name === nameOf(record.remotePath);
  const keptFolder = remotePlace.parent.remotePath === parentOf(record.remotePath);
  return (hasName && !hasFolder && keptFolder && !keptName) || (hasFolder && !hasName && keptName && !keptFolder);
}

/**
 * Returns true if the service has moved a row to the place that base has locally, so that no local
 * move is needed. There are two cases:
 * - mdmirror was killed after it had moved the file, and before base recorded the move.
 * - Base has a temporary name on the service, and another client has replaced that name. Only the
 *   name is then compared, not the folder.
 */
function isAtBaseLocalPlace(forest: Forest, row: Row, remotePlace: Place): boolean {
  const { record } = row;
  if (record === null || !isNamePair(nameOf(record.localPath), remotePlace.name, nameKindOf(row), idOf(row)))
    return false;
  return isTemporaryName(nameOf(record.remotePath)) || remotePlace.parent === baseFolderOf(forest, "local", record);
}

/** Returns the path of a place after the plan has moved all folders. */
export function pathOfGoal(place: Place, side: Side): string {
  const names = [place.name];
  const seen = new Set<FolderRow>();
  for (let folder = place.parent; !seen.has(folder); ) {
    seen.add(folder);
    const above = folder[side].goal;
    if (above === null) break;
    names.push(above.name);
    folder = above.parent;
  }
  return names.reduceRight((path, name) => joinPath(path, name), "");
}
