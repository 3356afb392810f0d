import { join } from "node:path";
import type { Clock } from "../ports/world.ts";
import { pageFault } from "./damage.ts";
import { closeWritten, type DatabaseFault, type Db, faultOf, openForReading, openForWriting } from "./database.ts";
import { packAside } from "./pack-aside.ts";
import { lookAtOwn, removeOwn, touchOwn } from "./own-files.ts";
import { STATE_SCHEMA, type StateFile, TEXTS_SCHEMA } from "./schema.ts";
import { type StoredState, stateOver } from "./state.ts";

/** `created`: there was no state before; all that both sides hold is to be adopted. */
export type OpenedState =
  | { readonly kind: "opened"; readonly state: StoredState; readonly created: boolean }
  /** Read-only and there is no state. */
  | { readonly kind: "missing" }
  | ({ readonly file: StateFile } & DatabaseFault);

export type StateLocation = {
  /** Absolute path of `.mdmirror`, which exists, or `:memory:`. */
  readonly folder: string;
  readonly clock: Clock;
  /**
   * For `plan` and the like: beside a process that writes, or in a folder that cannot be written.
   */
  readonly readOnly?: boolean;
};

/**
 * Opens both files. Everything that can be wrong with them is a value; the caller holds the lock
 * unless it only reads.
 *
 * `state.db` is checked page by page each time (1 ms a MB: 90 ms for 120,000 links, a quarter of
 * what loading them takes), and row by row with the load that the first pass would do. `texts.db`
 * may be
 * ten times that, and each text proves itself by its digest when it is read: it is checked when a
 * WAL was left behind (a process was killed, power failed, or someone copied files), when damage
 * was met in use since the last check, and by `checkFiles`.
 */
export function openState(location: StateLocation): OpenedState {
  const { folder, readOnly = false } = location;
  const memory = folder === ":memory:";
  const paths = memory
    ? { state: ":memory:", texts: ":memory:" }
    : { state: join(folder, STATE_SCHEMA.file), texts: join(folder, TEXTS_SCHEMA.file) };
  const before = memory
    ? { state: null, texts: null }
    : { state: sizeOf(folder, STATE_SCHEMA.file), texts: sizeOf(folder, TEXTS_SCHEMA.file) };
  if (readOnly && !memory && before.state === null) return { kind: "missing" };
  if (readOnly && !memory && before.texts === null)
    return { kind: "damaged", file: TEXTS_SCHEMA.file, detail: "is not there" };
  const isSuspect = () => lookAtOwn(folder, SUSPECT_FILE, "file") !== null;
  const inDoubt = !memory && !readOnly && ((sizeOf(folder, `${TEXTS_SCHEMA.file}-wal`) ?? 0) > 0 || isSuspect());
  const open = readOnly ? openForReading : openForWriting;
  // ORDER: the texts' file is made first, so that a state without texts was not killed while being
  // made, but lost them. It takes eight fsyncs to enter WAL mode and to leave it, which a run that
  // stores no text is spared.
  const texts = readOnly ? openForReading(paths.texts, TEXTS_SCHEMA) : openForWriting(paths.texts, TEXTS_SCHEMA, false);
  if (texts.kind !== "opened") return { file: TEXTS_SCHEMA.file, ...texts };
  const state = open(paths.state, STATE_SCHEMA);
  if (state.kind !== "opened") {
    texts.db.close();
    return { file: STATE_SCHEMA.file, ...state };
  }
  const close = () => closeAll(state.db, texts.db);
  try {
    const fault = memory ? null : unsound(before, state.db, texts.db, inDoubt);
    if (fault !== null) {
      close();
      return fault;
    }
    if (inDoubt) removeOwn(folder, SUSPECT_FILE);
    const created = before.state === null || before.state === 0;
    const onDamage = () => (readOnly || memory ? undefined : noteSuspect(folder));
    const aside = memory || readOnly ? null : packAside();
    const opened = stateOver(state.db, texts.db, location.clock, close, onDamage, aside);
    const impossible = memory ? null : opened.examine();
    if (impossible === null) return { kind: "opened", state: opened, created };
    close();
    return { file: STATE_SCHEMA.file, ...impossible };
  } catch (error) {
    close();
    const fault = faultOf(error);
    if (fault === null) throw error;
    return { file: STATE_SCHEMA.file, ...fault };
  }
}

/**
 * There while `texts.db` is to be checked by the next opening: a row of the state would go with the
 * transaction that met the damage.
 */
const SUSPECT_FILE = "texts.suspect";

function noteSuspect(folder: string): void {
  try {
    touchOwn(folder, SUSPECT_FILE);
  } catch (error) {
    // A disk that is full or read-only as well: the damage is met, and noted, again.
    if (faultOf(error) === null) throw error;
  }
}

function unsound(before: Sizes, state: Db, texts: Db, textsInDoubt: boolean): OpenedState | null {
  const stateFault = pageFault(state);
  if (stateFault !== null) return { file: STATE_SCHEMA.file, ...stateFault };
  const textsFault = textsInDoubt ? pageFault(texts) : null;
  if (textsFault !== null) return { file: TEXTS_SCHEMA.file, ...textsFault };
  return lostFile(before, state, texts);
}

/** Bytes; null where there is no file. */
type Sizes = { readonly state: number | null; readonly texts: number | null };

/**
 * A file that is empty or not there while the other one is in use was lost: SQLite would take it
 * for a new one.
 */
function lostFile(before: Sizes, state: Db, texts: Db): OpenedState | null {
  const holds = (db: Db, table: string) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
  if (!before.texts && holds(state, "links")) {
    return { kind: "damaged", file: "texts.db", detail: before.texts === 0 ? "is empty" : "is not there" };
  }
  // A state that is not there is a state to be built by adoption, which is what setting it aside
  // would lead to.
  if (before.state === 0 && holds(texts, "texts")) return { kind: "damaged", file: "state.db", detail: "is empty" };
  return null;
}

/** Texts last: closing checkpoints, and the rows that name a text never get ahead of it. */
function closeAll(state: Db, texts: Db): void {
  try {
    closeWritten(state);
  } finally {
    closeWritten(texts);
  }
}

function sizeOf(folder: string, name: string): number | null {
  return lookAtOwn(folder, name, "own-file")?.size ?? null;
}
