// Types for package `diff3` 0.0.4, which ships none. The arguments are (a, base, b), as arrays; the
// package splits a string into characters. It assigns a variable that it does not declare, so it
// must stay a separate CommonJS module: a bundle in strict mode would fail.
declare module "diff3" {
  type Block<T> =
    | { readonly ok: T[]; readonly conflict?: never }
    | { readonly ok?: never; readonly conflict: { readonly a: T[]; readonly o: T[]; readonly b: T[] } };
  function diff3Merge<T>(a: readonly T[], base: readonly T[], b: readonly T[]): Block<T>[];
  export = diff3Merge;
}
