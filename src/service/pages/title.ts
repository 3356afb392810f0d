import { shownWords } from "../../common/shown-name.ts";

/**
 * The title of a window.
 * @param what may hold names from outside
 */
export function titled(what: string): string {
  return `${shownWords(what)} · mdmirror service`;
}
