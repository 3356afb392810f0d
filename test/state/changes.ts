import { join } from "node:path";
import Sqlite from "better-sqlite3";

/**
 * Whether another connection committed to the file since this was made: SQLite's own count
 * (`data_version`).
 */
export function changesSeen(folder: string, file = "state.db"): { moved(): boolean; close(): void } {
  const db = new Sqlite(join(folder, file), { readonly: true });
  const version = db.prepare("PRAGMA data_version").pluck();
  const first = version.get();
  return { moved: () => version.get() !== first, close: () => void db.close() };
}
