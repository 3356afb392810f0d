import { joinPath, nameOf } from "../../contract/path.ts";
import { FILES, type ReviewReason } from "../../contract/resources.ts";
import { includesLevel } from "./access.ts";
import {
  type Answer,
  DELETED_ANSWER,
  isRefused,
  makeDone,
  makeDoneFromJson,
  refuse,
  type Refused,
  refuseFields,
} from "../requests/answer.ts";
import {
  type ContentCombiner,
  newId,
  type OperationCall,
  type RequestContext,
  type TransactionContext,
} from "../requests/context.ts";
import type { FileRow, RowRange } from "../store/rows.ts";
import { applyKeptGrants, keepGrants } from "../keys/kept-grants.ts";
import { answerList, presentEdit, presentFile, presentReview, presentWithContent } from "./present.ts";
import {
  findFile,
  findFolder,
  findNewParent,
  findReadableItem,
  findTargetFolder,
  findWritableFile,
  type FolderPlace,
  followFoldersOfFile,
  makeFolders,
  moveProtected,
  findWriteRefusal,
  refuseOccupied,
  refuseUnknownFile,
} from "./place.ts";
import { findContentFault, quoteValue } from "../../contract/api/fields.ts";
import type { FileForEdit } from "../store/files-table.ts";
import { mergeText } from "../../markdown/merge/merge.ts";
import { isDirId } from "../../contract/ids.ts";
import { mayHaveLinks } from "../../markdown/links/candidates.ts";
import { findLinks } from "../../markdown/links/find.ts";
import { type Destination, readDestinationParts } from "../../markdown/links/destination.ts";
import { decodeSegment } from "../requests/input.ts";

export function listFiles(call: OperationCall<"listFiles">): Promise<Answer> {
  const { access } = call.context;
  return answerList(call, FILES, {
    select: (range) => selectFiles(call, range),
    folderOf: ({ parent }) => parent,
    show: (row) => (includesLevel(access.file(row), "read") ? presentFile(row) : null),
  });
}

async function selectFiles(
  { context, query }: OperationCall<"listFiles">,
  range: RowRange,
): Promise<readonly FileRow[]> {
  const { files, folders } = context.tables;
  const { path, path_prefix: prefix, parent_id: parentId } = query;
  if (path !== undefined) {
    const row = await files.byPath(range.workspace, path);
    return row === undefined ? [] : [row];
  }
  if (parentId !== undefined) {
    const folder = await folders.byId(range.workspace, parentId);
    return folder === undefined ? [] : files.inFolder({ ...range, folder: folder.seq });
  }
  return prefix === undefined || prefix === "" ? files.all(range) : files.inTree({ ...range, path: prefix });
}

export async function readFile({ context, id }: OperationCall<"readFile">): Promise<Answer> {
  const shownFile = await context.tables.files.shown(context.workspace.seq, id, (row, text) =>
    JSON.stringify(presentWithContent(row, text)),
  );
  if (shownFile === undefined || !includesLevel(await context.access.levelOfFile(shownFile.row), "read"))
    return refuseUnknownFile();
  return makeDoneFromJson(shownFile.json);
}

/**
 * ASSUMES: a request that creates a file by its path also creates the missing folders (contract
 * test "creates a file by path with its missing folders").
 */
export async function createFile({ context, body }: OperationCall<"createFile">): Promise<Answer> {
  const { tables, workspace } = context;
  const parent = "path" in body ? null : await findTargetFolder(context, body.parentId);
  if (isRefused(parent)) return parent;
  const path = "path" in body ? body.path : joinPath(parent!.path, body.name);
  const filePlace = await tables.files.placeFor(workspace.seq, path);
  const followedPath =
    parent === null ? await followFoldersOfFile(context, path, filePlace) : { from: parent, missing: [] };
  if (isRefused(followedPath)) return followedPath;
  const linkRefusal = await refuseBrokenLinks(context, body.content);
  if (linkRefusal !== null) return linkRefusal;
  if (filePlace.isTaken === 1 && followedPath.missing.length === 0) return refuseOccupied(path);
  const hasKeptGrants = filePlace.hasKeptGrants === 1;
  if (hasKeptGrants) await tables.lockStructure(workspace.seq);
  const folder = await makeFolders(context, followedPath);
  if (isRefused(folder)) return folder;
  const [id, changeId] = [newId(context, "doc_"), newId(context, "chg_")];
  const newFile = { workspace: workspace.seq, id, folder, name: nameOf(path) };
  await tables.files.insert({ ...newFile, changeId, text: body.content, at: context.now() }, hasKeptGrants);
  const refusal = hasKeptGrants ? await applyKeptGrants(context, path) : null;
  if (refusal !== null) return refusal;
  return makeDone(201, presentFile({ id, path, parentId: folder.id, protected: 0, changeId }));
}

