import type { Outcome, OutcomeOf } from "../../model/action.ts";
import type { Fault } from "../../ports/remote.ts";

/**
 * The outcome of a write that a read could not settle either.
 * @param outcome of the read
 * @param fault of the write, where there was one
 */
export function unsettled(outcome: Outcome, fault: Fault | null): OutcomeOf<"uncertain" | "later"> {
  const detail = fault === null ? "reading the document did not show whether the write happened" : fault.detail;
  if (outcome.kind === "later") return outcome;
  return { kind: "uncertain", detail, requestId: fault?.kind === "uncertain" ? fault.requestId : null };
}

/**
 * The outcome when the read that should settle a write failed.
 * @param fault of the read, or of the write where the read has none
 */
export function notSettledBy(fault: Fault | null): OutcomeOf<"uncertain" | "later"> {
  return unsettled({ kind: "uncertain", detail: "", requestId: null }, fault);
}

/** Returns what leaves the row of a local effect open. */
export function leftOpen(detail: string): { readonly kind: "open"; readonly outcome: Outcome } {
  return { kind: "open", outcome: { kind: "uncertain", detail, requestId: null } };
}

/** @returns why the row of an effect stays open, or null */
export function whyOpen(outcome: Outcome): string | null {
  return outcome.kind === "uncertain" || outcome.kind === "later" ? outcome.detail : null;
}

/**
 * The outcome of a write that a read proves not to have happened. The next plan sends it again, on
 * what is there then.
 * @param fault why its end was not known; a service that keeps failing says there what is wrong
 */
export function didNotHappen(what: "write" | "move" | "deletion", fault: Fault | null): OutcomeOf<"stale"> {
  const cause = fault === null || fault.detail === "" ? "" : `: ${fault.detail}`;
  return { kind: "stale", detail: `the ${what} did not happen${cause}` };
}
