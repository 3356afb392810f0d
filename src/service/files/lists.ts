/**
 * Makes pages of files and of folders, in the order in which they were created. Renaming does not
 * change this order (`src/contract/README.md`, "Pagination rules").
 */

import type { AnsweredFile, AnsweredFolder } from "../../contract/api/resources.ts";
import { type Answer, makeDone, isRefused, type Refused, refuse } from "../requests/answer.ts";
import type { OperationCall } from "../requests/context.ts";
import { openCursor, sealCursor } from "../requests/cursor.ts";
import type { RowRange } from "../store/rows.ts";

type ListCall = OperationCall<"listFiles" | "listFolders">;

type ListFunctions<Row> = {
  readonly select: (range: RowRange) => Promise<readonly Row[] | Refused>;
  /**
   * Returns the row number of a folder. The access to this folder decides who may read the item.
   */
  readonly folderOf: (row: Row) => number;
  /** Returns the item in the form of the API; null if the key may not read the item. */
  readonly show: (row: Row) => AnsweredFile | AnsweredFolder | null;
};

/**
 * Returns a page of a list. Leaves out items that the key may not read, so a page may be empty and
 * still have a cursor.
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
  // One more row is read than the page shows. If it exists, another page follows.
  const rows = await select({ workspace: workspace.seq, after: afterSeq, count: limit + 1 });
  if (isRefused(rows)) return rows;
  const page = rows.slice(0, limit);
  await access.loadAncestors(page.map(folderOf));
  const items = page.map(show).filter((item) => item !== null);
  const hasMore = rows.length > limit;
  const nextCursor = hasMore ? sealCursor(cursorSecret, cursorQuery, page.at(-1)!.seq) : null;
  return makeDone(200, { object: "list", url, data: items, hasMore, nextCursor });
}
