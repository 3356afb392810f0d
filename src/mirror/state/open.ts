import { join } from "node:path";
import type { Clock } from "../../common/clock.ts";
import {
  type DatabaseFault,
  findNewerSchema,
  findPageFault,
  leaveWal,
  type OpenedDatabase,
  openForReading,
  openForWriting,
  type SqliteDatabase,
  toDatabaseFault,
} from "./database.ts";
import { createOwnFileIfMissing, removeOwnFile, statOwnFile, withOwnFolderOpen } from "./own-files.ts";
import { type DatabaseSchema, STATE_SCHEMA, type StateFile, TEXTS_SCHEMA } from "./schema.ts";
import { StoredState } from "./state.ts";

/**
 * Result of opening a state. `created`: true for a new state, in which no document has a record.
 */
type OpenedState =
  | { readonly kind: "opened"; readonly state: StoredState; readonly created: boolean }
  | { readonly kind: "missing" }
  | FileFault;

type FileFault = { readonly file: StateFile } & DatabaseFault;

type StateLocation = {
  /** Absolute path of `.mdmirror`, which must exist; or `:memory:`. */
  readonly folder: string;
  readonly clock: Clock;
  /**
   * True for commands that only read, such as `plan`. Such commands can run while another process
   * writes, or in a folder without write permission. Default: false.
   */
  readonly readOnly?: boolean;
};

/**
 * Opens `state.db` and `texts.db`. Returns every problem with the files as a value. The caller has
 * the lock, unless the state is opened for reading.
 *
 * The pages of `state.db`, and the rows that a cycle uses, are checked each time. `texts.db` may be
 * much larger, and each content is compared with its digest when it is read. Therefore the pages of
 * `texts.db` are checked only in these cases:
 * - A WAL is left: a process was killed, the power failed, or the files were copied.
 * - Damage was found while the file was in use.
 * - `checkFiles` is called.
 */
export function openState(location: StateLocation): OpenedState {
  const { folder, clock, readOnly = false } = location;
  if (folder === ":memory:") return openInMemory(clock);
  return withOwnFolderOpen(folder, () => openFiles(folder, clock, readOnly));
}

function openInMemory(clock: Clock): OpenedState {
  const files = openBothDatabases((schema) => openForWriting(":memory:", schema));
  if (files.kind !== "both") return files;
  return {
    kind: "opened",
    state: new StoredState({ ...files, clock, close: () => closeBothDatabases(files) }),
    created: true,
  };
}

function openFiles(folder: string, clock: Clock, readOnly: boolean): OpenedState {
  // ORDER: this check comes first, because no file may be created, set aside or upgraded beside a
  // file that a newer mdmirror wrote.
  const newerFile = findNewerFile(folder);
  if (newerFile !== null) return newerFile;
  const sizesBefore = {
    state: readFileSize(folder, STATE_SCHEMA.file),
    texts: readFileSize(folder, TEXTS_SCHEMA.file),
  };
  if (readOnly && sizesBefore.state === null) return { kind: "missing" };
  if (readOnly && sizesBefore.texts === null)
    return { kind: "damaged", file: TEXTS_SCHEMA.file, detail: "is not there" };
  const areTextsInDoubt =
    !readOnly &&
    ((readFileSize(folder, `${TEXTS_SCHEMA.file}-wal`) ?? 0) > 0 || statOwnFile(folder, SUSPECT_FILE, "file") !== null);
  const openDatabase = readOnly ? openForReading : openForWriting;
  const files = openBothDatabases((schema) => openDatabase(join(folder, schema.file), schema));
  if (files.kind !== "both") return files;
  return closeUnlessOpened(files, () => {
    const pageFaultFound = findFileFault(files, "state") ?? (areTextsInDoubt ? findFileFault(files, "texts") : null);
    const fault = pageFaultFound ?? findLostFile(sizesBefore, files);
    if (fault !== null) return fault;
    if (areTextsInDoubt) removeOwnFile(folder, SUSPECT_FILE);
    const state = new StoredState({
      ...files,
      clock,
      close: () => closeBothDatabases(files),
      ...(readOnly ? {} : { onDamage: () => markContentStoreSuspect(folder) }),
    });
    const rowDamage = state.findDamage();
    if (rowDamage !== null) return { file: STATE_SCHEMA.file, ...rowDamage };
    return { kind: "opened", state, created: sizesBefore.state === null || sizesBefore.state === 0 };
  });
}

