import type { RunReport } from "../../folder/run.ts";
import { count, plural } from "../../../common/count.ts";

/** Returns a clause such as `1 problem to fix`, `2 problems to fix, 3 pending` or `1 pending`. */
export function describeProblems(attention: RunReport["attention"]): string {
  const pendingCount = attention.filter((one) => one.waits).length;
  const toFixCount = attention.length - pendingCount;
  const toFixText = `${plural(toFixCount, "problem")} to fix`;
  if (pendingCount === 0) return toFixText;
  return toFixCount > 0 ? `${toFixText}, ${count(pendingCount)} pending` : `${count(pendingCount)} pending`;
}

type RunSummary = Pick<RunReport, "attention" | "fault"> & { readonly state: string };

export function explainNotInSync({ state, attention, fault }: RunSummary): string {
  if (state === "stopped") return "stopped by a safety check";
  if (fault?.kind === "locked-out") return "the service refuses the key";
  return state === "offline" ? "the service could not be reached" : describeProblems(attention);
}
