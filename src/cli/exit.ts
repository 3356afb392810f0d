import type { MirrorStatus } from "../mirror/folder/read-status.ts";

/** The exit codes of commands. */
export const EXIT = {
  inSync: 0,
  /** A fault of mdmirror. */
  fault: 1,
  usage: 2,
  /** Done, but something needs the user. */
  attention: 3,
  stopped: 4,
  /** Service unreachable, or the key refused. */
  offline: 5,
  locked: 6,
  /** A text was handed over, and a reviewer decides. */
  inReview: 7,
  /** The time was over before all was there. */
  tooSlow: 8,
  diskFull: 9,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meaning of each exit code, in the order of the help. */
export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: "in sync, or done",
  1: "error in mdmirror itself",
  2: "wrong usage or configuration",
  3: "done, but action is required",
  4: "stopped by a safety check: mdmirror approve or mdmirror reject",
  5: "service unreachable, or key refused",
  6: "locked by another process",
  7: "uploaded, but in review",
  8: "timed out",
  9: "disk full",
};

/** Of a command that tells how a mirror stands. */
export const EXIT_OF_STATE: Readonly<Record<MirrorStatus["state"], ExitCode>> = {
  "in-sync": EXIT.inSync,
  never: EXIT.attention,
  attention: EXIT.attention,
  stopped: EXIT.stopped,
  offline: EXIT.offline,
};

/** The exit code of several runs: the one that asks most of the user. */
export function worstExit(codes: readonly ExitCode[]): ExitCode {
  const order: readonly ExitCode[] = [
    EXIT.fault,
    EXIT.diskFull,
    EXIT.usage,
    EXIT.locked,
    EXIT.stopped,
    EXIT.offline,
    EXIT.tooSlow,
    EXIT.attention,
    EXIT.inReview,
  ];
  return order.find((code) => codes.includes(code)) ?? EXIT.inSync;
}
