/**
 * Converts rows of the tables to the form of the API, and makes the pages of lists. Ids are not
 * checked, because this service made the ids.
 */
import { parentOf } from "../../contract/path.ts";
import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { AnsweredFile, AnsweredFolder, ChangeInReview, Edit } from "../../contract/api/resources.ts";
import type { ReviewReason } from "../../contract/resources.ts";
import type { FileRow, FolderRow, RowRange } from "../store/rows.ts";
import { type Answer, isRefused, makeDone, refuse, type Refused } from "../requests/answer.ts";
import type { OperationCall } from "../requests/context.ts";
import { openCursor, sealCursor } from "../requests/seal.ts";

export function toApiPath(path: string): string {
  return `/${path}`;
}

export function presentFile(row: Omit<FileRow, "seq" | "parent" | "name">): AnsweredFile {
  return {
    object: "file",
    id: row.id as DocId,
    path: toApiPath(row.path),
    parentId: row.parentId as DirId | null,
    parentPath: toApiPath(parentOf(row.path)),
    protected: row.protected === 1,
    lastChangeId: row.changeId as ChangeId,
  };
}

export function presentWithContent(row: FileRow, content: string): AnsweredFile & { readonly content: string } {
  return { ...presentFile(row), content };
}

export function presentEdit(row: FileRow, content: string): Edit {
  return { object: "edit", file: presentFile(row), content };
}

export function presentFolder(row: FolderRow): AnsweredFolder {
  return {
    object: "folder",
    id: row.id as DirId,
    path: toApiPath(row.path),
    parentId: row.parentId as DirId | null,
    parentPath: toApiPath(parentOf(row.path)),
    name: row.name,
  };
}

export function presentReview(row: FileRow, changeId: string, reason: ReviewReason): ChangeInReview {
  return {
    object: "change",
    id: changeId as ChangeId,
    status: "in_review",
    reason,
    fileIds: [row.id as DocId],
  };
}

type ListCall = OperationCall<"listFiles" | "listFolders">;

type ListFunctions<Row> = {
  readonly select: (range: RowRange) => Promise<readonly Row[] | Refused>;
  /** Returns the row number of the folder whose access decides who may read the item. */
  readonly folderOf: (row: Row) => number;
  /** Returns the item in the form of the API; null if the key may not read the item. */
  readonly show: (row: Row) => AnsweredFile | AnsweredFolder | null;
};

/**
 * Returns a page of files or folders, in the order in which they were created. Renaming does not
 * change this order (`src/contract/README.md`, "Pagination rules"). The page lacks items that the
 * key may not read, so a page may be empty and still have a cursor.
 */
export async function answerList<Row extends { readonly seq: number }>(
  { context, query }: ListCall,
  url: string,
  { select, folderOf, show }: ListFunctions<Row>,
): Promise<Answer> {
  const { workspace, cursorSecret, access } = context;
  const { limit, cursor, ...selector } = query;
  const cursorQuery = JSON.stringify([workspace.id, url, selector]);
  const afterSeq = cursor === undefined ? 0 : openCursor(cursorSecret, cursorQuery, cursor);
  if (afterSeq === null) {
    return refuse("invalid_cursor", "The cursor is malformed, or another query issued it; start again without one.");
  }
  // One row more than the page shows is read. If that row exists, another page follows.
  const rows = await select({ workspace: workspace.seq, after: afterSeq, count: limit + 1 });
  if (isRefused(rows)) return rows;
  const page = rows.slice(0, limit);
  await access.loadAncestors(page.map(folderOf));
  const items = page.map(show).filter((item) => item !== null);
  const hasMore = rows.length > limit;
  const nextCursor = hasMore ? sealCursor(cursorSecret, cursorQuery, page.at(-1)!.seq) : null;
  return makeDone(200, { object: "list", url, data: items, hasMore, nextCursor });
}