function findNewerFile(folder: string): FileFault | null {
  for (const schema of [TEXTS_SCHEMA, STATE_SCHEMA]) {
    if (readFileSize(folder, schema.file) === null) continue;
    const fault = findNewerSchema(join(folder, schema.file), schema);
    if (fault !== null) return { file: schema.file, ...fault };
  }
  return null;
}

type DatabaseFiles = { readonly kind: "both"; readonly state: SqliteDatabase; readonly texts: SqliteDatabase };

/**
 * ORDER: the content store is created before the state. If only the state exists later, the content
 * store was lost.
 */
function openBothDatabases(open: (schema: DatabaseSchema) => OpenedDatabase): DatabaseFiles | FileFault {
  const texts = open(TEXTS_SCHEMA);
  if (texts.kind !== "opened") return { file: TEXTS_SCHEMA.file, ...texts };
  const state = open(STATE_SCHEMA);
  if (state.kind === "opened") return { kind: "both", state: state.db, texts: texts.db };
  texts.db.close();
  return { file: STATE_SCHEMA.file, ...state };
}

function closeUnlessOpened(files: DatabaseFiles, open: () => OpenedState): OpenedState {
  try {
    const openedDatabase = open();
    if (openedDatabase.kind !== "opened") closeBothDatabases(files);
    return openedDatabase;
  } catch (error) {
    closeBothDatabases(files);
    const fault = toDatabaseFault(error);
    if (fault === null) throw error;
    return { file: STATE_SCHEMA.file, ...fault };
  }
}

/**
 * Name of a file that exists if `texts.db` may be damaged. The next opening then checks `texts.db`.
 * This fact is not a row of the state, because the row would be rolled back with the transaction
 * that found the damage.
 */
const SUSPECT_FILE = "texts.suspect";

function markContentStoreSuspect(folder: string): void {
  try {
    createOwnFileIfMissing(folder, SUSPECT_FILE);
  } catch (error) {
    // The file cannot be written, because the disk is full or read-only. A later run finds the
    // damage again.
    if (toDatabaseFault(error) === null) throw error;
  }
}

function findFileFault(files: DatabaseFiles, name: "state" | "texts"): FileFault | null {
  const fault = findPageFault(files[name]);
  return fault === null ? null : { file: `${name}.db`, ...fault };
}

/** Sizes of the files in bytes; null for a missing file. */
type FileSizes = { readonly state: number | null; readonly texts: number | null };

/**
 * Returns a fault if one file is empty or missing although the other file is in use. Otherwise
 * SQLite would create the lost file as a new one.
 */
function findLostFile(before: FileSizes, { state, texts }: DatabaseFiles): FileFault | null {
  if (!before.texts && hasRows(state, "records")) {
    return { kind: "damaged", file: "texts.db", detail: before.texts === 0 ? "is empty" : "is not there" };
  }
  // A missing `state.db` is no fault, because it is created again and filled from both sides. But
  // an empty `state.db` is damaged.
  if (before.state === 0 && hasRows(texts, "texts")) return { kind: "damaged", file: "state.db", detail: "is empty" };
  return null;
}

function hasRows(db: SqliteDatabase, table: string): boolean {
  return db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
}

/**
 * Closes both files.
 * ORDER: the content store is closed first, because closing a file flushes its commits. After a
 * power loss before the state is closed, no row may refer to lost content.
 */
function closeBothDatabases({ state, texts }: DatabaseFiles): void {
  try {
    closeAfterWriting(texts);
  } finally {
    closeAfterWriting(state);
  }
}

function readFileSize(folder: string, name: string): number | null {
  return statOwnFile(folder, name, "own-file")?.size ?? null;
}

/**
 * Closes a file that was opened for writing. Also leaves WAL mode, if no other process reads the
 * file. In WAL mode, even a reader such as `status` would create the files `-wal` and `-shm`, but
 * readers must not create files (I23).
 */
function closeAfterWriting(db: SqliteDatabase): void {
  try {
    if (db.memory || db.readonly || !db.open) return;
    db.pragma("busy_timeout = 0");
    leaveWal(db);
  } catch (error) {
    // The file is in use or damaged, or the disk is full. The file is closed nevertheless, and
    // stays in WAL mode.
    if (toDatabaseFault(error) === null) throw error;
  } finally {
    db.close();
  }
}
