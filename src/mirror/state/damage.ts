import { basename, dirname, join } from "node:path";
import type { Statement } from "better-sqlite3";
import type { Digest } from "../../contract/digest.ts";
import { findDamage, openBaseTables } from "./base.ts";
import { type DatabaseFault, type Db, faultOf, openForReading, openForWriting, pageFault } from "./database.ts";
import { openOwnDatabase } from "./own-database.ts";
import { makeOwnFolder, renameOwn, statOwn } from "./own-files.ts";
import { STATE_SCHEMA, type StateFile, TEXTS_SCHEMA } from "./schema.ts";
import { provenText } from "./texts.ts";

type Damage = { readonly file: StateFile } & DatabaseFault;

/**
 * Checks all pages of both files: for `doctor`, and after an exception that `faultOf` calls
 * `damaged`. Takes about a second for 300 MB.
 */
export function checkFiles(folder: string): Damage[] {
  const found: Damage[] = [];
  for (const schema of [STATE_SCHEMA, TEXTS_SCHEMA]) {
    const path = join(folder, schema.file);
    if (statOwn(folder, schema.file, "own-file") === null) continue;
    const opened = openForReading(path, schema);
    const fault = opened.kind === "opened" ? (pageFault(opened.db) ?? rowFault(opened.db, schema.file)) : opened;
    if (opened.kind === "opened") opened.db.close();
    if (fault !== null) found.push({ file: schema.file, ...fault });
  }
  return found;
}

/**
 * Checks the rows of `state.db`. Of `texts.db`, only the pages are checked: content is checked
 * against its digest when it is read.
 */
function rowFault(db: Db, file: StateFile): DatabaseFault | null {
  if (file === "texts.db") return null;
  return findDamage(db, openBaseTables(db));
}

type SetAside = {
  /** Path below `.mdmirror` of the folder with the moved files. */
  readonly to: string;
  readonly moved: readonly string[];
  /** Number of contents that were copied from a damaged `texts.db` into the new one. */
  readonly salvagedTexts: number;
};

/**
 * Moves a damaged file with its companions to `damaged/<stamp>/`, so that `openState` creates a new
 * one. The caller has the lock, and both files are closed. With `state.db`, `tmp/` is moved too:
 * only the lost intents name the files that were set aside in it, so the next sweep would move them
 * to `trash/unclaimed/`. Stored contents stay, because linking finds bases and lost edits in them.
 * From a damaged `texts.db`, readable contents are copied, each checked by its digest. Others that
 * records name are read again from the disk and the service.
 */
export function setAsideDamaged(folder: string, file: StateFile, stamp: string): SetAside {
  const to = freshFolder(folder, "damaged", stamp);
  const names = [file, `${file}-wal`, `${file}-shm`, ...(file === "state.db" ? ["tmp"] : [])];
  const moved = names.filter((name) => statOwn(folder, name, name === "tmp" ? "folder" : "own-file") !== null);
  // ORDER: the -wal is moved after its file. After a kill between the two moves, SQLite deletes a
  // -wal without its file. In the other order, the file would be opened without its last commits.
  for (const name of moved) renameOwn(folder, name, `${to}/${name}`);
  const salvagedTexts = file === "texts.db" ? salvageTexts(join(folder, to, file), join(folder, file)) : 0;
  return { to, moved, salvagedTexts };
}

/**
 * Moves `state.db`, its companions and set-aside files to `unlinked/<stamp>/`, because the folder
 * is no longer linked. Stored contents stay, so that a later link can use them as bases of merges.
 * @returns path of the folder below `.mdmirror`; null if there was no state
 */
export function setAsideUnlinked(folder: string, stamp: string): string | null {
  if (statOwn(folder, STATE_SCHEMA.file, "own-file") === null) return null;
  const to = freshFolder(folder, "unlinked", stamp);
  const files = ["", "-wal", "-shm", "-journal"].map((end) => `${STATE_SCHEMA.file}${end}`);
  for (const name of files) if (statOwn(folder, name, "own-file") !== null) renameOwn(folder, name, `${to}/${name}`);
  if (statOwn(folder, "tmp", "folder") !== null) renameOwn(folder, "tmp", `${to}/tmp`);
  return to;
}

