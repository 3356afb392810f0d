import { basename, dirname, join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Digest } from "../../contract/digest.ts";
import { findDamage, openBaseTables } from "./base.ts";
import {
  type DatabaseFault,
  type SqliteDatabase,
  toDatabaseFault,
  openForReading,
  openForWriting,
  findPageFault,
} from "./database.ts";
import { openOwnDatabase } from "./own-database.ts";
import { makeOwnFolder, renameOwnFile, statOwnFile } from "./own-files.ts";
import { STATE_SCHEMA, type StateFile, TEXTS_SCHEMA } from "./schema.ts";
import { decodeProvenText } from "./texts.ts";

type FileDamage = { readonly file: StateFile } & DatabaseFault;

/** Checks all pages of both databases and all rows of `state.db`. Slow for large files. */
export function checkFiles(folder: string): FileDamage[] {
  const damages: FileDamage[] = [];
  for (const schema of [STATE_SCHEMA, TEXTS_SCHEMA]) {
    const path = join(folder, schema.file);
    if (statOwnFile(folder, schema.file, "own-file") === null) continue;
    const openedFile = openForReading(path, schema);
    const fault = openedFile.kind === "opened" ? findFaultIn(openedFile.db, schema.file) : openedFile;
    if (openedFile.kind === "opened") openedFile.db.close();
    if (fault !== null) damages.push({ file: schema.file, ...fault });
  }
  return damages;
}

/**
 * Checks the pages of a database, and the rows of `state.db`. Each content in `texts.db` is
 * compared with its digest only when it is read.
 */
function findFaultIn(db: SqliteDatabase, file: StateFile): DatabaseFault | null {
  return findPageFault(db) ?? (file === "texts.db" ? null : findDamage(db, openBaseTables(db)));
}

type SetAsideFiles = {
  /** Path of the folder with the moved files, relative to `.mdmirror`. */
  readonly to: string;
  readonly moved: readonly string[];
  readonly salvagedTexts: number;
};

/**
 * Moves a damaged database to a new folder below `damaged/`, so that `openState` creates a new
 * database. The caller has the lock, and both databases are closed.
 * - `state.db`: also moves `tmp/` with the set-aside files. Only the journal in the damaged
 *   database named these files, so mdmirror would treat them as unclaimed. `texts.db` stays,
 *   because the new state needs the base versions and lost edits in it.
 * - `texts.db`: copies the contents that match their digests to a new file. Other contents that
 *   records need are read again, from the disk and the service.
 * @param stamp time as a string, which becomes the name of the new folder
 */
export function setAsideDamaged(folder: string, file: StateFile, stamp: string): SetAsideFiles {
  const { to, moved } = moveFilesAway(folder, "damaged", stamp, file);
  const salvagedTexts = file === "texts.db" ? salvageContents(join(folder, to, file), join(folder, file)) : 0;
  return { to, moved, salvagedTexts };
}

/**
 * Moves `state.db` and the set-aside files to a new folder below `unlinked/`, because the folder is
 * no longer linked. The content store stays: if the folder is linked again, merges need the base
 * versions in the store.
 * @param stamp time as a string, which becomes the name of the new folder
 * @returns path of the new folder, relative to `.mdmirror`; null without a state
 */
export function setAsideUnlinked(folder: string, stamp: string): string | null {
  if (statOwnFile(folder, STATE_SCHEMA.file, "own-file") === null) return null;
  return moveFilesAway(folder, "unlinked", stamp, "state.db").to;
}

function moveFilesAway(
  folder: string,
  below: "damaged" | "unlinked",
  stamp: string,
  file: StateFile,
): Omit<SetAsideFiles, "salvagedTexts"> {
  const targetFolder = createEmptyFolder(folder, below, stamp);
  const fileNames = ["", "-wal", "-shm", "-journal"].map((end) => `${file}${end}`);
  if (file === "state.db") fileNames.push("tmp");
  const namesToMove = fileNames.filter(
    (name) => statOwnFile(folder, name, name === "tmp" ? "folder" : "own-file") !== null,
  );
  // ORDER: the database is moved first, then its -wal file. If the process is killed between the
  // two moves, SQLite deletes the -wal file, which has no database. In the other order, SQLite
  // would open the database without its last commits.
  for (const name of namesToMove) renameOwnFile(folder, name, `${targetFolder}/${name}`);
  return { to: targetFolder, moved: namesToMove };
}

