import type { RequestStore } from "../requests/context.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

/**
 * Returns a store whose transactions are savepoints of an open transaction. Several requests are
 * committed or rolled back together, and a refused request is rolled back alone.
 */
export function storeWithin(tables: Tables, { reserve }: Pick<Store, "reserve">): RequestStore {
  return {
    read: (work) => work(tables),
    write: (work, keep) => tables.nested(work, keep),
    holder: (hash) => tables.holder(hash),
    ...(reserve === undefined ? {} : { reserve }),
  };
}
