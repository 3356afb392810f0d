import { findContentFault } from "../../contract/api/fields.ts";
import { parentOf } from "../../contract/path.ts";
import type { ReviewReason } from "../../contract/resources.ts";
import { includesLevel } from "./access.ts";
import { type Answer, DELETED_ANSWER, makeDone, isRefused, type Refused, refuse } from "../requests/answer.ts";
import {
  type OperationCall,
  type CombineContents,
  newId,
  type RequestContext,
  type TransactionContext,
} from "../requests/context.ts";
import { judgeLinks } from "./judge-links.ts";
import { applyKeptGrants, keepGrants } from "../keys/kept-grants.ts";
import {
  findFile,
  findTargetFolder,
  findWritableFile,
  refuseUnknownFile,
  refuseOccupied,
  type FolderPlace,
  joinFolderPath,
  moveProtected,
  refusalToWrite,
} from "./place.ts";
import { presentEdit, presentFile, presentReview } from "./present.ts";
import type { FileRow } from "../store/rows.ts";
import type { FileForEdit } from "../store/files-table.ts";

export async function patchFile({ context, id, body }: OperationCall<"patchFile">): Promise<Answer> {
  if ("protected" in body) return protectFile(context, id, body.protected);
  await context.tables.lockStructure(context.workspace.seq);
  const row = await findWritableFile(context, id);
  if (isRefused(row)) return row;
  if ("name" in body)
    return placeFile(context, row, { seq: row.folder, id: row.folderId, path: parentOf(row.path) }, body.name);
  const place = await findTargetFolder(context, body.parentId);
  return isRefused(place) ? place : placeFile(context, row, place, row.name);
}

async function protectFile(context: RequestContext, id: string, isProtected: boolean): Promise<Answer> {
  const row = await findFile(context, id);
  if (isRefused(row)) return row;
  if (!includesLevel(context.access.file(row), "full")) {
    return refuse("forbidden", "Changing protected needs Full access.");
  }
  await context.tables.files.protect(row.seq, isProtected);
  return makeDone(200, presentFile({ ...row, protected: isProtected ? 1 : 0 }));
}

async function placeFile(context: RequestContext, row: FileRow, folder: FolderPlace, name: string): Promise<Answer> {
  const { files } = context.tables;
  const path = joinFolderPath(folder, name);
  const fileAtPath = await files.byName(context.workspace.seq, folder.seq, name);
  if (fileAtPath !== undefined && fileAtPath.seq !== row.seq) return refuseOccupied(path);
  return moveProtected(context, row.protected === 1 ? [row] : [], async () => {
    await files.place(row.seq, folder.seq, name);
    const refusal = await applyKeptGrants(context, path);
    if (refusal !== null) return refusal;
    return makeDone(200, presentFile({ ...row, folderId: folder.id, path }));
  });
}

export async function putContent({ context, id, body }: OperationCall<"putContent">): Promise<Answer> {
  const fileForEdit = await findForEdit(context, id, body.baseChangeId);
  if (isRefused(fileForEdit)) return fileForEdit;
  const { row, live, base } = fileForEdit;
  if (base === null) {
    const detail = "baseChangeId is not a change of this file.";
    return refuse("invalid_base_change", detail, [{ code: "invalid_format", pointer: "/baseChangeId", detail }]);
  }
  const linkRefusal = await judgeLinks(context, body.content);
  if (linkRefusal !== null) return linkRefusal;
  if (row.protected === 1) return submitForReview(context, row, body, "protected");
  const storedVersions = { liveChangeId: row.changeId, liveContent: live, baseContent: base.text };
  const combined = combineWithLive(context.combine, { ...body, ...storedVersions });
  if (combined === null) return submitForReview(context, row, body, "conflict");
  return makeDone(200, presentEdit(await saveContent(context, row, live, combined), combined));
}

async function findForEdit(context: RequestContext, id: string, baseId: string): Promise<FileForEdit | Refused> {
  const fileForEdit = await context.tables.files.forEdit(context.workspace.seq, id, baseId);
  if (fileForEdit === undefined || !includesLevel(await context.access.levelOfFile(fileForEdit.row), "read"))
    return refuseUnknownFile();
  return refusalToWrite(context, fileForEdit.row) ?? fileForEdit;
}

type SentEdit = OperationCall<"putContent">["body"];

/**
 * An edit, and the stored versions with which it is combined. `baseContent` is null if it was
 * pruned.
 */
type StoredEdit = SentEdit & {
  readonly baseContent: string | null;
  readonly liveChangeId: string;
  readonly liveContent: string;
};

/**
 * Returns the content to publish for an edit. Returns null if the edit conflicts with the published
 * content, or if the combined content is too long.
 * ASSUMES: a write may be based on any change of the file, even on a change in review or a rejected
 * one. If the content of the base was pruned, only an edit that equals the published content
 * succeeds (contract test "takes a change in review as a base").
 */
export function combineWithLive(combine: CombineContents, edit: StoredEdit): string | null {
  const { content, baseChangeId, baseContent, liveChangeId, liveContent } = edit;
  if (baseChangeId === liveChangeId || content === liveContent) return content;
  const text = baseContent === null ? null : combine(baseContent, content, liveContent);
  return text === null || findContentFault(text) !== null ? null : text;
}

/**
 * ASSUMES: a write of the content that is already published makes no new change (contract test
 * "makes no new change for equal content").
 */
export async function saveContent(
  working: TransactionContext & Pick<RequestContext, "key">,
  row: FileRow,
  live: string,
  text: string,
): Promise<FileRow> {
  if (text === live) return row;
  const id = newId(working, "chg_");
  await working.tables.files.save(row, { id, text, at: working.now(), key: working.key });
  return { ...row, changeId: id };
}

/** Sends an edit to review. Until the review is decided, the file cannot be deleted. */
async function submitForReview(
  context: RequestContext,
  row: FileRow,
  sent: SentEdit,
  reason: ReviewReason,
): Promise<Answer> {
  const { baseChangeId: baseId, content: text } = sent;
  const id = newId(context, "chg_");
  const now = context.now();
  await context.tables.changes.submit({ id, file: row.seq, baseId, reason, text, at: now, key: context.key });
  return makeDone(202, presentReview(row, id, reason));
}

/**
 * ASSUMES: deleting needs Can edit (contract test "refuses writes with Can read"). If the file is
 * protected and also has changes in review, the refusal gives the protection as the reason.
 */
export async function deleteFile({ context, id }: OperationCall<"deleteFile">): Promise<Answer> {
  const row = await findWritableFile(context, id);
  if (isRefused(row)) return row;
  if (row.protected === 1) return refuse("file_protected", "The file is protected; nothing was removed.");
  if (await context.tables.changes.hasReview(row.seq)) {
    return refuse("changes_in_review", "The file has changes in review; nothing was removed.");
  }
  await keepGrants(context, await context.tables.grants.onFile(row.seq));
  await context.tables.files.remove(row.seq);
  return DELETED_ANSWER;
}
