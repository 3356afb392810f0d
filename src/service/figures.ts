import type { ServiceCore } from "./requests/dispatch.ts";
import type { DatabaseFigures } from "./store/rows.ts";
import type { PoolFigures, Store } from "./store/store.ts";

export type ServiceFigures = {
  /** Figures of the database; null if the database did not answer, or is closed. */
  readonly database: DatabaseFigures | null;
  /** Figures of the connection pool; null if the store has no pool. */
  readonly pool: PoolFigures | null;
  /** Number of event listeners, without those that still receive missed events. */
  readonly listeners: number;
};

/** Resolves even if the database does not answer: an operator needs the other figures then. */
export async function readFigures(
  { isOpen, onFault }: Pick<ServiceCore, "isOpen" | "onFault">,
  store: Pick<Store, "figures" | "pool">,
  listeners: number,
): Promise<ServiceFigures> {
  // ORDER: before the query below, which itself takes a connection of the pool, or waits for one.
  const pool = store.pool?.() ?? null;
  try {
    return { database: isOpen ? await store.figures() : null, pool, listeners };
  } catch (error) {
    onFault(error, "metrics");
    return { database: null, pool, listeners };
  }
}
