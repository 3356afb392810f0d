/**
 * Parses the bodies of the service's answers, and checks each field. Refuses JSON that would take
 * too much time or memory. Ignores undocumented fields.
 */
import type { AnsweredContent, AnsweredFolder, ChangeInReview, Edit, List } from "../../contract/api/resources.ts";
import { isJsonObject, type JsonObject, member } from "../../contract/json.ts";
import { type ChangeId, type DirId, type DocId, isChangeId, isDirId, isDocId } from "../../contract/ids.ts";
import { type NameKind, splitPath } from "../../contract/names.ts";
import {
  type FileResource,
  type FileWithContent,
  type FolderResource,
  REVIEW_REASONS,
  type ReviewReason,
} from "../../contract/resources.ts";
import type { RemotePath } from "../../contract/path.ts";

type ParsedJson =
  | { readonly kind: "json"; readonly value: unknown }
  | { readonly kind: "not-json"; readonly why: string }
  | { readonly kind: "too-much"; readonly why: string };

// LIMIT: number of nested levels, because parsing millions of nested brackets would take seconds.
// Answers of the API have at most 4 levels.
const MAX_DEPTH = 32;
// LIMIT: number of values, because the 10 million values that fit into an answer of 32 MB would
// take a gigabyte of memory. A page of 1,000 items has some 10,000.
const MAX_VALUES = 2_000_000;

export function parseJson(text: string): ParsedJson {
  const refusal = whyRefused(text);
  if (refusal !== null) return { kind: "too-much", why: refusal };
  try {
    return { kind: "json", value: JSON.parse(text) };
  } catch {
    // The parser's message is not used, because it may quote the content of a document (I30).
    return { kind: "not-json", why: text.trim() === "" ? "it is empty" : "it is not JSON" };
  }
}

/**
 * Returns the reason why the JSON must not be parsed; null if parsing is allowed. Counts brackets
 * and commas outside strings. If the text is not JSON, the counts may be wrong, but parsing then
 * fails anyway.
 */
function whyRefused(text: string): string | null {
  let depth = 0;
  let values = 0;
  for (let i = 0; i < text.length; i++) {
    switch (text[i]) {
      case '"':
        i = findStringEnd(text, i);
        break;
      case "[":
      case "{":
        values++;
        if (++depth > MAX_DEPTH) return "it is nested too deeply";
        break;
      case "]":
      case "}":
        depth--;
        break;
      case ",":
        values++;
    }
    if (values > MAX_VALUES) return "it has too many values";
  }
  return null;
}

/**
 * Returns the offset at which a string ends; the length of the JSON without a closing quote. Jumps
 * from quote to quote, because most answers consist of one long string.
 */
function findStringEnd(text: string, openQuote: number): number {
  let closeQuote = openQuote;
  for (;;) {
    closeQuote = text.indexOf('"', closeQuote + 1);
    if (closeQuote === -1) return text.length;
    let backslashes = 0;
    while (text[closeQuote - 1 - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 0) return closeQuote;
  }
}

export type ParseResult<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string };

type ReadPath = { readonly wire: string; readonly path: RemotePath };

function refuse(why: string): { readonly ok: false; readonly why: string } {
  return { ok: false, why };
}

// LIMIT: number of characters in a path, because a path is stored in SQLite, sent in URLs, and
// printed on one line. The limit is four times that of the embedded service.
const MAX_PATH_LENGTH = 16_384;
// LIMIT: number of names in a path, because the time to check all folders of a path grows with the
// cube of this number. The limit is twice that of the embedded service.
const MAX_PATH_NAMES = 256;
// Characters that the API forbids in names, and that a disk would read in another way: backslashes,
// control characters and halves of surrogate pairs.
const FORBIDDEN_NAME_CHARACTERS = /[\\\p{Cc}\p{Surrogate}]/u;
// Matches simple paths, which need no further checks, so that large lists are read faster.
const SIMPLE_PATH = /^\/?[\w-][\w. -]*(?:\/[\w-][\w. -]*)*$/;
const MAX_SIMPLE_LENGTH = 2 * MAX_PATH_NAMES;

