import { shownName, shownWords } from "../../../common/shown-name.ts";
import type { UndoItem } from "../history/undo-item.ts";

/** Words for the undo of a document. */

const WORDS: Readonly<Record<UndoItem["kind"], string>> = {
  "text-back": "restore the content",
  "bring-back": "restore as a new document",
  "take-away": "move to the trash again",
  "move-back": "move back",
  "move-folder-back": "move the folder back",
  "protect-back": "protect again",
  "unprotect-back": "remove the protection again",
  left: "left alone",
};

/** Returns `move back to a.md`, or `left alone: it was edited since`. */
export function undoClause(item: UndoItem): string {
  const more = item.kind === "left" ? `: ${shownWords(item.why)}` : "to" in item ? ` to ${shownName(item.to)}` : "";
  return `${WORDS[item.kind]}${more}`;
}
