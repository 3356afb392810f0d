// Types for what is used of package `diff-match-patch` 1.0.5, which ships none.
declare module "diff-match-patch" {
  class DiffMatchPatch {
    patch_make(before: string, after: string): object[];
    patch_apply(patches: object[], text: string): [text: string, applied: boolean[]];
  }
  export = DiffMatchPatch;
}
