/**
 * Finds out by one scan, without a parser, whether a document may have links to other documents.
 */

/** Matches the text after `](` or `]:` in a link that does not lead into the workspace. */
const FOREIGN = /[ \t\r\n]*<?(?:#|(?!ref:)[a-z][a-z0-9+.-]*:|\))/iy;

/**
 * Returns false only if a document has no link that functions of `links/` could change.
 * @param wiki true if `[[Name]]` counts
 */
export function mayHaveLinks(text: string, wiki = false): boolean {
  for (let offset = text.indexOf("]"); offset !== -1; offset = text.indexOf("]", offset + 1)) {
    const next = text.charCodeAt(offset + 1);
    if (next !== OPEN_PARENTHESIS && next !== COLON) continue;
    FOREIGN.lastIndex = offset + 2;
    if (!FOREIGN.test(text)) return true;
  }
  return wiki && text.includes("[[");
}

const OPEN_PARENTHESIS = 0x28;
const COLON = 0x3a;
