import type { Fault } from "../../ports/remote.ts";
import type { RunReport } from "../run/report.ts";

export type WaitReason = "offline" | "unauthenticated" | "unavailable" | "not-the-service" | "rate-limited" | "paused";

export type FailureReason = Exclude<WaitReason, "paused">;

export type DaemonPhase =
  /** The daemon waits for a file event, a poll or a request. */
  | { readonly kind: "idle" }
  | { readonly kind: "observing" }
  | { readonly kind: "applying" }
  /** The daemon waits. `failures`: number of failed runs in a row. `detail`: text for the user. */
  | { readonly kind: "waiting"; readonly why: WaitReason; readonly failures: number; readonly detail: string }
  /** A safety check stopped the sync. The daemon still scans, but changes nothing. */
  | { readonly kind: "stopped"; readonly detail: string }
  | { readonly kind: "ended" };

export const IDLE: DaemonPhase = { kind: "idle" };
export const PAUSED: DaemonPhase = { kind: "waiting", why: "paused", failures: 0, detail: "paused" };

export function chooseFailureReason(fault: Fault | null): FailureReason {
  if (fault?.kind === "locked-out") return "unauthenticated";
  if (fault?.kind !== "later") return "unavailable";
  if (fault.cause === "unreachable") return "offline";
  return fault.cause === "rate-limited" || fault.cause === "not-the-service" ? fault.cause : "unavailable";
}

/** Returns the reasons why a safety check stopped a run, in one line; "" if none did. */
export function describeStop({ safetyStop }: RunReport): string {
  return safetyStop === null ? "" : safetyStop.reasons.map(({ reason, detail }) => `${reason}: ${detail}`).join("; ");
}
