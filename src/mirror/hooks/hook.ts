/** Events that a hook can ask for, in the order in which they are reported. */
export const EVENT_NAMES = ["stopped", "offline", "conflict", "attention", "review-settled", "in-sync"] as const;

export type EventName = (typeof EVENT_NAMES)[number];

/**
 * Default time that a state must last before a daemon runs a hook, in milliseconds. So a burst
 * becomes one event, and a short disturbance none.
 */
export const USUAL_DEBOUNCE: Readonly<Record<EventName, number>> = {
  stopped: 5_000,
  offline: 60_000,
  conflict: 5_000,
  attention: 5_000,
  "review-settled": 5_000,
  "in-sync": 5_000,
};

/** One of the user's hooks, as in `hooks.json`. */
export type Hook = {
  readonly name: string;
  /** Events of the hook. By event, the time that its state must last, in milliseconds. */
  readonly on: ReadonlyMap<EventName, number>;
  /** Names or paths of the linked folders to which the hook applies; null for all. */
  readonly mirrors: readonly string[] | null;
  readonly timeoutMs: number;
  /** A program and its arguments, without a shell. */
  readonly argv: readonly string[];
};

export type HookEnd =
  | { readonly kind: "done"; readonly ms: number }
  | {
      readonly kind: "failed";
      readonly ms: number;
      /** A clause for people: `it ended with 3`. */
      readonly why: string;
      /** Code of the failure, for the log: `exit`, `timeout`. */
      readonly reason: string;
      /** Exit code, signal or code of the system; null if there is none. */
      readonly code: number | string | null;
      /** The last output of the command. */
      readonly output: string;
    };

export type Env = Readonly<Record<string, string | undefined>>;

/** Returns a clause about a failure for people, with the last line that the command printed. */
export function failureClause({ why, output }: { readonly why: string; readonly output: string }): string {
  const line = output.split("\n").at(-1)?.trim() ?? "";
  return line === "" ? why : `${why}: ${line.slice(0, 200)}`;
}
