import type { LocalPath } from "../../contract/path.ts";

/**
 * Result of the observation of one entry on one side. An incomplete listing, a failed read or a
 * file that is still being written is `unknown`, which never means "deleted".
 */
export type Seen<T> =
  | { readonly kind: "present"; readonly value: T }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly unread: Unread };

/**
 * Reason why an entry on disk was not seen. `kind`: reason of the block that results. `why`: a
 * clause for messages. `isMirror`: the path is itself a linked folder.
 */
export type Unread = {
  readonly kind: "still-being-written" | "local-unreadable" | "ambiguous-file";
  readonly why: string;
  readonly isMirror?: true;
};

/** Reason why a file is left out of the plan until it was unchanged for a while. */
export const STILL_WRITTEN: Unread = { kind: "still-being-written", why: "still-being-written" };

/** A folder inside that is itself linked is neither read nor written to. */
export const IS_MIRROR: Unread = {
  kind: "local-unreadable",
  why: "it is a linked folder itself, so the linked folder around it does not sync it: move it out, or unlink it",
  isMirror: true,
};

export function unreadable(why: string): Unread {
  return { kind: "local-unreadable", why };
}

/** LIMIT: files that a message lists. */
const MAX_LISTED_FILES = 4;

/** @param paths paths of the files that may belong to the document */
export function ambiguousFile(paths: readonly LocalPath[]): Unread {
  const named = paths.slice(0, MAX_LISTED_FILES).map((path) => JSON.stringify(path));
  const more = paths.length - named.length;
  const list =
    more === 0 ? `${named.slice(0, -1).join(", ")} or ${named.at(-1)}` : `${named.join(", ")} or ${more} more`;
  return { kind: "ambiguous-file", why: `its file may be ${list}; mdmirror cannot decide which` };
}

export const ABSENT = { kind: "absent" } as const;

export function present<T>(value: T): Seen<T> {
  return { kind: "present", value };
}

export function unknown<T>(unread: Unread): Seen<T> {
  return { kind: "unknown", unread };
}
