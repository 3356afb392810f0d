import type { Fault } from "../../ports/remote.ts";
import type { RunReport } from "../run/report.ts";

/** What the daemon is doing, as one union with one transition function. */

export type WaitReason = "offline" | "unauthenticated" | "unavailable" | "not-the-service" | "rate-limited" | "paused";

export type Phase =
  /** In step as far as it can be; waits for a hint, a poll or a request. */
  | { readonly kind: "idle" }
  | { readonly kind: "observing" }
  | { readonly kind: "applying" }
  /** `failures`: attempts in a row that ended so. `detail`: a sentence for people. */
  | { readonly kind: "waiting"; readonly why: WaitReason; readonly failures: number; readonly detail: string }
  /**
   * A guard stopped deletions or everything; the daemon goes on looking, and runs what is not
   * guarded.
   */
  | { readonly kind: "halted"; readonly detail: string }
  | { readonly kind: "stopped" };

export type PhaseEvent =
  | { readonly kind: "look" }
  | { readonly kind: "apply" }
  | { readonly kind: "ended" }
  | { readonly kind: "halt"; readonly detail: string }
  | { readonly kind: "failed"; readonly why: Exclude<WaitReason, "paused">; readonly detail: string }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "stop" };

export const IDLE: Phase = { kind: "idle" };
const PAUSED: Phase = { kind: "waiting", why: "paused", failures: 0, detail: "paused by hand" };

type EventOf<Kind> = Extract<PhaseEvent, { kind: Kind }>;

/** What each event makes of a phase that is not `stopped`. */
const TRANSITIONS: {
  readonly [Kind in PhaseEvent["kind"]]: (phase: Phase, event: EventOf<Kind>, failures: number) => Phase;
} = {
  stop: () => ({ kind: "stopped" }),
  pause: () => PAUSED,
  resume: (phase) => (isPaused(phase) ? IDLE : phase),
  look: () => ({ kind: "observing" }),
  apply: (phase) => (phase.kind === "observing" ? { kind: "applying" } : phase),
  ended: (phase) => (isWorking(phase) ? IDLE : phase),
  halt: (phase, { detail }) => (isWorking(phase) ? { kind: "halted", detail } : phase),
  failed: (phase, { why, detail }, failures) =>
    isWorking(phase) ? { kind: "waiting", why, failures: failures + 1, detail } : phase,
};

/**
 * The one transition function. Pure and total: an event that means nothing in a phase leaves it as
 * it is.
 * @param failures attempts in a row that failed before this one: a `look` hides the phase that
 * counted them
 */
export function nextPhase(phase: Phase, event: PhaseEvent, failures = 0): Phase {
  if (phase.kind === "stopped") return phase;
  const transition = TRANSITIONS[event.kind] as (phase: Phase, event: PhaseEvent, failures: number) => Phase;
  return transition(phase, event, failures);
}

function isPaused(phase: Phase): boolean {
  return phase.kind === "waiting" && phase.why === "paused";
}

function isWorking(phase: Phase): boolean {
  return phase.kind === "observing" || phase.kind === "applying";
}

/** Why a run that ended `offline` did. */
export function waitReasonOf(fault: Fault | null): Exclude<WaitReason, "paused"> {
  if (fault?.kind === "locked-out") return "unauthenticated";
  if (fault?.kind !== "later") return "unavailable";
  if (fault.cause === "unreachable") return "offline";
  return fault.cause === "rate-limited" || fault.cause === "not-the-service" ? fault.cause : "unavailable";
}

/** What a run that a guard stopped was stopped by. */
export function haltDetail({ halt }: RunReport): string {
  return halt === null ? "" : halt.reasons.map(({ reason, detail }) => `${reason}: ${detail}`).join("; ");
}
