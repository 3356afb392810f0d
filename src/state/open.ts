import { statSync } from "node:fs";
import { join } from "node:path";
import type { State } from "../core/ports/state.ts";
import type { Clock } from "../core/ports/world.ts";
import { type DatabaseFault, type Db, faultOf, openForReading, openForWriting } from "./database.ts";
import { STATE_SCHEMA, type StateFile, TEXTS_SCHEMA } from "./schema.ts";
import { stateOver } from "./state.ts";
import { TextStore } from "./texts.ts";

/** `created`: there was no state before; all that both sides hold is to be adopted. */
export type OpenedState =
  | { readonly kind: "opened"; readonly state: State; readonly created: boolean }
  /** Read-only and there is no state. */
  | { readonly kind: "missing" }
  | ({ readonly file: StateFile } & DatabaseFault);

export type StateLocation = {
  /** Absolute path of `.mdmirror`, which exists, or `:memory:`. */
  readonly folder: string;
  readonly clock: Clock;
  /** For `status`, `plan` and the like: beside a process that writes, or in a folder that cannot be written. */
  readonly readOnly?: boolean;
};

/** Opens both files. Everything that can be wrong with them is a value; the caller holds the lock unless it only reads. */
export function openState(location: StateLocation): OpenedState {
  const { folder, readOnly = false } = location;
  const memory = folder === ":memory:";
  const paths = memory
    ? { state: ":memory:", texts: ":memory:" }
    : { state: join(folder, STATE_SCHEMA.file), texts: join(folder, TEXTS_SCHEMA.file) };
  const before = memory ? { state: null, texts: null } : { state: sizeOf(paths.state), texts: sizeOf(paths.texts) };
  if (readOnly && before.state === null && before.texts === null) return { kind: "missing" };
  const open = readOnly ? openForReading : openForWriting;
  // ORDER: the texts' file is made first, so that a state without texts was not killed while being made, but lost them.
  const texts = open(paths.texts, TEXTS_SCHEMA);
  if (texts.kind !== "opened") return { file: TEXTS_SCHEMA.file, ...texts };
  const state = open(paths.state, STATE_SCHEMA);
  if (state.kind !== "opened") {
    texts.db.close();
    return { file: STATE_SCHEMA.file, ...state };
  }
  const close = () => closeAll(state.db, texts.db);
  try {
    const lost = memory ? null : lostFile(before, state.db, texts.db);
    if (lost !== null) {
      close();
      return lost;
    }
    const created = before.state === null || before.state === 0;
    return { kind: "opened", state: stateOver(state.db, new TextStore(texts.db, location.clock), close), created };
  } catch (error) {
    close();
    const fault = faultOf(error);
    if (fault === null) throw error;
    return { file: STATE_SCHEMA.file, ...fault };
  }
}

/** A file that is empty or not there while the other one is in use was lost: SQLite would take it for a new one. */
function lostFile(
  before: { readonly state: number | null; readonly texts: number | null },
  state: Db,
  texts: Db,
): OpenedState | null {
  const holds = (db: Db, table: string) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined;
  if (!before.texts && holds(state, "links")) {
    return { kind: "damaged", file: "texts.db", detail: before.texts === 0 ? "is empty" : "is not there" };
  }
  // A state that is not there is a state to be built by adoption, which is what setting it aside would lead to.
  if (before.state === 0 && holds(texts, "texts")) return { kind: "damaged", file: "state.db", detail: "is empty" };
  return null;
}

/** Texts last: closing checkpoints, and the rows that name a text never get ahead of it. */
function closeAll(state: Db, texts: Db): void {
  try {
    state.close();
  } finally {
    texts.close();
  }
}

function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}
