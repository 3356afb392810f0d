import { join } from "node:path";
import { type DatabaseFault, type Db, faultOf, openForReading } from "./database.ts";
import { statOwn } from "./own-files.ts";
import { withOwnFolderOpen } from "./own-handle.ts";
import { STATE_SCHEMA, type StateFile, TEXTS_SCHEMA } from "./schema.ts";
import type { LocalPath } from "../../contract/path.ts";
import { LOCAL_PATHS } from "./links.ts";

export type ReadBeside<T> =
  | { readonly kind: "read"; readonly value: T }
  /** The state is missing. */
  | { readonly kind: "missing" }
  | ({ readonly file: StateFile } & DatabaseFault);

/**
 * Reads some rows of `state.db`, as they were at one moment: beside a process that writes, or in a
 * folder that cannot be written. Checks neither pages nor rows, and of `texts.db` only that it
 * exists. The next opening for a cycle checks the rest.
 * @param own absolute path of `.mdmirror`
 */
export function readBeside<T>(own: string, read: (db: Db) => T): ReadBeside<T> {
  return withOwnFolderOpen(own, () => readRows(own, read));
}

function readRows<T>(own: string, read: (db: Db) => T): ReadBeside<T> {
  if (statOwn(own, STATE_SCHEMA.file, "own-file") === null) return { kind: "missing" };
  if (statOwn(own, TEXTS_SCHEMA.file, "own-file") === null)
    return { kind: "damaged", file: TEXTS_SCHEMA.file, detail: "is not there" };
  const opened = openForReading(join(own, STATE_SCHEMA.file), STATE_SCHEMA);
  if (opened.kind !== "opened") return { file: STATE_SCHEMA.file, ...opened };
  try {
    // Closing the database ends this transaction.
    opened.db.exec("BEGIN");
    return { kind: "read", value: read(opened.db) };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    return { file: STATE_SCHEMA.file, ...fault };
  } finally {
    opened.db.close();
  }
}

/**
 * Returns the local paths of linked documents, from a state that this process has not opened. Empty
 * if the state cannot be read: the caller then sends and removes nothing.
 * @param own absolute path of `.mdmirror`
 */
export function readLinkedPaths(own: string): readonly LocalPath[] {
  const read = readBeside(own, (db) => db.prepare<[], LocalPath>(LOCAL_PATHS).pluck().all());
  return read.kind === "read" ? read.value : [];
}
