import { shownWords } from "../../model/shown-name.ts";

/** What a window is called. @param what may hold names */
export function titled(what: string): string {
  return `${shownWords(what)} · mdmirror service`;
}
