/**
 * Edits content: replaces old pieces by new ones. Each old piece must occur exactly once; with
 * `all`, at least once.
 */

type Replacement = {
  readonly old_text: string;
  readonly new_text: string;
  /** True to replace every occurrence. */
  readonly all?: boolean | undefined;
};

type ReplaceResult =
  | { readonly kind: "replaced"; readonly text: string; readonly places: number }
  /**
   * An edit cannot be applied. `at`: number of that edit, from 1; `count`: occurrences of its old
   * piece.
   */
  | { readonly kind: "unfit"; readonly at: number; readonly count: number };

/**
 * Applies edits in order; each edit changes the result of the edits before it. Pieces have line
 * feeds, which also match CR LF in the content.
 */
export function replaceIn(text: string, edits: readonly Replacement[]): ReplaceResult {
  const isCrlf = text.includes("\r\n") && !/(?<!\r)\n/.test(text);
  const dress = (piece: string) => (isCrlf ? piece.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n") : piece);
  let now = text;
  let places = 0;
  for (const [index, { old_text, new_text, all = false }] of edits.entries()) {
    const pieces = now.split(dress(old_text));
    const count = pieces.length - 1;
    if (count === 0 || (count > 1 && !all)) return { kind: "unfit", at: index + 1, count };
    now = pieces.join(dress(new_text));
    places += count;
  }
  return { kind: "replaced", text: now, places };
}
