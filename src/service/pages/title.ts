import { shownWords } from "../../common/shown-name.ts";

/**
 * Returns the title of a window.
 * @param what may contain names from outside
 */
export function titled(what: string): string {
  return `${shownWords(what)} · mdmirror service`;
}
