import type { Policy } from "../../model/policy.ts";
import { isCutAtSector } from "../journal/cut-off.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * Who wins where both sides are new at one path with different texts, and why, for the log. With
 * nothing as their common base, a side that is empty has written nothing, and is no conflict
 * whatever is preferred. Nor is what a power loss has left of the service's text: such a file was
 * made from it, and base was lost with it.
 */
export function winnerOfNew(
  { settings: { prefer }, notes }: PassContext,
  local: string,
  remote: string,
): { readonly prefer: Policy["prefer"]; readonly why: string } {
  if (local === "") return { prefer: "remote", why: "new on both sides, and empty here" };
  if (remote === "") return { prefer: "local", why: "new on both sides, and empty on the service" };
  if (notes.restarted && isCutAtSector(local, remote))
    return { prefer: "remote", why: "new on both sides, and cut off here by a power loss" };
  return { prefer, why: `both new, ${prefer} preferred` };
}
