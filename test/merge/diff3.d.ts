// Types for package `diff3` 0.0.4, which ships none. Argument order is (a, base, b).
declare module "diff3" {
  type Block<T> =
    | { readonly ok: T[]; readonly conflict?: never }
    | {
        readonly ok?: never;
        readonly conflict: {
          readonly a: T[];
          readonly aIndex: number;
          readonly o: T[];
          readonly oIndex: number;
          readonly b: T[];
          readonly bIndex: number;
        };
      };
  function diff3Merge<T>(a: T[], base: T[], b: T[]): Block<T>[];
  export = diff3Merge;
}
