import Sqlite from "better-sqlite3";
import type { Clock } from "../../src/common/clock.ts";
import { type Db, openForWriting } from "../../src/mirror/state/database.ts";
import { type Schema, STATE_SCHEMA, TEXTS_SCHEMA } from "../../src/mirror/state/schema.ts";
import { StoredState } from "../../src/mirror/state/state.ts";
import { closeWithTest } from "./open-databases.ts";

/** Both files of a state, as bytes. */
export type StateCopy = { readonly rows: Buffer; readonly texts: Buffer };

/** @param from what it holds; null: nothing */
export function openInMemory(
  clock: Clock,
  from: StateCopy | null,
): { readonly state: StoredState; readonly copy: () => StateCopy; readonly changes: () => number } {
  const texts = from === null ? openNew(TEXTS_SCHEMA) : new Sqlite(from.texts);
  const rows = from === null ? openNew(STATE_SCHEMA) : new Sqlite(from.rows);
  const close = (): void => {
    rows.close();
    texts.close();
  };
  closeWithTest(close);
  const counts = [rows, texts].map((db) => db.prepare("SELECT total_changes()").pluck());
  return {
    state: new StoredState({ state: rows, texts, clock, close }),
    copy: () => ({ rows: rows.serialize(), texts: texts.serialize() }),
    changes: () => counts.reduce((sum, count) => sum + Number(count.get()), 0),
  };
}

/** Opens an empty database in memory. */
export function openNew(schema: Schema): Db {
  const opened = openForWriting(":memory:", schema);
  if (opened.kind !== "opened") throw new Error(`the state did not open: ${opened.kind}`);
  return opened.db;
}
