import type { Outcome, OutcomeOf } from "../../model/action.ts";
import type { Fault } from "../../ports/remote.ts";

/**
 * Returns the outcome of a write whose result a read did not show either.
 * @param outcome outcome of the read
 * @param fault fault of the write, if there was one
 */
export function outcomeWithoutProof(outcome: Outcome, fault: Fault | null): OutcomeOf<"uncertain" | "later"> {
  const detail =
    fault === null ? "mdmirror read the document, but cannot see whether its upload arrived" : fault.detail;
  if (outcome.kind === "later") return outcome;
  return { kind: "uncertain", detail, requestId: fault?.kind === "uncertain" ? fault.requestId : null };
}

/**
 * Returns the outcome if the read that should show a write's result failed.
 * @param fault of the read, or of the write if the read has none
 */
export function outcomeOfFailedRead(fault: Fault | null): OutcomeOf<"uncertain" | "later"> {
  return outcomeWithoutProof({ kind: "uncertain", detail: "", requestId: null }, fault);
}

/** Returns the value that leaves the row of a local effect open. */
export function leaveOpen(detail: string): { readonly kind: "open"; readonly outcome: Outcome } {
  return { kind: "open", outcome: { kind: "uncertain", detail, requestId: null } };
}

/** @returns why the row of an effect stays open, or null */
export function whyOpen(outcome: Outcome): string | null {
  return outcome.kind === "uncertain" || outcome.kind === "later" ? outcome.detail : null;
}

/**
 * Returns the outcome of a write that was not done, as a read proves. The next plan sends it again,
 * based on the present state.
 * @param fault reason why the result was not known; if the service keeps failing, it explains the
 * failure
 */
export function provenNotDone(what: "write" | "move" | "deletion", fault: Fault | null): OutcomeOf<"stale"> {
  const cause = fault === null || fault.detail === "" ? "" : `: ${fault.detail}`;
  return { kind: "stale", detail: `the ${what} did not happen${cause}` };
}