function createEmptyFolder(folder: string, below: "damaged" | "unlinked", stamp: string): string {
  makeOwnFolder(folder, below);
  for (let n = 1; ; n++) {
    const name = n === 1 ? `${below}/${stamp}` : `${below}/${stamp}-${n}`;
    if (statOwnFile(folder, name, "folder") !== null) continue;
    makeOwnFolder(folder, name);
    return name;
  }
}

type ContentRow = { digest: unknown; codec: number; size: number; used: number; text: unknown };
type SeenPathRow = { path: unknown; id: unknown; side: unknown; why: unknown; at: unknown };

/**
 * Copies undamaged contents to a new file. Creates the file even without contents, because an empty
 * file shows later that mdmirror has handled the loss.
 */
function salvageContents(from: string, to: string): number {
  const newStore = openForWriting(to, TEXTS_SCHEMA);
  if (newStore.kind !== "opened")
    throw new Error(`cannot make ${TEXTS_SCHEMA.file} again: ${JSON.stringify(newStore)}`);
  const damagedSize = statOwnFile(dirname(from), basename(from), "own-file")?.size ?? 0;
  const damagedStore =
    damagedSize === 0 ? null : readOrNull(() => openOwnDatabase(from, { make: false, readonly: true }));
  try {
    return damagedStore === null
      ? 0
      : newStore.db.transaction(() => copyReadableContents(damagedStore, newStore.db, damagedSize))();
  } finally {
    damagedStore?.close();
    newStore.db.close();
  }
}

/**
 * LIMIT: assumed size of the smallest row in bytes, from which the highest row number is estimated.
 * Every row is larger, because of its digest, header and index entry. If many rows were deleted and
 * the end of the table is damaged, rows with higher numbers than estimated are not found.
 */
const MIN_ROW_BYTES = 64;

/**
 * Copies each content that matches its digest, with its origins. Leaves out damaged rows. Returns
 * the number of copied contents.
 */
function copyReadableContents(from: SqliteDatabase, into: SqliteDatabase, bytes: number): number {
  const selectContent = readOrNull(() =>
    from.prepare<[number], ContentRow>("SELECT digest, codec, size, used, text FROM texts WHERE seq = ?"),
  );
  const selectPaths = readOrNull(() =>
    from.prepare<[number], SeenPathRow>("SELECT path, id, side, why, at FROM seen WHERE text = ?"),
  );
  const highestNumber = readOrNull(
    () => from.prepare<[], number | null>("SELECT max(seq) FROM texts").pluck().get() ?? 0,
  );
  const insertContent = into.prepare(
    "INSERT OR IGNORE INTO texts (seq, digest, codec, size, used, text) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const name = into.prepare("INSERT OR IGNORE INTO seen (text, path, id, side, why, at) VALUES (?, ?, ?, ?, ?, ?)");
  const lastNumber = selectContent === null ? 0 : (highestNumber ?? Math.ceil(bytes / MIN_ROW_BYTES));
  let copiedCount = 0;
  for (let seq = 1; seq <= lastNumber; seq++) {
    const row = readOrNull(() => selectContent!.get(seq) ?? null);
    if (row === null || !matchesDigest(row)) continue;
    const { digest, codec, size, used, text: content } = row;
    if (insertContent.run(seq, digest, codec, size, Number.isFinite(used) ? used : 0, content).changes === 0) continue;
    copiedCount++;
    const seenPaths = readOrNull(() => selectPaths?.all(seq) ?? []) ?? [];
    for (const { path, id, side, why, at } of seenPaths.filter(isCompletePathRow))
      name.run(seq, path, id, side, why, at);
  }
  return copiedCount;
}

function matchesDigest({ digest, codec, size, text }: ContentRow): boolean {
  if (!(Buffer.isBuffer(digest) && Buffer.isBuffer(text))) return false;
  return decodeProvenText(digest.toString("hex") as Digest, { codec, size, bytes: text }) !== null;
}

function isCompletePathRow({ path, id, side, why, at }: SeenPathRow): boolean {
  const hasPath = [path, side, why].every((member) => typeof member === "string") && typeof at === "number";
  return hasPath && (id === null || typeof id === "string");
}

function readOrNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (toDatabaseFault(error) === null && !(error instanceof Sqlite.SqliteError)) throw error;
    return null;
  }
}
