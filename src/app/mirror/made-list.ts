import { join } from "node:path";
import { isChangeId, isDocId } from "../../contract/ids.ts";
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
      if (!isOfDisk(error)) throw error;
    }
  };
}

export function madeListOf(folder: string): MadeList {
  return {
    read: () => [BEFORE, MADE_FILE].flatMap((name) => readIn(folder, name)),
    drop: () => {
      for (const name of [BEFORE, MADE_FILE]) if (existsSync(join(folder, name))) removeOwn(folder, name);
    },
  };
}

function readIn(folder: string, name: string): MadeEntry[] {
  const text = readOwn(folder, name)?.bytes.toString("utf8") ?? "";
  return text.split("\n").flatMap((line) => entryOf(line) ?? []);
}

function lineOf({ path, id, remotePath, changeId, digest, inode }: MadeEntry): string {
  const names = [path, id, remotePath, changeId, digest];
  return `${JSON.stringify(inode === null ? names : [...names, inode.dev, inode.ino])}\n`;
}

function entryOf(line: string): MadeEntry | null {
  let values: unknown;
  try {
    values = JSON.parse(line);
  } catch {
    return null;
  }
  if (!Array.isArray(values) || (values.length !== 5 && values.length !== 7)) return null;
  const inode = inodeOf(values.slice(5));
  if (inode === undefined || !values.slice(0, 5).every((value) => typeof value === "string")) return null;
  const [path, id, remotePath, changeId, digest] = values as [string, string, string, string, string];
  if (!isDocId(id) || !isChangeId(changeId) || !/^[0-9a-f]{64}$/.test(digest)) return null;
  return {
    path: path as LocalPath,
    id,
    remotePath: remotePath as RemotePath,
    changeId,
    digest: digest as Digest,
    inode,
  };
}

/** @returns undefined for what is none */
function inodeOf(values: readonly unknown[]): MadeEntry["inode"] | undefined {
  const [dev, ino] = values;
  if (values.length === 0) return null;
  return typeof dev === "number" && typeof ino === "number" ? { dev, ino } : undefined;
}

function isOfDisk(error: unknown): boolean {
  return (
    error instanceof UnsafePath || faultOf(error) !== null || typeof (error as NodeJS.ErrnoException).code === "string"
  );
}
