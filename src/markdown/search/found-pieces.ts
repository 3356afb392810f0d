import type { Snippet } from "./snippets.ts";

/** Splits a line into matches and the parts between them. Leaves out empty parts. */
export function splitIntoFoundPieces({ text, ranges }: Pick<Snippet, "text" | "ranges">): readonly FoundPiece[] {
  const characters = [...text];
  const pieces: FoundPiece[] = [];
  let index = 0;
  for (const [start, end] of ranges) {
    pieces.push(createPiece(characters.slice(index, start), false), createPiece(characters.slice(start, end), true));
    index = end;
  }
  return [...pieces, createPiece(characters.slice(index), false)].filter((piece) => piece.text !== "");
}

type FoundPiece = { readonly text: string; readonly isMatch: boolean };

/** Replaces control characters other than tabs, because they could control a terminal. */
function createPiece(characters: readonly string[], isMatch: boolean): FoundPiece {
  const text = characters.join("").replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, "\ufffd");
  return { text, isMatch };
}
