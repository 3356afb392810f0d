import { CONTENT_RULES, type ContentRule, type Drift, toContentCell } from "./table.ts";
import type { DocumentRecord } from "../../model/record.ts";
import { makeUnreadable, type RemoteFile } from "../../model/tree.ts";
import { type DocumentRow, setGoalToCurrent, SIDES } from "../match/row.ts";
import { decideConflict, endConflictOfRemovedDocument, keepConflictUnlessRecordEnds } from "./conflict.ts";
import { blockRow, describeExclusion, type PlanDraft, proposeAction } from "./plan-draft.ts";
import { blockUnseenDocument, isContentBlocked, isDirectionOff, isForbidden, isInUse } from "./gates.ts";
import {
  decideReview,
  type DocumentSides,
  isEmptied,
  proposeDownload,
  type SharedDocument,
} from "./shared-document.ts";
import {
  decideDeparture,
  decideEditOfDeleted,
  decideNewOnBothSides,
  decideRemoteDeletion,
  proposeRecordFlags,
  proposeForget,
  proposeLocalCreation,
  proposeRemoteCreation,
  proposeTrash,
} from "./presence.ts";
import { placeRow } from "./place-rows.ts";
import { findRenamedFile } from "../match/evidence.ts";
import { ancestorsOf, type LocalPath } from "../../../contract/path.ts";

/**
 * Decides about a document: by its conflict, review or exclusion if there is one, otherwise by
 * `CONTENT_RULES`.
 */
export function decideDocument(draft: PlanDraft, row: DocumentRow, drift: Drift): void {
  setGoalToCurrent(row);
  if (row.record !== null && decideIgnored(draft, row, row.record, drift)) return;
  const conflict = row.id === null ? undefined : draft.trees.base.conflicts.get(row.id);
  const localFile = row.local.seen.kind === "present" ? row.local.seen.value : null;
  const remoteFile = row.remote.seen.kind === "present" ? row.remote.seen.file : null;
  const sides: DocumentSides = { drift, localFile, remoteFile };
  if (conflict !== undefined && decideConflict(draft, row, conflict, sides)) {
    placeDocument(draft, row, drift);
    return;
  }
  decideByTable(draft, row, sides);
  if (conflict !== undefined && drift.remote === "gone") keepConflictUnlessRecordEnds(draft, row);
}

function decideByTable(draft: PlanDraft, row: DocumentRow, sides: DocumentSides): void {
  const { drift, remoteFile } = sides;
  const rule = CONTENT_RULES[toContentCell(drift)];
  DECISIONS_BY_RULE[rule](draft, row, sides);
  if (!RULES_THAT_KEEP_BOTH.has(rule)) return;
  if (remoteFile !== null && row.record !== null) decideRecordFlags(draft, row, row.record, remoteFile);
  placeDocument(draft, row, drift);
}

const RULES_THAT_KEEP_BOTH: ReadonlySet<ContentRule> = new Set(["nothing", "write-local", "put", "merge"]);

type ContentDecision = (draft: PlanDraft, row: DocumentRow, sides: DocumentSides) => void;

/**
 * Function that decides, for each rule of `CONTENT_RULES`. Each function is called only for
 * documents with the sides and the record that the function needs.
 */
