import type { ServiceCore } from "./requests/dispatch.ts";
import type { DatabaseFigures } from "./store/rows.ts";
import type { PoolFigures, Store } from "./store/store.ts";

/** Figures of a service for an operator, in addition to the figures about requests. */
export type ServiceFigures = {
  /** Figures of the database; null if the database did not answer, or is closed. */
  readonly database: DatabaseFigures | null;
  /** Figures of the connection pool; null if the store has no pool. */
  readonly pool: PoolFigures | null;
  /** Number of event listeners that have received all missed events. */
  readonly listeners: number;
};

/**
 * Returns all figures. Figures that need no database are returned even if the database does not
 * answer, because an operator needs them most then.
 */
export async function readFigures(
  { isOpen, onFault }: Pick<ServiceCore, "isOpen" | "onFault">,
  store: Pick<Store, "figures" | "pool">,
  listeners: number,
): Promise<ServiceFigures> {
  // ORDER: the figures of the pool are read first, because the query below itself takes a
  // connection, or waits for one.
  const pool = store.pool?.() ?? null;
  try {
    return { database: isOpen ? await store.figures() : null, pool, listeners };
  } catch (error) {
    onFault(error, "metrics");
    return { database: null, pool, listeners };
  }
}
