import { DEFAULT_PAGE_LIMIT, MAX_PAGE_LIMIT, MIN_PAGE_LIMIT } from "../../contract/limits.ts";
import type { NameKind } from "../../contract/names.ts";
import type { ListEnvelope } from "../../contract/resources.ts";
import { isRefused, type Refused, refuse, refuseFields } from "../requests/answer.ts";
import type { Call } from "../requests/context.ts";
import { openCursor, sealCursor } from "../requests/cursor.ts";
import { readId, readPath } from "../requests/input.ts";
import { pointerTo, readInteger } from "../requests/query.ts";
import type { ShownPage } from "../store/rows.ts";

/**
 * Pages of files and folders (`src/contract/README.md`, "Pagination rules"), always in the order of
 * creation, which no rename changes.
 */

export const LIST_PARAMETERS = ["limit", "cursor", "path", "path_prefix", "parent_id"] as const;

export type Chosen =
  | { readonly kind: "none" }
  | { readonly kind: "path" | "path-prefix"; readonly path: string }
  | { readonly kind: "parent-id"; readonly id: string };

/**
 * @param exact what a `path` must name: a file in the list of files, a folder in that of folders
 */
export function readSelector({ query, context }: Call, exact: NameKind): Chosen | Refused {
  const sent = ["path", "path_prefix", "parent_id"].filter((name) => query.has(name));
  const [name] = sent;
  if (name === undefined) return { kind: "none" };
  if (sent.length > 1) {
    const detail = `At most one of path, path_prefix and parent_id may be sent, not ${sent.join(" and ")}.`;
    return refuseFields(sent.map((each) => ({ code: "mutually_exclusive", pointer: pointerTo(each), detail })));
  }
  const value = query.get(name)!;
  if (name === "parent_id") {
    const id = readId(context, value, "dir_", "/parent_id");
    return isRefused(id) ? id : { kind: "parent-id", id };
  }
  if (name === "path" && query.has("cursor")) {
    const detail = "A path names one item: it takes no cursor.";
    return refuseFields([{ code: "mutually_exclusive", pointer: "/cursor", detail }]);
  }
  // The whole tree. The root cannot be a `path`, because it is neither a file nor a folder.
  if (name === "path_prefix" && value === "/") return { kind: "path-prefix", path: "" };
  const path = readPath(value, name === "path" ? exact : "folder", pointerTo(name));
  return isRefused(path) ? path : { kind: name === "path" ? "path" : "path-prefix", path };
}

/** What to read: the rows after a place, one more than the page holds. */
export type PageRequest = { readonly limit: number; readonly after: number; readonly boundTo: string };

export function readPage(call: Call, url: string, selector: Chosen): PageRequest | Refused {
  const limit = readInteger(call.query, "limit", {
    min: MIN_PAGE_LIMIT,
    max: MAX_PAGE_LIMIT,
    default: DEFAULT_PAGE_LIMIT,
  });
  if (isRefused(limit)) return limit;
  const boundTo = JSON.stringify([call.context.workspace.id, url, selector]);
  const cursor = call.query.get("cursor");
  if (cursor === undefined) return { limit, after: 0, boundTo };
  const after = openCursor(call.context.cursorSecret, boundTo, cursor);
  if (after !== null) return { limit, after, boundTo };
  return refuse("invalid_cursor", "The cursor is malformed, or another query issued it; start again without one.");
}

/** The envelope of a page whose items are written out, and all readable; in parts. */
export function writtenEnvelope(call: Call, url: string, page: PageRequest, { seqs, texts }: ShownPage): string[] {
  const hasMore = seqs.length > page.limit;
  const last = seqs[page.limit - 1]!;
  const nextCursor = hasMore ? sealCursor(call.context.cursorSecret, page.boundTo, last) : null;
  return listInParts(url, hasMore ? texts.slice(0, page.limit) : texts, hasMore, nextCursor);
}

/** The envelope of items that are written out, in parts. */
export function listInParts(
  url: string,
  items: readonly string[],
  hasMore = false,
  nextCursor: string | null = null,
): string[] {
  const parts = [`{"object":"list","url":${JSON.stringify(url)},"data":[`];
  for (const [n, item] of items.entries()) parts.push(n === 0 ? item : `,${item}`);
  parts.push(`],"hasMore":${hasMore},"nextCursor":${JSON.stringify(nextCursor)}}`);
  return parts;
}

/**
 * The envelope of one page. Rows that the key may not read are dropped after the page was read, so
 * a page may be short or empty while its cursor still leads on.
 * @param rows up to limit + 1 rows
 */
export function envelope<Row extends { readonly seq: number }, Item>(
  call: Call,
  url: string,
  page: PageRequest,
  rows: readonly Row[],
  readable: (row: Row) => boolean,
  present: (row: Row) => Item,
): ListEnvelope<Item> {
  const hasMore = rows.length > page.limit;
  const kept = hasMore ? rows.slice(0, page.limit) : rows;
  const nextCursor = hasMore ? sealCursor(call.context.cursorSecret, page.boundTo, kept.at(-1)!.seq) : null;
  return { object: "list", url, data: kept.filter(readable).map(present), hasMore, nextCursor };
}
