declare module "commonmark-spec" {
  /** Examples of the specification. `html` is what a renderer makes of `markdown`. */
  export const tests: readonly { readonly number: number; readonly markdown: string; readonly html: string }[];
}
