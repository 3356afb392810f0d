import type { EventName } from "./events.ts";

/** One hook of the user's, as `hooks.json` has it. */
export type Hook = {
  readonly name: string;
  /** What it asks for, with the time that each must have lasted, in milliseconds. */
  readonly on: ReadonlyMap<EventName, number>;
  /** Names or folders of the mirrors that it is for; null: all. */
  readonly mirrors: readonly string[] | null;
  readonly timeoutMs: number;
  /** A program and its arguments; no shell reads them. */
  readonly argv: readonly string[];
};

/** How a hook ended. */
export type HookEnd =
  | { readonly kind: "done"; readonly ms: number }
  | {
      readonly kind: "failed";
      readonly ms: number;
      /** A clause for people: `it ended with 3`. */
      readonly why: string;
      /** The same as a word, for the log: `exit`, `timeout`. */
      readonly reason: string;
      /** The exit code, the signal or the code of the system; null: none. */
      readonly code: number | string | null;
      /** The last of what the command printed. */
      readonly output: string;
    };

export type Env = Readonly<Record<string, string | undefined>>;
