import type { EventName } from "./events.ts";

/** One hook of the user's, as `hooks.json` has it. */
export type Hook = {
  readonly name: string;
  /** What it asks for, with the time that each must have lasted, in milliseconds. */
  readonly on: ReadonlyMap<EventName, number>;
  /** Names or folders of the mirrors that it is for; null: all. */
  readonly mirrors: readonly string[] | null;
  readonly timeoutMs: number;
  readonly does: Command | Post;
};

export type Command = {
  readonly kind: "run";
  /** A program and its arguments; no shell reads them. */
  readonly argv: readonly string[];
};

export type Post = {
  readonly kind: "post";
  readonly url: string;
  readonly secret: SecretPlace;
};

/** Where the signing secret is: only its place is kept, so that nothing can show it. */
export type SecretPlace =
  /** Absolute. */
  { readonly kind: "file"; readonly path: string } | { readonly kind: "env"; readonly name: string };

/** How a hook ended. */
export type HookEnd =
  | { readonly kind: "done"; readonly ms: number }
  | {
      readonly kind: "failed";
      readonly ms: number;
      /** A clause for people: `it ended with 3`. Never a secret. */
      readonly why: string;
      /** The same as a word, for the log: `exit`, `timeout`. */
      readonly reason: string;
      /** The exit code, the status of the answer or the code of the system; null: none. */
      readonly code: number | string | null;
      /** The last of what the command printed. */
      readonly output: string;
      /** Whether it never came to an answer, so that it may be told again. */
      readonly unheard: boolean;
      /** Whether its receiver wants nothing more (410). */
      readonly gone: boolean;
    };

export type Env = Readonly<Record<string, string | undefined>>;

/** The address without what may be a secret: its path and query. */
export function shownAddress({ url }: Pick<Post, "url">): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === "/" && search === "" ? origin : `${origin}/…`;
}
