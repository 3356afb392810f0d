import type { RequestStore } from "../requests/context.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";

/**
 * A store whose transactions are parts of one that is open: many requests are kept or lost
 * together, and each that is refused is still undone by itself.
 */
export function storeWithin(tables: Tables, { reserve }: Pick<Store, "reserve">): RequestStore {
  return {
    read: (work) => work(tables),
    write: (work, keep) => tables.nested(work, keep),
    holder: (hash) => tables.holder(hash),
    ...(reserve === undefined ? {} : { reserve }),
  };
}
