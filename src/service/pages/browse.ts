import { includes } from "../files/access.ts";
import type { RequestContext } from "../requests/context.ts";
import { placeAt } from "../keys/kept-grants.ts";
import { type FileRow, type FolderRow, ROOT } from "../store/rows.ts";

/**
 * Reads what a page may show of a workspace: nothing that the API would not show to the same key.
 */

/** LIMIT: entries on one page. */
const MOST_ENTRIES = 200;
/**
 * LIMIT: rows read for one page. If a key may see little of a folder, a page may be short or empty
 * and still have a next one.
 */
const MOST_READ = 2_000;

export type Entry = { readonly kind: "folder" | "file"; readonly name: string; readonly isProtected: boolean };

export type FolderPage = {
  readonly path: string;
  readonly entries: readonly Entry[];
  /** Start of the next page; null if this is the last. */
  readonly next: string | null;
};

type Found =
  | { readonly kind: "folder"; readonly seq: number; readonly path: string }
  | { readonly kind: "file"; readonly row: FileRow };

/**
 * Finds the folder or document at a path.
 * @param path without slashes at its ends; "" is the root
 */
export async function find(context: RequestContext, path: string): Promise<Found | null> {
  const { tables, access } = context;
  // Every key may open the root. It is empty for a key that may see nothing directly in it.
  if (path === "") return { kind: "folder", seq: ROOT, path };
  const place = await placeAt(context, path);
  if (place === undefined) return null;
  if (place.kind === "folder") {
    return includes(await access.levelOfFolder(place.seq), "read") ? { kind: "folder", seq: place.seq, path } : null;
  }
  const row = (await tables.files.bySeqs([place.seq]))[0]!;
  return includes(await access.levelOfFile(row), "read") ? { kind: "file", row } : null;
}

/**
 * Returns one page of a folder: folders by name, then documents by name.
 * @param after `next` of the previous page; null for the first page
 */
export async function listFolder(
  context: RequestContext,
  folder: { readonly seq: number; readonly path: string },
  after: string | null,
): Promise<FolderPage> {
  const entries: Entry[] = [];
  let at = placeOf(after);
  let read = 0;
  while (at !== null && entries.length < MOST_ENTRIES && read < MOST_READ) {
    const count = MOST_ENTRIES - entries.length;
    // One row more than the page has shows whether there is a next page.
    const rows: readonly (FileRow | FolderRow)[] = await rowsOf(context, folder.seq, at, count + 1);
    const kept = rows.slice(0, count);
    read += kept.length;
    entries.push(...(await entriesOf(context, at.kind, kept)));
    at = nextOf(at, kept, rows.length > count);
  }
  return { path: folder.path, entries, next: at === null ? null : `${LETTER[at.kind]}${at.name}` };
}

/** Place of a page: after this name, among the folders or among the documents. */
type At = { readonly kind: "folder" | "file"; readonly name: string };

const LETTER = { folder: "d", file: "f" } as const;

function placeOf(after: string | null): At | null {
  if (after === null || after === "") return { kind: "folder", name: "" };
  return { kind: after.startsWith(LETTER.file) ? "file" : "folder", name: after.slice(1) };
}

function rowsOf({ tables, workspace }: RequestContext, folder: number, { kind, name }: At, count: number) {
  const page = { workspace: workspace.seq, folder, after: name, count };
  return kind === "folder" ? tables.folders.inParentByName(page) : tables.files.inFolderByName(page);
}

async function entriesOf(
  { access }: RequestContext,
  kind: At["kind"],
  rows: readonly (FileRow | FolderRow)[],
): Promise<Entry[]> {
  await access.know(rows.map((row) => ("folder" in row ? row.folder : row.seq)));
  if (kind === "folder") {
    const seen = rows.filter(({ seq }) => includes(access.folder(seq), "read"));
    return seen.map(({ name }) => ({ kind, name, isProtected: false }));
  }
  const seen = (rows as readonly FileRow[]).filter((row) => includes(access.file(row), "read"));
  return seen.map((row) => ({ kind, name: row.name, isProtected: row.protected === 1 }));
}

/** Returns the next place: documents follow the last folder; nothing follows the last document. */
function nextOf(at: At, rows: readonly { readonly name: string }[], hasMore: boolean): At | null {
  if (hasMore) return { kind: at.kind, name: rows.at(-1)!.name };
  return at.kind === "folder" ? { kind: "file", name: "" } : null;
}