function freshFolder(folder: string, below: "damaged" | "unlinked", stamp: string): string {
  makeOwnFolder(folder, below);
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${below}/${stamp}` : `${below}/${stamp}-${n}`;
    if (statOwn(folder, name, "folder") !== null) continue;
    makeOwnFolder(folder, name);
    return name;
  }
}

type SalvageRow = { seq: number; digest: unknown; codec: number; size: number; used: number; text: unknown };
type SeenRow = { text: number; path: unknown; id: unknown; side: unknown; why: unknown; at: unknown };

/**
 * Copies readable contents. Creates the new file even if nothing could be read: an empty file shows
 * that the loss was already handled.
 */
function salvageTexts(from: string, to: string): number {
  const fresh = openForWriting(to, TEXTS_SCHEMA);
  if (fresh.kind !== "opened") throw new Error(`cannot make ${TEXTS_SCHEMA.file} again: ${JSON.stringify(fresh)}`);
  try {
    return fresh.db.transaction(() => {
      const count = copyTexts(from, fresh.db);
      copyNames(from, fresh.db);
      return count;
    })();
  } finally {
    fresh.db.close();
  }
}

/** Copies contents that still have their digest. Returns how many. */
function copyTexts(from: string, into: Db): number {
  const insert = into.prepare(
    "INSERT OR IGNORE INTO texts (seq, digest, codec, size, used, text) VALUES (?, ?, ?, ?, ?, ?)",
  );
  let count = 0;
  for (const { seq, digest, codec, size, used, text } of readableRows<SalvageRow>(from, TEXT_ROWS)) {
    if (!(Buffer.isBuffer(digest) && Buffer.isBuffer(text))) continue;
    if (provenText(digest.toString("hex") as Digest, { codec, size, bytes: text }) === null) continue;
    count += insert.run(seq, digest, codec, size, Number.isFinite(used) ? used : 0, text).changes;
  }
  return count;
}

/**
 * Copies the names of contents. Leaves out a damaged name, and the name of content that could not
 * be copied.
 */
function copyNames(from: string, into: Db): void {
  const insert = into.prepare(
    "INSERT OR IGNORE INTO seen SELECT ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM texts WHERE seq = ?)",
  );
  for (const { text, path, id, side, why, at } of readableRows<SeenRow>(from, SEEN_ROWS)) {
    const isWhole = [path, side, why].every((member) => typeof member === "string") && typeof at === "number";
    if (isWhole && (id === null || typeof id === "string")) insert.run(text, path, id, side, why, at, text);
  }
}

const RANGE_ROWS = 1_024;

const TEXT_ROWS = "SELECT seq, digest, codec, size, used, text FROM texts WHERE seq >= ? AND seq < ? ORDER BY seq";
const SEEN_ROWS = "SELECT text, path, id, side, why, at FROM seen WHERE text >= ? AND text < ? ORDER BY text";

/**
 * Reads rows by ranges of their number. Halves a range that cannot be read, until only the
 * unreadable rows are left out.
 */
function* readableRows<Row>(path: string, sql: string): Generator<Row> {
  const size = statOwn(dirname(path), basename(path), "own-file")?.size ?? 0;
  if (size === 0) return;
  let db: Db | null = null;
  try {
    db = openOwnDatabase(path, { make: false, readonly: true });
    // A file of an older mdmirror has no table of names.
    if (sql === SEEN_ROWS && db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'seen'").get() === undefined) return;
    const rows = db.prepare<[number, number], Row>(sql);
    const end = highestRow(db) ?? Math.ceil(size / MIN_ROW_BYTES);
    for (let low = 1; low <= end; low += RANGE_ROWS) yield* readRange(rows, low, low + RANGE_ROWS);
  } catch (error) {
    // The tree is damaged at its root, so no further rows can be read.
    if (faultOf(error) === null) throw error;
  } finally {
    db?.close();
  }
}

function* readRange<Row>(rows: Statement<[number, number], Row>, low: number, high: number): Generator<Row> {
  let found: Row[] | null = null;
  try {
    found = rows.all(low, high);
  } catch (error) {
    if (faultOf(error)?.kind !== "damaged") throw error;
  }
  if (found !== null) yield* found;
  else if (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    yield* readRange(rows, low, middle);
    yield* readRange(rows, middle, high);
  }
}

/**
 * LIMIT: every row takes more bytes for digest, header and index entry. If many rows were pruned
 * and the tree's edge is damaged, rows with larger numbers are not found.
 */
const MIN_ROW_BYTES = 64;

function highestRow(db: Db): number | null {
  try {
    return db.prepare<[], number>("SELECT max(seq) FROM texts").pluck().get() ?? 0;
  } catch (error) {
    if (faultOf(error)?.kind !== "damaged") throw error;
    return null;
  }
}
