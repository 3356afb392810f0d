/**
 * Edits of a text by what stands there: each piece is named by itself, and has to be the only one.
 */

type Replacement = {
  readonly old_text: string;
  readonly new_text: string;
  /** All places, instead of the only one. */
  readonly all?: boolean | undefined;
};

type Replaced =
  | { readonly kind: "replaced"; readonly text: string; readonly places: number }
  /** `at`: which of them, from 1; `count`: how many places it has. */
  | { readonly kind: "unfit"; readonly at: number; readonly count: number };

/**
 * One after the other: each sees what those before it made. Pieces are given with line feeds; in a
 * text whose lines end in CR LF they mean those.
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
