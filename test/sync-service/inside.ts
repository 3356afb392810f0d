/** Code that runs in the service's own JavaScript context (`service.ts`). */
export { Service } from "../../src/service/service.ts";
export { SqliteStore } from "../../src/service/store/sqlite/store.ts";

export type End<T> = { kind: "waits" } | { kind: "done"; result: T } | { kind: "failed"; error: unknown };

/**
 * Part of the context too, because code after an `await` runs in the context in which it was
 * written.
 */
export async function endOf<T>(work: () => Promise<T>, tell: (end: End<T>) => void): Promise<void> {
  try {
    tell({ kind: "done", result: await work() });
  } catch (error) {
    tell({ kind: "failed", error });
  }
}
