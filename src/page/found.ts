import { type Snippet, splitIntoFoundPieces } from "../markdown/search/snippets.ts";
import { html, type Html } from "./html.ts";
import { renderName } from "./parts.ts";

type FoundDocument = { readonly href: string; readonly path: string; readonly lines: readonly Snippet[] };

export function renderFoundDocuments(files: readonly FoundDocument[]): Html {
  if (files.length === 0) return html``;
  return html`<ol class="card flush rows">${files.map(
    ({ href, path, lines }) =>
      html`<li><div class="main"><a href="${href}">${renderName(path)}</a>${
        lines.length > 0 && html`<ul class="found">${lines.map(renderLine)}</ul>`
      }</div></li>`,
  )}</ol>`;
}

function renderLine(line: Snippet): Html {
  const pieces = splitIntoFoundPieces(line).map((piece, i, all) =>
    i === 0 && !piece.isMatch && all.length > 1 ? { ...piece, text: shortenLead(piece.text) } : piece,
  );
  return html`<li><span class="number faint"><span class="unseen">line </span>${line.line}</span> <span dir="auto">${pieces.map(({ text, isMatch }) => (isMatch ? html`<mark>${text}</mark>` : text))}</span></li>`;
}

/**
 * LIMIT: number of characters that are shown before the first match. The match is then visible on a
 * narrow page, where a line has about 70 characters.
 */
const MAX_LEAD_CHARACTERS = 40;

/** Shortens a text to its last whole words, and marks the cut with `…`. */
function shortenLead(text: string): string {
  const characters = [...text];
  if (characters.length <= MAX_LEAD_CHARACTERS) return text;
  const lastCharacters = characters.slice(-MAX_LEAD_CHARACTERS).join("");
  const lastWords = lastCharacters.slice(lastCharacters.indexOf(" ") + 1);
  return `…${lastWords === "" ? lastCharacters : lastWords}`;
}
