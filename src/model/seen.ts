/**
 * What one look at one side told about one thing. An incomplete listing, a failed read or a file
 * that is still being written is `unknown`: it can never mean "deleted". The only home of "absent"
 * against "not seen".
 */
export type Seen<T> =
  | { readonly kind: "present"; readonly value: T }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly unread: Unread };

/** Why something here was not seen, as the hold names it that stands for it, and in words. */
export type Unread = { readonly kind: "still-being-written" | "local-unreadable"; readonly why: string };

/** It is not to be judged before it rests. */
export const STILL_WRITTEN: Unread = { kind: "still-being-written", why: "still-being-written" };

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