const DECISIONS_BY_RULE: Readonly<Record<ContentRule, ContentDecision>> = {
  nothing: () => undefined,
  "block-not-seen": blockNotSeen,
  "block-unreadable": blockUnreadable,
  "leave-subtree": (draft, row, { localFile, drift }) => decideDeparture(draft, row, localFile, drift),
  "trash-local": (draft, row, { localFile }) => proposeTrash(draft, row, localFile!, "gone"),
  forget: proposeForget,
  "delete-remote": (draft, row, { remoteFile, drift }) => decideRemoteDeletion(draft, row, remoteFile!, drift),
  "come-back": (draft, row, { remoteFile }) =>
    proposeLocalCreation(draft, row, remoteFile!, "edited on the service after it was deleted locally", true),
  "post-as-new": (draft, row, { localFile }) => decideEditOfDeleted(draft, row, row.record!, localFile!),
  post: (draft, row, { localFile }) => proposeRemoteCreation(draft, row, localFile!, null, "created locally"),
  "create-local": (draft, row, { remoteFile }) =>
    proposeLocalCreation(
      draft,
      row,
      remoteFile!,
      row.tombstone === null ? "new on the service" : "seen again on the service",
    ),
  meet: (draft, row, { localFile, remoteFile }) => decideNewOnBothSides(draft, row, localFile!, remoteFile!),
  "write-local": (draft, row, sides) => proposeWrite(draft, toSharedDocument(row, sides)),
  put: (draft, row, sides) => proposePut(draft, toSharedDocument(row, sides)),
  merge: (draft, row, sides) => proposeMerge(draft, toSharedDocument(row, sides)),
};

function toSharedDocument(row: DocumentRow, { localFile, remoteFile }: DocumentSides): SharedDocument {
  return { row, record: row.record!, localFile: localFile!, remoteFile: remoteFile! };
}

function blockNotSeen(draft: PlanDraft, row: DocumentRow): void {
  blockUnseenDocument(draft, row, "not-seen", row.remote.seen.kind === "unseen" ? row.remote.seen.why : "not seen");
}

function blockUnreadable(draft: PlanDraft, row: DocumentRow): void {
  const { kind, why } = row.local.seen.kind === "unknown" ? row.local.seen.unread : makeUnreadable("not seen");
  blockUnseenDocument(draft, row, kind, why);
}

function proposeWrite(draft: PlanDraft, shared: SharedDocument): void {
  const { row, localFile } = shared;
  const reasonClause = "edited on the service";
  if (decideReview(draft, shared) || isDirectionOff(draft, row, "push", reasonClause) || isInUse(draft, row, localFile))
    return;
  proposeDownload(draft, shared, "write-local", reasonClause);
}

function proposePut(draft: PlanDraft, shared: SharedDocument): void {
  const { row, record, localFile, remoteFile } = shared;
  // When this local content was sent, the service changed it back to base's content. Another upload
  // would change nothing.
  if (localFile.digest === record.echoDigest) return;
  if (decideReview(draft, shared) || isContentBlocked(draft, row, localFile)) return;
  if (isDirectionOff(draft, row, "pull", "edited locally")) return;
  if (isForbidden(draft, row, "push")) return;
  const empties = !remoteFile.protected && isEmptied(draft, record, localFile.digest);
  proposeAction(draft, row, "content", (paths) => ({
    kind: "put",
    why: empties ? "emptied locally" : "edited locally",
    id: record.id,
    localPath: paths.local,
    baseChangeId: record.changeId,
    expect: localFile.digest,
    review: remoteFile.protected,
    ...(empties && { empties }),
  }));
}

function proposeMerge(draft: PlanDraft, shared: SharedDocument): void {
  const { row, localFile } = shared;
  const { direction } = draft.policy;
  const reasonClause = "edited on both sides";
  if (decideReview(draft, shared) || isContentBlocked(draft, row, localFile)) return;
  if (direction !== "both" && isDirectionOff(draft, row, direction, reasonClause)) return;
  if (isForbidden(draft, row, "merge") || isInUse(draft, row, localFile)) return;
  proposeDownload(draft, shared, "merge", reasonClause);
}

function decideRecordFlags(draft: PlanDraft, row: DocumentRow, record: DocumentRecord, remoteFile: RemoteFile): void {
  if (remoteFile.protected === record.protected && record.state === "linked") return;
  proposeRecordFlags(draft, row, record, "linked", whyFlagsChanged(record, remoteFile), remoteFile.protected);
}

function whyFlagsChanged(record: DocumentRecord, remoteFile: RemoteFile): string {
  if (remoteFile.protected === record.protected) return "back in the linked folder";
  return remoteFile.protected ? "protected on the service" : "no longer protected";
}

