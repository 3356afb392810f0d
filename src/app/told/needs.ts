import type { RunReport } from "../mirror/run.ts";
import { count } from "../../model/count.ts";

/** `one thing needs you`, `2 things need you, 3 wait`, `one thing waits`. */
export function needs(attention: RunReport["attention"]): string {
  const waits = attention.filter((one) => one.waits).length;
  const needing = attention.length - waits;
  const asks = needing === 1 ? "one thing needs you" : `${count(needing)} things need you`;
  if (waits === 0) return asks;
  if (needing > 0) return `${asks}, ${count(waits)} ${waits === 1 ? "waits" : "wait"}`;
  return waits === 1 ? "one thing waits" : `${count(waits)} things wait`;
}

type Standing = Pick<RunReport, "attention" | "fault"> & { readonly state: string };

/** Why a mirror is not in sync, as a clause. @param status of a mirror that is not */
export function whyNotInSync({ state, attention, fault }: Standing): string {
  if (state === "halted") return "a guard has halted it";
  if (fault?.kind === "locked-out") return "the service refuses the key";
  return state === "offline" ? "the service was not reached" : needs(attention);
}
