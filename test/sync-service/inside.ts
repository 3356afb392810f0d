/** What runs in the service's own context: see `realm.ts`. */
export { createService } from "../../src/service/service.ts";
export { SqliteStore } from "../../src/service/store/sqlite/store.ts";

export type End<T> = { kind: "waits" } | { kind: "done"; result: T } | { kind: "failed"; error: unknown };

/** Of the realm as well: what follows a promise runs where it was written. */
export async function endOf<T>(work: () => Promise<T>, tell: (end: End<T>) => void): Promise<void> {
  try {
    tell({ kind: "done", result: await work() });
  } catch (error) {
    tell({ kind: "failed", error });
  }
}
