import Sqlite from "better-sqlite3";
import type { Clock } from "../../src/common/clock.ts";
import { type SqliteDatabase, openForWriting } from "../../src/mirror/state/database.ts";
import { type DatabaseSchema, STATE_SCHEMA, TEXTS_SCHEMA } from "../../src/mirror/state/schema.ts";
import { StoredState } from "../../src/mirror/state/state.ts";
import { closeWithTest } from "./open-databases.ts";

/** Both databases of a state, as bytes. */
export type StateCopy = { readonly rows: Buffer; readonly texts: Buffer };

/** A state in memory instead of files. */
export type MemoryState = {
  readonly state: StoredState;
  /** Opens the same rows like a new process, without anything from memory. */
  readonly reopen: () => StoredState;
  readonly copy: () => StateCopy;
  /**
   * Returns the number of changed rows, without those of an open transaction, which a kill rolls
   * back.
   */
  readonly changes: () => number;
  readonly close: () => void;
};

/** @param from its contents at first; null for none */
export function openInMemory(clock: Clock, from: StateCopy | null): MemoryState {
  empty ??= { rows: makeEmpty(STATE_SCHEMA), texts: makeEmpty(TEXTS_SCHEMA) };
  const start = from ?? empty;
  const texts = new Sqlite(start.texts);
  const rows = new Sqlite(start.rows);
  const close = (): void => {
    rows.close();
    texts.close();
  };
  closeWithTest(close);
  const counts = [rows, texts].map(countLasting);
  const changes = (): number => counts.reduce((sum, count) => sum + count(), 0);
  let copied = { at: 0, copy: { rows: start.rows, texts: start.texts } };
  const copy = (): StateCopy => {
    const at = changes();
    if (at !== copied.at) copied = { at, copy: { rows: rows.serialize(), texts: texts.serialize() } };
    return copied.copy;
  };
  const reopen = (): StoredState => new StoredState({ state: rows, texts, clock, close });
  return {
    state: reopen(),
    reopen,
    copy,
    changes,
    close,
  };
}

/** Returns a function that counts the changed rows that a kill would leave. */
function countLasting(db: SqliteDatabase): () => number {
  const total = db.prepare("SELECT total_changes()").pluck();
  let lasting = 0;
  return () => {
    if (!db.inTransaction) lasting = Number(total.get());
    return lasting;
  };
}

/** An empty state, whose tables are created once in a process, not for each mirror. */
let empty: StateCopy | null = null;

function makeEmpty(schema: DatabaseSchema): Buffer {
  const opened = openForWriting(":memory:", schema);
  if (opened.kind !== "opened") throw new Error(`the state did not open: ${opened.kind}`);
  try {
    return opened.db.serialize();
  } finally {
    opened.db.close();
  }
}
