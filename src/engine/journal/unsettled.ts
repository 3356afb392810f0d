import type { Outcome } from "../../model/action.ts";
import type { Fault } from "../../ports/remote.ts";

/**
 * How a write ends whose end a read could not tell either. @param outcome the read's @param fault
 * the write's, where there was one
 */
export function unsettled(outcome: Outcome, fault: Fault | null): Outcome {
  const detail = fault === null ? "the write could not be settled by reading" : fault.detail;
  if (outcome.kind === "later") return outcome;
  return { kind: "uncertain", detail, requestId: fault?.kind === "uncertain" ? fault.requestId : null };
}

/**
 * The read that was to tell had no use either. @param fault the read's, or the write's where the
 * read says none
 */
export function notSettledBy(fault: Fault | null): Outcome {
  return unsettled({ kind: "uncertain", detail: "", requestId: null }, fault);
}

/**
 * A write that a read proves not to have happened. The next plan sends it again, on what is there
 * then.
 * @param fault why it was not known at first: a service that goes on failing says there what ails
 * it
 */
export function didNotHappen(what: "write" | "move" | "deletion", fault: Fault | null): Outcome {
  const cause = fault === null || fault.detail === "" ? "" : `: ${fault.detail}`;
  return { kind: "stale", detail: `the ${what} did not happen${cause}` };
}
