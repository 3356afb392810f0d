/**
 * Whether a text may hold a link between documents, by one scan without a parser: most texts hold
 * none, and cost no more than this.
 */

/** What follows `](` or `]:`, if it leads elsewhere than into the workspace, or nowhere. */
const FOREIGN = /[ \t\r\n]*<?(?:#|(?!ref:)[a-z][a-z0-9+.-]*:|\))/iy;

/**
 * @param wiki whether `[[Name]]` counts
 * @returns false only for texts that no function of this folder changes
 */
export function mayHoldLinks(text: string, wiki = false): boolean {
  for (let at = text.indexOf("]"); at !== -1; at = text.indexOf("]", at + 1)) {
    const next = text.charCodeAt(at + 1);
    if (next !== OPEN_PARENTHESIS && next !== COLON) continue;
    FOREIGN.lastIndex = at + 2;
    if (!FOREIGN.test(text)) return true;
  }
  return wiki && text.includes("[[");
}

const OPEN_PARENTHESIS = 0x28;
const COLON = 0x3a;