/**
 * Reads a path from an answer. Accepts names that break only rules of the API, such as names with
 * spaces; the local file then gets another name. Refuses a path that could lead out of the linked
 * folder: empty names, `.`, `..`, separators, control characters.
 */
export function readPath(value: unknown, kind: NameKind): ParseResult<ReadPath> {
  if (typeof value !== "string") return refuse("its path is not a string");
  // A path shorter than `MAX_SIMPLE_LENGTH` never has more than `MAX_PATH_NAMES` names.
  if (value.length < MAX_SIMPLE_LENGTH && SIMPLE_PATH.test(value) && value.endsWith(".md") === (kind === "file"))
    return { ok: true, value: { wire: value, path: value.startsWith("/") ? value.slice(1) : value } };
  if (value.length > MAX_PATH_LENGTH) return refuse("its path is too long");
  if (FORBIDDEN_NAME_CHARACTERS.test(value)) return refuse("its path contains a character that names may not contain");
  const names = splitPath(value);
  const why = whyNotNames(names, kind);
  return why === null ? { ok: true, value: { wire: value, path: names.join("/") } } : refuse(why);
}

const FORBIDDEN_NAMES: ReadonlySet<string> = new Set(["", ".", ".."]);

function whyNotNames(names: readonly string[], kind: NameKind): string | null {
  if (names.length > MAX_PATH_NAMES) return "its path is too deep";
  if (names.some((name) => FORBIDDEN_NAMES.has(name))) return "its path has an empty or relative name";
  const isFile = names[names.length - 1]!.endsWith(".md");
  if (isFile === (kind === "file")) return null;
  return kind === "file" ? "its path does not end in .md" : "its path ends in .md";
}

/** Fields in the answer to a PUT. A missing or malformed field is null. */
type SavedEdit = {
  readonly id: DocId | null;
  readonly lastChangeId: ChangeId | null;
  readonly wirePath: string | null;
  readonly content: string | null;
};

/**
 * Reads the answer to a PUT. Accepts two forms: a document in the member `file` beside a member
 * `content`, or a document that contains the member `content`.
 */
export function readEdit(value: unknown): ParseResult<SavedEdit> {
  if (!isJsonObject(value)) return refuse("the answer of the service is not a JSON object");
  const nestedFile = member<Edit>(value, "file");
  const file = isJsonObject(nestedFile) ? nestedFile : value;
  const id = member<AnsweredContent>(file, "id");
  const lastChangeId = member<AnsweredContent>(file, "lastChangeId");
  const path = readPath(member<AnsweredContent>(file, "path"), "file");
  const content = member<Edit>(value, "content");
  return {
    ok: true,
    value: {
      id: isDocId(id) ? id : null,
      lastChangeId: isChangeId(lastChangeId) ? lastChangeId : null,
      wirePath: path.ok ? path.value.wire : null,
      content: typeof content === "string" && content.isWellFormed() ? content : null,
    },
  };
}

/** Reads the answer to a PUT whose edit went to review. A missing or malformed field is null. */
export function readReview(value: unknown): {
  readonly changeId: ChangeId | null;
  readonly reason: ReviewReason | null;
} {
  if (!isJsonObject(value)) return { changeId: null, reason: null };
  const id = member<ChangeInReview>(value, "id");
  const reason = REVIEW_REASONS.find((known) => known === member<ChangeInReview>(value, "reason"));
  return { changeId: isChangeId(id) ? id : null, reason: reason ?? null };
}

export type ListedItem<T> = { readonly resource: T; readonly wirePath: string };

/**
 * Reads a document from a list or a GET. A missing `protected` counts as false. For a protected
 * document, the answer to a later write then corrects this value.
 */