export async function patchFile({ context, id, body }: OperationCall<"patchFile">): Promise<Answer> {
  if ("protected" in body) return protectFile(context, id, body.protected);
  await context.tables.lockStructure(context.workspace.seq);
  const row = await findWritableFile(context, id);
  if (isRefused(row)) return row;
  const parent = await findNewParent(context, row, body);
  return isRefused(parent) ? parent : placeFile(context, row, parent, "name" in body ? body.name : row.name);
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
  const path = joinPath(folder.path, name);
  const fileAtPath = await files.byName(context.workspace.seq, folder.seq, name);
  if (fileAtPath !== undefined && fileAtPath.seq !== row.seq) return refuseOccupied(path);
  return moveProtected(context, row.protected === 1 ? [row] : [], async () => {
    await files.place(row.seq, folder.seq, name);
    const refusal = await applyKeptGrants(context, path);
    if (refusal !== null) return refusal;
    return makeDone(200, presentFile({ ...row, parentId: folder.id, path }));
  });
}

export async function putContent({ context, id, body }: OperationCall<"putContent">): Promise<Answer> {
  const fileForEdit = await findFileForEdit(context, id, body.baseChangeId);
  if (isRefused(fileForEdit)) return fileForEdit;
  const { row, live, base } = fileForEdit;
  if (base === null) {
    const detail = "baseChangeId is not a change of this file.";
    return refuse("invalid_base_change", detail, [{ code: "invalid_format", pointer: "/baseChangeId", detail }]);
  }
  const linkRefusal = await refuseBrokenLinks(context, body.content);
  if (linkRefusal !== null) return linkRefusal;
  if (row.protected === 1) return submitForReview(context, row, body, "protected");
  const storedVersions = { liveChangeId: row.changeId, liveContent: live, baseContent: base.text };
  const combinedContent = combineWithLive(context.combine, { ...body, ...storedVersions });
  if (combinedContent === null) return submitForReview(context, row, body, "conflict");
  return makeDone(200, presentEdit(await saveContent(context, row, live, combinedContent), combinedContent));
}

async function findFileForEdit(context: RequestContext, id: string, baseId: string): Promise<FileForEdit | Refused> {
  const fileForEdit = await context.tables.files.forEdit(context.workspace.seq, id, baseId);
  if (fileForEdit === undefined || !includesLevel(await context.access.levelOfFile(fileForEdit.row), "read"))
    return refuseUnknownFile();
  return findWriteRefusal(context, fileForEdit.row) ?? fileForEdit;
}

type SentEdit = OperationCall<"putContent">["body"];

/**
 * An edit, and the stored versions with which it is combined. `baseContent`: null if the content of
 * the base was pruned.
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
export function combineWithLive(combine: ContentCombiner, edit: StoredEdit): string | null {
  const { content, baseChangeId, baseContent, liveChangeId, liveContent } = edit;
  if (baseChangeId === liveChangeId || content === liveContent) return content;
  const combinedText = baseContent === null ? null : combine(baseContent, content, liveContent);
  return combinedText === null || findContentFault(combinedText) !== null ? null : combinedText;
}

/**
 * ASSUMES: a write of the content that is already published makes no new change (contract test
 * "makes no new change for equal content").
 */
export async function saveContent(
  transaction: TransactionContext & Pick<RequestContext, "key">,
  row: FileRow,
  live: string,
  text: string,
): Promise<FileRow> {
  if (text === live) return row;
  const id = newId(transaction, "chg_");
  await transaction.tables.files.save(row, { id, text, at: transaction.now(), key: transaction.key });
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
 * ASSUMES: a key needs the level Can edit to delete a file (contract test "refuses writes with Can
 * read"). If the file is protected and also has changes in review, the refusal gives the protection
 * as the reason.
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

/** Merges three versions of a document with mdmirror's merge. Returns null for a conflict. */
export const combineByMerge: ContentCombiner = (base, local, remote) => {
  const mergeResult = mergeText(base, local, remote);
  return mergeResult.kind === "clean" ? mergeResult.text : null;
};

/**
 * Refuses content with broken links, if the service checks links. A link without a scheme must be
 * the id or the absolute path of an item that the key can read. Some links are not checked: links
 * in code, links that are only a fragment, and links with a scheme, such as `ref://`.
 * @returns null if no link is broken, or if the service does not check links
 */
async function refuseBrokenLinks(context: RequestContext, text: string): Promise<Refused | null> {
  if (context.links === "any" || !mayHaveLinks(text)) return null;
  const existsByTarget = new Map<string, boolean>();
  for (const { from, to } of findLinks(text)) {
    const destination = readDestinationParts(text.slice(from, to));
    if (destination.kind === "foreign" || destination.inert) continue;
    if (!existsByTarget.has(destination.target))
      existsByTarget.set(destination.target, await canResolve(context, destination));
  }
  const brokenTargets = [...existsByTarget].flatMap(([target, exists]) => (exists ? [] : [target]));
  if (brokenTargets.length === 0) return null;
  return refuseFields(
    brokenTargets.slice(0, MAX_LISTED_LINKS).map((target) => ({
      code: "unresolved_reference",
      pointer: "/content",
      detail: `content references a file or folder which cannot be resolved: ${quoteValue(target)}.`,
    })),
  );
}

/** LIMIT: number of broken links that an answer lists, so that the answer stays short. */
const MAX_LISTED_LINKS = 10;

async function canResolve(context: RequestContext, { kind, target }: Destination): Promise<boolean> {
  if (kind === "id")
    return !isRefused(await (isDirId(target) ? findFolder(context, target) : findFile(context, target)));
  const path = decodeSegment(target.slice(1).replace(/\/$/, ""));
  return target.startsWith("/") && (await findReadableItem(context, path)) !== null;
}
