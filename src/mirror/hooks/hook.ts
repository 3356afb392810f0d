import type { EventName } from "./events.ts";

/** One of the user's hooks, as in `hooks.json`. */
export type Hook = {
  readonly name: string;
  /** Its events, with the time that each state must last, in milliseconds. */
  readonly on: ReadonlyMap<EventName, number>;
  /** Names or paths of its linked folders; null for all. */
  readonly mirrors: readonly string[] | null;
  readonly timeoutMs: number;
  /** A program and its arguments, without a shell. */
  readonly argv: readonly string[];
};

/** Result of a hook. */
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
