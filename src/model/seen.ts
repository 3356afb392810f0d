/**
 * What one look at one side told about one thing. An incomplete listing, a failed read or a file
 * that is still being written is `unknown`: it can never mean "deleted". The only home of "absent"
 * against "not seen".
 */
export type Seen<T> =
  | { readonly kind: "present"; readonly value: T }
  | { readonly kind: "absent" }
  | { readonly kind: "unknown"; readonly why: string };

export const ABSENT = { kind: "absent" } as const;

export function present<T>(value: T): Seen<T> {
  return { kind: "present", value };
}

export function unknown(why: string): { readonly kind: "unknown"; readonly why: string } {
  return { kind: "unknown", why };
}
