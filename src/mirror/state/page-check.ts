import { type DatabaseFault, type Db, faultOf, keepFewPages } from "./database.ts";

/**
 * Runs SQLite's own check of the pages and their order, without the indexes' contents. null: no
 * fault.
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
