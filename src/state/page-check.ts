import { type DatabaseFault, type Db, faultOf, keepFewPages } from "./database.ts";
import { openOwnDatabase } from "./own-database.ts";

/**
 * SQLite's own check of the pages and their order, without the indexes' contents. null: no fault.
 */
export function pageFault(db: Db): DatabaseFault | null {
  try {
    keepFewPages(db);
    const verdict = db.pragma("quick_check(1)", { simple: true });
    return verdict === "ok" ? null : { kind: "damaged", detail: String(verdict) };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    return fault;
  }
}

/** `unknown`: whoever asked is to look by itself, and meets what was met here. */
export type PageVerdict = "sound" | "unknown" | Extract<DatabaseFault, { kind: "damaged" }>;

/** How long a writer's lock is waited for, in milliseconds: it is entering WAL mode. */
const BUSY_MS = 1_000;

/**
 * The same for a file in `.mdmirror/` that another thread has open, by a connection of its own that
 * only reads. It is closed when this returns, so that it hinders nobody later.
 */
export function checkPagesBeside(path: string): PageVerdict {
  try {
    const db = openOwnDatabase(path, { make: false, readonly: true, timeout: BUSY_MS });
    try {
      const fault = pageFault(db);
      if (fault === null) return "sound";
      return fault.kind === "damaged" ? fault : "unknown";
    } finally {
      db.close();
    }
  } catch (error) {
    // Not there, not readable, no database, locked: the opening says so in its own words.
    if (faultOf(error) === null) throw error;
    return "unknown";
  }
}
