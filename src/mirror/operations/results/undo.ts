import { shownName, shownWords } from "../../../common/shown-name.ts";
import type { UndoItem } from "../history/undo-document.ts";

const WORDS: Readonly<Record<UndoItem["kind"], string>> = {
  "text-back": "restore the content",
  "conflict-back": "open the conflict again",
  "bring-back": "restore as a new document",
  "take-away": "move to the trash again",
  "move-back": "move back",
  "move-folder-back": "move the folder back",
  "protect-back": "protect again",
  "unprotect-back": "remove the protection again",
  left: "left alone",
};

type Undone = { readonly kind: string; readonly why?: string; readonly to?: string | null };

/** Returns a clause such as `move back to a.md`, or `left alone: it was edited since`. */
export function undoClause({ kind, why = "", to = null }: Undone): string {
  const more = kind === "left" ? `: ${shownWords(why)}` : to === null ? "" : ` to ${shownName(to)}`;
  return `${WORDS[kind as UndoItem["kind"]]}${more}`;
}
