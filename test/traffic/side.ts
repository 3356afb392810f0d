import { combineByMerge } from "../../src/service/files/combine.ts";
import { createService } from "../../src/service/service.ts";
import type { Store } from "../../src/service/store/store.ts";
import { Dice } from "../simulator/dice.ts";
import { rethrow } from "../simulator/quiet-ports.ts";
import type { Side } from "./compare.ts";

const ADMIN_KEY = "mdm_admin_of-the-traffic";

/** A service in this process on that store; its clock stands still. @param seed of its ids */
export function sideOn(name: string, store: Store, seed: number): Side {
  const service = createService({
    store,
    now: () => 1_000_000,
    random: new Dice(seed).bytes,
    combine: combineByMerge,
    adminKey: ADMIN_KEY,
    onFault: rethrow,
  });
  // Some of what was written is indexed on the way, and some waits.
  const wire: Side["wire"] = async (request) => {
    const answer = await service.handle(request);
    if (service.served() % 3 === 0) await service.indexStep();
    return answer;
  };
  return { name, wire, adminKey: ADMIN_KEY };
}
