import { join } from "node:path";
import { type DocId, isChangeId, isDocId } from "../../contract/ids.ts";
import type { Digest } from "../../model/digest.ts";
import type { LocalPath, RemotePath } from "../../model/path.ts";
import { MADE_FILE } from "../../model/mirror-folder.ts";
import type { MadeEntry, MadeList } from "../../ports/disk.ts";
import { appendOwn, readOwn, removeOwn, renameOwn } from "../../state/own-files.ts";
import { faultOf } from "../../state/database.ts";
import { UnsafePath } from "../../state/unsafe-path.ts";

const { existsSync } = process.getBuiltinModule("node:fs");

/**
 * A file that says which new files are about to be made, and of what: a line for each, in JSON. It
 * survives a kill; after a power loss a part of it may be missing, and what is torn is passed over.
 */

/**
 * How many lines a file gets before it gives its name to the one before it. LIMIT: more files than
 * that are never without rows.
 */
const MOST_LINES = 16_384;
const BEFORE = `${MADE_FILE}.before`;

/** @param folder absolute path of `.mdmirror` */
export function noterIn(folder: string): (entries: readonly MadeEntry[]) => void {
  let lines = 0;
  return (entries) => {
    if (entries.length === 0) return;
    try {
      if (lines >= MOST_LINES) renameOwn(folder, MADE_FILE, BEFORE);
      lines = (lines >= MOST_LINES ? 0 : lines) + entries.length;
      appendOwn(folder, MADE_FILE, entries.map(lineOf).join(""));
    } catch (error) {
      // Without it a kill makes conflicts of what is edited afterwards. The files tell what is
      // wrong.
      if (!(error instanceof UnsafePath) && faultOf(error) === null) throw error;
    }
  };
}

export function madeListOf(folder: string): MadeList {
  return {
    read: () => {
      const entries = new Map<DocId, MadeEntry>();
      for (const name of [BEFORE, MADE_FILE]) readInto(entries, folder, name);
      return [...entries.values()];
    },
    isTorn: () => [BEFORE, MADE_FILE].some((name) => isTorn(folder, name)),
    drop: () => {
      for (const name of [BEFORE, MADE_FILE]) if (existsSync(join(folder, name))) removeOwn(folder, name);
    },
  };
}

function readInto(entries: Map<DocId, MadeEntry>, folder: string, name: string): void {
  const text = readOwn(folder, name)?.bytes.toString("utf8") ?? "";
  for (const line of text.split("\n")) {
    const values = valuesOf(line);
    const entry = values.length === NAMES ? entryOf(values) : withInode(entries, values);
    if (entry !== null) entries.set(entry.id, entry);
  }
}

function isTorn(folder: string, name: string): boolean {
  if (!existsSync(join(folder, name))) return false;
  const bytes = readOwn(folder, name)?.bytes;
  return bytes !== undefined && (bytes.length === 0 || bytes.includes(0));
}

/** What was said of a document before is not said again. */
function lineOf({ path, id, remotePath, changeId, digest, inode }: MadeEntry): string {
  const values = inode === null ? [path, id, remotePath, changeId, digest] : [id, inode.dev, inode.ino];
  return `${JSON.stringify(values)}\n`;
}

/** How many values the first line of a document has. */
const NAMES = 5;

function valuesOf(line: string): readonly unknown[] {
  try {
    const values: unknown = JSON.parse(line);
    return Array.isArray(values) ? values : [];
  } catch {
    return [];
  }
}

function entryOf(values: readonly unknown[]): MadeEntry | null {
  if (!values.every((value) => typeof value === "string")) return null;
  const [path, id, remotePath, changeId, digest] = values as [string, string, string, string, string];
  if (!isDocId(id) || !isChangeId(changeId) || !/^[0-9a-f]{64}$/.test(digest)) return null;
  return {
    path: path as LocalPath,
    id,
    remotePath: remotePath as RemotePath,
    changeId,
    digest: digest as Digest,
    inode: null,
  };
}

/** @returns null for a line that tells nothing of a document that was named before */
function withInode(entries: ReadonlyMap<DocId, MadeEntry>, [id, dev, ino]: readonly unknown[]): MadeEntry | null {
  const entry = entries.get(id as DocId);
  return entry === undefined || typeof dev !== "number" || typeof ino !== "number"
    ? null
    : { ...entry, inode: { dev, ino } };
}
