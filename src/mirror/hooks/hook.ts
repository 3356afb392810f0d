/** Events that a hook can run for, in the order in which mdmirror reports them. */
export const EVENT_NAMES = ["stopped", "offline", "conflict", "attention", "review-settled", "in-sync"] as const;

export type EventName = (typeof EVENT_NAMES)[number];

/**
 * Milliseconds that a state must last before a daemon runs a hook for it, unless the user sets
 * another time. Because of this wait, several quick changes cause only one event, and a short
 * disturbance causes none.
 */
export const USUAL_DEBOUNCE: Readonly<Record<EventName, number>> = {
  stopped: 5_000,
  offline: 60_000,
  conflict: 5_000,
  attention: 5_000,
  "review-settled": 5_000,
  "in-sync": 5_000,
};

export type Hook = {
  readonly name: string;
  /** Events that the hook runs for, each with the milliseconds that its state must last. */
  readonly on: ReadonlyMap<EventName, number>;
  /** Names or paths of the linked folders that the hook runs for; null for all. */
  readonly mirrors: readonly string[] | null;
  readonly timeoutMs: number;
  /** Program and arguments, which run without a shell. */
  readonly argv: readonly string[];
};

export type HookEnd =
  | { readonly kind: "done"; readonly ms: number }
  | {
      readonly kind: "failed";
      readonly ms: number;
      /** Reason of the failure as a clause for users, such as `it ended with 3`. */
      readonly why: string;
      /** Reason of the failure as a code for the log, such as `exit` or `timeout`. */
      readonly reason: string;
      /** Exit code, signal or system error code of the command; null without one. */
      readonly code: number | string | null;
      /** Last part of the command's output. */
      readonly output: string;
    };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the reason of the failure, with the last line that the command printed. */
export function describeFailure({ why, output }: { readonly why: string; readonly output: string }): string {
  const line = output.split("\n").at(-1)?.trim() ?? "";
  return line === "" ? why : `${why}: ${line.slice(0, 200)}`;
}
