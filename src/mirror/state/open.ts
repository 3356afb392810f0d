import { join } from "node:path";
import type { Clock } from "../../common/clock.ts";
import {
  type DatabaseFault,
  type Db,
  faultOf,
  type OpenedDatabase,
  openForReading,
  openForWriting,
  pageFault,
} from "./database.ts";
import { removeOwn, statOwn, touchOwn } from "./own-files.ts";
import { withOwnFolderOpen } from "./own-handle.ts";
import { type Schema, STATE_SCHEMA, type StateFile, TEXTS_SCHEMA } from "./schema.ts";
import { StoredState } from "./state.ts";
import { leaveWal } from "./wal-mode.ts";

/** Result of opening. `created`: no state existed before, so no document has a record yet. */
type OpenedState =
  | { readonly kind: "opened"; readonly state: StoredState; readonly created: boolean }
  | { readonly kind: "missing" }
  | FileFault;

type FileFault = { readonly file: StateFile } & DatabaseFault;

type StateLocation = {
  /** Absolute path of `.mdmirror`, which must exist, or `:memory:`. */
  readonly folder: string;
  readonly clock: Clock;
  /**
   * True for commands that only read, such as `plan`. They can run beside a process that writes,
   * and in a folder without write permission.
   */
  readonly readOnly?: boolean;
};

/**
 * Opens both files. Every possible problem with the files is a value. The caller has the lock
 * unless it only reads. `state.db` is checked page by page each time. Its rows are checked during
 * the load that the first cycle needs anyway. `texts.db` may be much larger, and each content is
 * checked by its digest when it is read. So its pages are checked only in three cases:
 * - A WAL is left: a process was killed, the power failed, or files were copied.
 * - Damage was found in use since the last check.
 * - `checkFiles` is called.
 */
export function openState(location: StateLocation): OpenedState {
  const { folder, clock, readOnly = false } = location;
  if (folder === ":memory:") return openInMemory(clock);
  return withOwnFolderOpen(folder, () => openFiles(folder, clock, readOnly));
}

/** Opens a state in memory. Such a state is always new, so it needs no check. */
function openInMemory(clock: Clock): OpenedState {
  const files = openBoth((schema) => openForWriting(":memory:", schema));
  if (files.kind !== "both") return files;
  return { kind: "opened", state: new StoredState({ ...files, clock, close: () => closeBoth(files) }), created: true };
}

function openFiles(folder: string, clock: Clock, readOnly: boolean): OpenedState {
  const before = sizesIn(folder);
  if (readOnly && before.state === null) return { kind: "missing" };
  if (readOnly && before.texts === null) return { kind: "damaged", file: TEXTS_SCHEMA.file, detail: "is not there" };
  const areTextsInDoubt =
    !readOnly &&
    ((sizeOf(folder, `${TEXTS_SCHEMA.file}-wal`) ?? 0) > 0 || statOwn(folder, SUSPECT_FILE, "file") !== null);
  const open = readOnly ? openForReading : openForWriting;
  const files = openBoth((schema) => open(join(folder, schema.file), schema));
  if (files.kind !== "both") return files;
  return closeUnlessOpened(files, () => {
    const pages = pageFaultOf(files, "state") ?? (areTextsInDoubt ? pageFaultOf(files, "texts") : null);
    const fault = pages ?? lostFile(before, files);
    if (fault !== null) return fault;
    if (areTextsInDoubt) removeOwn(folder, SUSPECT_FILE);
    const state = new StoredState({
      ...files,
      clock,
      close: () => closeBoth(files),
      ...(readOnly ? {} : { onDamage: () => markTextsSuspect(folder) }),
    });
    const impossible = state.findDamage();
    if (impossible !== null) return { file: STATE_SCHEMA.file, ...impossible };
    return { kind: "opened", state, created: before.state === null || before.state === 0 };
  });
}

type Files = { readonly kind: "both"; readonly state: Db; readonly texts: Db };

/**
 * Opens both files. ORDER: the content store is created first. So if a state has no content store,
 * the store was lost; its creation was not interrupted.
 */
function openBoth(open: (schema: Schema) => OpenedDatabase): Files | FileFault {
  const texts = open(TEXTS_SCHEMA);
  if (texts.kind !== "opened") return { file: TEXTS_SCHEMA.file, ...texts };
  const state = open(STATE_SCHEMA);
  if (state.kind === "opened") return { kind: "both", state: state.db, texts: texts.db };
  texts.db.close();
  return { file: STATE_SCHEMA.file, ...state };
}

function closeUnlessOpened(files: Files, open: () => OpenedState): OpenedState {
  try {
    const opened = open();
    if (opened.kind !== "opened") closeBoth(files);
    return opened;
  } catch (error) {
    closeBoth(files);
    const fault = faultOf(error);
    if (fault === null) throw error;
    return { file: STATE_SCHEMA.file, ...fault };
  }
}

/**
 * Name of a file that marks `texts.db` as possibly damaged, so that the next opening checks it. A
 * row of the state would not work: it would be rolled back with the transaction that found the
 * damage.
 */
const SUSPECT_FILE = "texts.suspect";

function markTextsSuspect(folder: string): void {
  try {
    touchOwn(folder, SUSPECT_FILE);
  } catch (error) {
    // The disk is also full or read-only. A later run finds the damage again, and records it.
    if (faultOf(error) === null) throw error;
  }
}

function pageFaultOf(files: Files, name: "state" | "texts"): FileFault | null {
  const fault = pageFault(files[name]);
  return fault === null ? null : { file: `${name}.db`, ...fault };
}

/** Sizes of the files in bytes; null if there is no file. */
type Sizes = { readonly state: number | null; readonly texts: number | null };

/**
 * Finds a file that was lost: it is empty or missing while the other file is in use. SQLite would
 * treat it as a new file.
 */
function lostFile(before: Sizes, { state, texts }: Files): FileFault | null {
  if (!before.texts && hasRows(state, "records")) {
    return { kind: "damaged", file: "texts.db", detail: before.texts === 0 ? "is empty" : "is not there" };
  }
  // Only an empty `state.db` is damage. A missing one is created and filled from both sides, as
  // after damage.
  if (before.state === 0 && hasRows(texts, "texts")) return { kind: "damaged", file: "state.db", detail: "is empty" };
  return null;
}

function hasRows(db: Db, table: string): boolean {
  return db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
}

/**
 * Closes both files. ORDER: the content store first. Closing flushes what is committed, and after a
 * power loss in between, no row may refer to lost content.
 */
function closeBoth({ state, texts }: Files): void {
  try {
    closeWritten(texts);
  } finally {
    closeWritten(state);
  }
}

function sizesIn(folder: string): Sizes {
  return { state: sizeOf(folder, STATE_SCHEMA.file), texts: sizeOf(folder, TEXTS_SCHEMA.file) };
}

function sizeOf(folder: string, name: string): number | null {
  return statOwn(folder, name, "own-file")?.size ?? null;
}

/**
 * Closes a file that was opened for writing, and leaves WAL mode. A reader of a WAL file creates a
 * missing `-wal` and `-shm` and cannot remove them, so that even `status` would write (I23). While
 * another process reads the file, its mode stays.
 */
function closeWritten(db: Db): void {
  try {
    if (db.memory || db.readonly || !db.open) return;
    db.pragma("busy_timeout = 0");
    leaveWal(db);
  } catch (error) {
    // The file is busy or damaged, or the disk is full. Closing then leaves an intact WAL file, or
    // damage that existed before.
    if (faultOf(error) === null) throw error;
  } finally {
    db.close();
  }
}
