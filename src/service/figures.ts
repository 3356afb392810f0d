import type { ServiceCore } from "./requests/dispatch.ts";
import type { DatabaseFigures } from "./store/rows.ts";
import type { PoolFigures, Store } from "./store/store.ts";

export type ServiceFigures = {
  /** Figures of the database; null if the database did not answer, or is closed. */
  readonly database: DatabaseFigures | null;
  /** Figures of the connection pool; null if the store has no pool. */
  readonly pool: PoolFigures | null;
  /** Number of event listeners, without new ones to which missed events are still being sent. */
  readonly listeners: number;
};

/**
 * Resolves even if the database does not answer, because an operator then needs the other figures.
 */
export async function readFigures(
  { isOpen, onFault }: Pick<ServiceCore, "isOpen" | "onFault">,
  store: Pick<Store, "figures" | "pool">,
  listeners: number,
): Promise<ServiceFigures> {
  // ORDER: read before the query below. The query takes or waits for a connection, and would change
  // these figures.
  const pool = store.pool?.() ?? null;
  try {
    return { database: isOpen ? await store.figures() : null, pool, listeners };
  } catch (error) {
    onFault(error, "metrics");
    return { database: null, pool, listeners };
  }
}
