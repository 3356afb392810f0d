import type { Core } from "./requests/dispatch.ts";
import type { Figures, PoolFigures, Store } from "./store/store.ts";

/** What an operator watches of a service beside its requests. */
export type ServiceFigures = {
  /** null: the database did not answer, or is closed. */
  readonly held: Figures | null;
  /** null: the store has no pool. */
  readonly pool: PoolFigures | null;
  /** Who listen to events, and know all that they missed. */
  readonly listeners: number;
};

/** What needs no database is told without it: that is when it is looked at. */
export async function figuresOf(
  { isOpen, onFault }: Pick<Core, "isOpen" | "onFault">,
  store: Pick<Store, "figures" | "pool">,
  listeners: number,
): Promise<ServiceFigures> {
  // ORDER: the question below takes a connection itself, or waits for one.
  const pool = store.pool?.() ?? null;
  try {
    return { held: isOpen ? await store.figures() : null, pool, listeners };
  } catch (error) {
    onFault(error, "metrics");
    return { held: null, pool, listeners };
  }
}
