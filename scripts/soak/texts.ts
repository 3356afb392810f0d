/** Collects all contents that still exist anywhere. What is missing among them is lost. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Digest } from "../../src/contract/digest.ts";
import { toDatabaseFault } from "../../src/mirror/state/database.ts";
import { decodeProvenText, type StoredText } from "../../src/mirror/state/texts.ts";
import { digest, type Service, readRemote } from "./fixture.ts";

/** Mark of one edit: `<m17>`. */
const MARK = /<m\d+>/g;

export type Kept = { readonly digests: ReadonlySet<string>; readonly marks: ReadonlySet<string> };

/**
 * Returns all contents: local files (conflict copies too), documents on the service, the content
 * store, the trash, and files set aside with a damaged state.
 */
export async function keptTexts(fixture: Pick<Service, "call">, notes: string): Promise<Kept> {
  const digests = new Set<string>();
  const marks = new Set<string>();
  const keep = (text: string) => {
    digests.add(digest(text));
    for (const mark of text.match(MARK) ?? []) marks.add(mark);
  };
  for (const path of filesBelow(notes, (name) => name !== ".mdmirror")) keep(readFileSync(path, "utf8"));
  const mirror = join(notes, ".mdmirror");
  for (const folder of ["trash", "damaged"])
    for (const path of filesBelow(join(mirror, folder), () => true))
      if (!/\.db(-wal|-shm)?$/.test(path)) keep(readFileSync(path, "utf8"));
  for (const text of storedTexts(join(mirror, "texts.db"))) keep(text);
  for (const { text } of (await readRemote(fixture)).values()) keep(text);
  return { digests, marks };
}

function filesBelow(folder: string, wanted: (name: string) => boolean): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!wanted(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path, wanted) : entry.isFile() ? [path] : [];
  });
}

/**
 * Returns the contents of a store that have the right digest. Reads row by row, because a page of
 * the file may be damaged.
 */
function storedTexts(file: string): string[] {
  if (!existsSync(file)) return [];
  const db = new Sqlite(file, { readonly: true });
  const readable = <T>(read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      if (toDatabaseFault(error) === null) throw error;
      return null;
    }
  };
  try {
    const last = readable(() => db.prepare("SELECT max(seq) FROM texts").pluck().get() as number | null) ?? 0;
    const one = readable(() =>
      db.prepare("SELECT lower(hex(digest)) AS name, codec, size, text AS bytes FROM texts WHERE seq = ?"),
    );
    const texts: string[] = [];
    for (let seq = 1; one !== null && seq <= last; seq++) {
      const row = readable(() => one.get(seq) as (StoredText & { readonly name: Digest }) | undefined) ?? null;
      const text = row === null ? null : decodeProvenText(row.name, row);
      if (text !== null) texts.push(text);
    }
    return texts;
  } finally {
    db.close();
  }
}

/**
 * Returns the contents of all Markdown files in a folder by path, without folders whose name begins
 * with a dot.
 */
export function localTexts(notes: string): Map<string, string> {
  const here = filesBelow(notes, (name) => !name.startsWith("."));
  return new Map(
    here.flatMap((path) => (path.endsWith(".md") ? [[path.slice(notes.length + 1), readFileSync(path, "utf8")]] : [])),
  );
}
