// Types for the used part of `diff-match-patch` 1.0.5, which has none.
declare module "diff-match-patch" {
  class DiffMatchPatch {
    patch_make(before: string, after: string): object[];
    patch_apply(patches: object[], text: string): [text: string, applied: boolean[]];
  }
  export = DiffMatchPatch;
}
