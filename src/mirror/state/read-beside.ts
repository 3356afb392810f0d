import { join } from "node:path";
import { type DatabaseFault, type SqliteDatabase, toDatabaseFault, openForReading } from "./database.ts";
import { statOwnFile } from "./own-files.ts";
import { withOwnFolderOpen } from "./own-handle.ts";
import { STATE_SCHEMA, type StateFile, TEXTS_SCHEMA } from "./schema.ts";
import type { LocalPath } from "../../contract/path.ts";
import { SELECT_LOCAL_PATHS } from "./records.ts";

export type ReadResult<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "missing" }
  | ({ readonly file: StateFile } & DatabaseFault);

/**
 * Reads some rows of `state.db` at one moment. This works even while another process writes, and in
 * a folder without write permission. Does not check pages or rows. Of `texts.db`, checks only that
 * it exists. The next cycle checks the rest.
 * @param mirrorFolder absolute path of `.mdmirror`
 */
export function readStateRows<T>(mirrorFolder: string, read: (db: SqliteDatabase) => T): ReadResult<T> {
  return withOwnFolderOpen(mirrorFolder, () => readRows(mirrorFolder, read));
}

function readRows<T>(mirrorFolder: string, read: (db: SqliteDatabase) => T): ReadResult<T> {
  if (statOwnFile(mirrorFolder, STATE_SCHEMA.file, "own-file") === null) return { kind: "missing" };
  if (statOwnFile(mirrorFolder, TEXTS_SCHEMA.file, "own-file") === null)
    return { kind: "damaged", file: TEXTS_SCHEMA.file, detail: "is not there" };
  const openedState = openForReading(join(mirrorFolder, STATE_SCHEMA.file), STATE_SCHEMA);
  if (openedState.kind !== "opened") return { file: STATE_SCHEMA.file, ...openedState };
  try {
    // This transaction ends when the database is closed.
    openedState.db.exec("BEGIN");
    return { kind: "read", value: read(openedState.db) };
  } catch (error) {
    const fault = toDatabaseFault(error);
    if (fault === null) throw error;
    return { file: STATE_SCHEMA.file, ...fault };
  } finally {
    openedState.db.close();
  }
}

/**
 * Returns the paths of recorded documents, for a caller that has not opened the state. Returns none
 * if the state cannot be read: rules of `.gitignore` then exclude recorded documents too. This is
 * harmless, because no such caller sends or removes documents.
 * @param mirrorFolder absolute path of `.mdmirror`
 */
export function readRecordedPaths(mirrorFolder: string): readonly LocalPath[] {
  const readResult = readStateRows(mirrorFolder, (db) => db.prepare<[], LocalPath>(SELECT_LOCAL_PATHS).pluck().all());
  return readResult.kind === "read" ? readResult.value : [];
}
