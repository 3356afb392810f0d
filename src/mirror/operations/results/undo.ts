import { shownName, shownWords } from "../../../common/shown-name.ts";
import { UNDO_KINDS, type UndoItem } from "../history/undo-document.ts";

type DescribedUndo = { readonly kind: string; readonly why?: string; readonly to?: string | null };

/** Returns a clause such as `move back to a.md` or `left alone: it was edited since`. */
export function describeUndo({ kind, why = "", to = null }: DescribedUndo): string {
  const detail = kind === "left" ? `: ${shownWords(why)}` : to === null ? "" : ` to ${shownName(to)}`;
  return `${UNDO_KINDS[kind as UndoItem["kind"]].words}${detail}`;
}
