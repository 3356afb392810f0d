// Types for the package `diff3` 0.0.4, which has no types. All arguments are arrays. The package
// must stay a separate CommonJS module, because it assigns to a variable that it does not declare.
// Strict mode would forbid such an assignment.
declare module "diff3" {
  type Block<T> =
    | { readonly ok: T[]; readonly conflict?: never }
    | { readonly ok?: never; readonly conflict: { readonly a: T[]; readonly o: T[]; readonly b: T[] } };
  function diff3Merge<T>(a: readonly T[], base: readonly T[], b: readonly T[]): Block<T>[];
  export = diff3Merge;
}
