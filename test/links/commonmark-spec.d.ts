declare module "commonmark-spec" {
  /** Examples of the specification; `html` is the expected rendering of `markdown`. */
  export const tests: readonly { readonly number: number; readonly markdown: string; readonly html: string }[];
}
