/** Edits content by old and new pieces; each old piece must occur exactly once. */

type Replacement = {
  readonly old_text: string;
  readonly new_text: string;
  /** True to replace every occurrence. */
  readonly all?: boolean | undefined;
};

type Replaced =
  | { readonly kind: "replaced"; readonly text: string; readonly places: number }
  /** `at`: number of the failing edit, from 1; `count`: its occurrences. */
  | { readonly kind: "unfit"; readonly at: number; readonly count: number };

/**
 * Applies edits in order: each sees the results of those before it. Pieces have line feeds; in
 * content with CR LF they match those.
 */
export function replaceIn(text: string, edits: readonly Replacement[]): Replaced {
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
