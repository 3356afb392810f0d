import { combineByMerge } from "../../src/server/combine.ts";
import { createService } from "../../src/server/service.ts";
import type { Store } from "../../src/server/store.ts";
import { ADMIN_KEY, seeded } from "../server/fixture.ts";
import { rethrow } from "../simulator/quiet-ports.ts";
import type { Side } from "./compare.ts";

/** A service in this process on that store; its clock stands still. */
export function sideOn(store: Store, name: string): Side {
  const service = createService({
    store,
    now: () => 1_000_000,
    random: seeded(name),
    combine: combineByMerge,
    adminKey: ADMIN_KEY,
    onFault: rethrow,
  });
  return { name, wire: service.handle, adminKey: ADMIN_KEY };
}
