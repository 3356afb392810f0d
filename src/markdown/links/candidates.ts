/**
 * Matches the characters after `](` or `]:` of a link that certainly leads to no document. The link
 * is a fragment, has another scheme than `ref:`, or is empty.
 */
const FOREIGN_DESTINATION = /[ \t\r\n]*<?(?:#|(?!ref:)[a-z][a-z0-9+.-]*:|\))/iy;

/** Returns false only if a document certainly has no link to another document. */
export function mayHaveLinks(text: string, wiki = false): boolean {
  for (let offset = text.indexOf("]"); offset !== -1; offset = text.indexOf("]", offset + 1)) {
    const nextCode = text.charCodeAt(offset + 1);
    if (nextCode !== OPEN_PARENTHESIS && nextCode !== COLON) continue;
    FOREIGN_DESTINATION.lastIndex = offset + 2;
    if (!FOREIGN_DESTINATION.test(text)) return true;
  }
  return wiki && text.includes("[[");
}

const OPEN_PARENTHESIS = 0x28;
const COLON = 0x3a;
