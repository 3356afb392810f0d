import { join } from "node:path";
import { type DatabaseFault, type Db, faultOf, openForReading } from "./database.ts";
import { statOwn } from "./own-files.ts";
import { withOwnFolderOpen } from "./own-handle.ts";
import { STATE_SCHEMA, type StateFile, TEXTS_SCHEMA } from "./schema.ts";
import type { LocalPath } from "../../contract/path.ts";
import { LOCAL_PATHS } from "./records.ts";

export type ReadBeside<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "missing" }
  | ({ readonly file: StateFile } & DatabaseFault);

/**
 * Reads some rows of `state.db`, as they were at one moment: beside a process that writes, or in a
 * folder that cannot be written. Checks neither pages nor rows, and of `texts.db` only that it
 * exists. The next opening for a cycle checks the rest.
 * @param mirrorFolder absolute path of `.mdmirror`
 */
export function readBeside<T>(mirrorFolder: string, read: (db: Db) => T): ReadBeside<T> {
  return withOwnFolderOpen(mirrorFolder, () => readRows(mirrorFolder, read));
}

function readRows<T>(mirrorFolder: string, read: (db: Db) => T): ReadBeside<T> {
  if (statOwn(mirrorFolder, STATE_SCHEMA.file, "own-file") === null) return { kind: "missing" };
  if (statOwn(mirrorFolder, TEXTS_SCHEMA.file, "own-file") === null)
    return { kind: "damaged", file: TEXTS_SCHEMA.file, detail: "is not there" };
  const opened = openForReading(join(mirrorFolder, STATE_SCHEMA.file), STATE_SCHEMA);
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
 * Returns the local paths of recorded documents, from a state that this process has not opened.
 * Empty if the state cannot be read. Rules of `.gitignore` then exclude recorded documents too.
 * This is harmless, because no caller sends or removes documents.
 * @param mirrorFolder absolute path of `.mdmirror`
 */
export function readRecordedPaths(mirrorFolder: string): readonly LocalPath[] {
  const read = readBeside(mirrorFolder, (db) => db.prepare<[], LocalPath>(LOCAL_PATHS).pluck().all());
  return read.kind === "read" ? read.value : [];
}
