import type { Fault } from "../../ports/remote.ts";
import type { RunReport } from "../run/report.ts";

/** Phases of the daemon: one union with one transition function. */

export type WaitReason = "offline" | "unauthenticated" | "unavailable" | "not-the-service" | "rate-limited" | "paused";

export type Phase =
  /** Nothing is due. The daemon waits for a file event, a poll or a request. */
  | { readonly kind: "idle" }
  | { readonly kind: "observing" }
  | { readonly kind: "applying" }
  /** `failures`: failed runs in a row. `detail`: a sentence for the user. */
  | { readonly kind: "waiting"; readonly why: WaitReason; readonly failures: number; readonly detail: string }
  /** A safety check stopped the sync. The daemon still looks, but changes nothing. */
  | { readonly kind: "stopped"; readonly detail: string }
  | { readonly kind: "ended" };

export type PhaseEvent =
  | { readonly kind: "look" }
  | { readonly kind: "apply" }
  | { readonly kind: "ended" }
  | { readonly kind: "safety-stop"; readonly detail: string }
  | { readonly kind: "failed"; readonly why: Exclude<WaitReason, "paused">; readonly detail: string }
  | { readonly kind: "pause" }
  | { readonly kind: "resume" }
  | { readonly kind: "stop" };

export const IDLE: Phase = { kind: "idle" };
const PAUSED: Phase = { kind: "waiting", why: "paused", failures: 0, detail: "paused" };

type EventOf<Kind> = Extract<PhaseEvent, { kind: Kind }>;

/** The next phase by event, for each phase other than `stopped`. */
const TRANSITIONS: {
  readonly [Kind in PhaseEvent["kind"]]: (phase: Phase, event: EventOf<Kind>, failures: number) => Phase;
} = {
  stop: () => ({ kind: "ended" }),
  pause: () => PAUSED,
  resume: (phase) => (isPaused(phase) ? IDLE : phase),
  look: () => ({ kind: "observing" }),
  apply: (phase) => (phase.kind === "observing" ? { kind: "applying" } : phase),
  ended: (phase) => (isWorking(phase) ? IDLE : phase),
  "safety-stop": (phase, { detail }) => (isWorking(phase) ? { kind: "stopped", detail } : phase),
  failed: (phase, { why, detail }, failures) =>
    isWorking(phase) ? { kind: "waiting", why, failures: failures + 1, detail } : phase,
};

/**
 * The transition function. Pure and total: an event that means nothing in a phase leaves it
 * unchanged.
 * @param failures failed runs in a row so far, which a `look` phase does not hold
 */
export function nextPhase(phase: Phase, event: PhaseEvent, failures = 0): Phase {
  if (phase.kind === "ended") return phase;
  const transition = TRANSITIONS[event.kind] as (phase: Phase, event: PhaseEvent, failures: number) => Phase;
  return transition(phase, event, failures);
}

function isPaused(phase: Phase): boolean {
  return phase.kind === "waiting" && phase.why === "paused";
}

function isWorking(phase: Phase): boolean {
  return phase.kind === "observing" || phase.kind === "applying";
}

/** Returns why a run ended as `offline`. */
export function waitReasonOf(fault: Fault | null): Exclude<WaitReason, "paused"> {
  if (fault?.kind === "locked-out") return "unauthenticated";
  if (fault?.kind !== "later") return "unavailable";
  if (fault.cause === "unreachable") return "offline";
  return fault.cause === "rate-limited" || fault.cause === "not-the-service" ? fault.cause : "unavailable";
}

/** Returns the sentence about what stopped a run. */
export function stopDetail({ safetyStop }: RunReport): string {
  return safetyStop === null ? "" : safetyStop.reasons.map(({ reason, detail }) => `${reason}: ${detail}`).join("; ");
}