function placeDocument(draft: PlanDraft, row: DocumentRow, drift: Drift): void {
  if (row.record === null || SIDES.some((side) => row[side].now === null || row[side].goal === null)) return;
  placeRow(draft, row, drift.place);
}

/**
 * Decides about documents that became ignored or are no longer ignored, and about documents whose
 * file got a name that is not synced. A changed ignore rule deletes nothing, even if the file was
 * removed while ignored (I18).
 * @returns false if `CONTENT_RULES` must decide
 */
function decideIgnored(draft: PlanDraft, row: DocumentRow, record: DocumentRecord, drift: Drift): boolean {
  const isLocal = row.local.seen.kind === "present";
  if (!isLocal && draft.trees.local.ignores(record.localPath, "file")) {
    const reasonClause = `excluded by ${describeExclusion(draft, record.localPath, "file")}`;
    if (record.state !== "suspended") proposeRecordFlags(draft, row, record, "suspended", reasonClause);
    blockRow(draft, row, "suspended", `${reasonClause}; nothing is sent, written or deleted`);
    return true;
  }
  if (record.state === "suspended" && endSuspension(draft, row, record, drift)) return true;
  if (record.state === "outside" && drift.local === "deleted" && drift.remote !== "outside") {
    decideReturnedDocument(draft, row, record);
    return true;
  }
  if (drift.local !== "deleted") return false;
  const renamedFile = findRenamedFile(draft.trees.local, draft.othersByInode(), record.stamp);
  if (renamedFile !== null) {
    blockRow(draft, row, "renamed-out-of-mirror", `now ${JSON.stringify(renamedFile.path)}, which is not synced`);
    return true;
  }
  const replacementClause = row.remote.seen.kind === "present" ? describeReplacement(draft, record.localPath) : null;
  if (replacementClause === null) return false;
  blockRow(draft, row, "type-clash", `${replacementClause}, in place of the document, which stays on the service`);
  return true;
}

/**
 * Returns a clause if a folder, symbolic link or special file is now at or above a document's path;
 * otherwise null. The user has then replaced the file, not deleted the document.
 */
function describeReplacement({ trees: { local } }: PlanDraft, path: LocalPath): string | null {
  if (local.folders.has(path)) return "a folder is at this path";
  for (const ancestor of [path, ...ancestorsOf(path)]) {
    const kind = local.others.get(ancestor)?.kind;
    if (kind !== "symlink" && kind !== "special") continue;
    const subjectClause = kind === "symlink" ? "a symbolic link" : "no file and no folder";
    return `${subjectClause} is ${ancestor === path ? "at this path" : `at ${JSON.stringify(ancestor)}`}`;
  }
  return null;
}

/**
 * Decides about a document that is no longer ignored. Returns false if another rule must decide.
 */
function endSuspension(draft: PlanDraft, row: DocumentRow, record: DocumentRecord, drift: Drift): boolean {
  const reasonClause = "no longer excluded by the ignore rules";
  if (row.local.seen.kind === "present") {
    proposeRecordFlags(draft, row, record, "linked", reasonClause);
    return true;
  }
  if (drift.local !== "deleted" || row.remote.seen.kind !== "present") return false;
  proposeLocalCreation(draft, row, row.remote.seen.file, reasonClause);
  return true;
}

/**
 * Decides about a document that was moved back into the linked part of the workspace. The
 * document's file went to the trash when the document left, so a missing file is no deletion by the
 * user.
 */
function decideReturnedDocument(draft: PlanDraft, row: DocumentRow, record: DocumentRecord): void {
  if (endConflictOfRemovedDocument(draft, row, record) === "waits") return;
  if (row.remote.seen.kind === "present")
    proposeLocalCreation(draft, row, row.remote.seen.file, "back in the linked folder of the workspace");
  if (row.remote.seen.kind === "gone") proposeForget(draft, row);
}
