/**
 * What one look at one side says about one thing. An incomplete listing, a failed read or a file
 * that is still being written is `unknown`, which can never mean "deleted".
 */
export type Seen<T> =
  | { readonly kind: "present"; readonly value: T }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly unread: Unread };

/** Why something here was not seen: as the name of the hold that stands for it, and in words. */
export type Unread = { readonly kind: "still-being-written" | "local-unreadable"; readonly why: string };

/** The file is not judged before it rests. */
export const STILL_WRITTEN: Unread = { kind: "still-being-written", why: "still-being-written" };

/** Why a folder that is mirrored by itself is not read, and gets nothing. */
export const IS_MIRROR =
  "it is a mirror of its own, and nothing in it is sent here: move it out of this folder, or unlink it";

export function unreadable(why: string): Unread {
  return { kind: "local-unreadable", why };
}

export const ABSENT = { kind: "absent" } as const;

export function present<T>(value: T): Seen<T> {
  return { kind: "present", value };
}

export function unknown<T>(unread: Unread): Seen<T> {
  return { kind: "unknown", unread };
}