export function readFile(value: unknown): ParseResult<ListedItem<FileResource>> {
  if (!isJsonObject(value)) return refuse("it is not a JSON object");
  const id = member<AnsweredContent>(value, "id");
  if (!isDocId(id)) return refuse("its id is not of the form doc_…");
  const lastChangeId = member<AnsweredContent>(value, "lastChangeId");
  if (!isChangeId(lastChangeId)) return refuse("its lastChangeId is not of the form chg_…");
  const path = readPath(member<AnsweredContent>(value, "path"), "file");
  if (!path.ok) return path;
  const isProtected = member<AnsweredContent>(value, "protected") ?? false;
  if (typeof isProtected !== "boolean") return refuse("its protected is not a boolean");
  const resource = { id, lastChangeId, path: path.value.path, protected: isProtected };
  return { ok: true, value: { resource, wirePath: path.value.wire } };
}

export function readFileWithContent(value: unknown): ParseResult<ListedItem<FileWithContent>> {
  const file = readFile(value);
  if (!file.ok) return file;
  const { resource, wirePath } = file.value;
  const content = member<AnsweredContent>(value as JsonObject, "content");
  if (typeof content !== "string") return refuse("its content is not a string");
  // UTF-8 cannot encode half of a surrogate pair, so the local file would contain another character
  // (I25).
  if (!content.isWellFormed()) return refuse("its content is not well-formed Unicode");
  return { ok: true, value: { resource: { ...resource, content }, wirePath } };
}

export function readFolder(value: unknown): ParseResult<ListedItem<FolderResource>> {
  if (!isJsonObject(value)) return refuse("it is not a JSON object");
  const id = member<AnsweredFolder>(value, "id");
  if (!isDirId(id)) return refuse("its id is not of the form dir_…");
  const path = readPath(member<AnsweredFolder>(value, "path"), "folder");
  if (!path.ok) return path;
  return { ok: true, value: { resource: { id, path: path.value.path }, wirePath: path.value.wire } };
}

export function readFileId(value: unknown): DocId | null {
  const id = isJsonObject(value) ? member<AnsweredContent>(value, "id") : undefined;
  return isDocId(id) ? id : null;
}

export function readFolderId(value: unknown): DirId | null {
  const id = isJsonObject(value) ? member<AnsweredFolder>(value, "id") : undefined;
  return isDirId(id) ? id : null;
}

export type ListPage = { readonly items: readonly unknown[] } & Readonly<Pick<List, "hasMore" | "nextCursor">>;

// LIMIT: number of characters in a cursor, because servers limit the first line of a request, which
// contains the cursor, to 8 or 16 KiB.
const MAX_CURSOR_LENGTH = 4_096;
// LIMIT: number of items in a page, so that a page fits into memory. Up to this number, a service
// may send more items than requested.
const MAX_PAGE_ITEMS = 100_000;

export function readPage(value: unknown): ParseResult<ListPage> {
  if (!isJsonObject(value)) return refuse("the page of the list is not a JSON object");
  if (member<List>(value, "object") !== "list") return refuse("the page is not marked as a list");
  const items = member<List>(value, "data");
  if (!Array.isArray(items)) return refuse("the page of the list has no array 'data'");
  if (items.length > MAX_PAGE_ITEMS) return refuse("the page has too many items");
  const hasMore = member<List>(value, "hasMore");
  if (typeof hasMore !== "boolean") return refuse("the page does not say whether there are more");
  if (!hasMore) return { ok: true, value: { items, hasMore, nextCursor: null } };
  const cursor = readCursor(member<List>(value, "nextCursor"));
  return cursor.ok ? { ok: true, value: { items, hasMore, nextCursor: cursor.value } } : cursor;
}

function readCursor(value: unknown): ParseResult<string> {
  if (typeof value !== "string" || value === "") return refuse("the page says that there are more, without a cursor");
  if (value.length > MAX_CURSOR_LENGTH || !value.isWellFormed())
    return refuse("the cursor of the page cannot be used in a request");
  return { ok: true, value };
}
