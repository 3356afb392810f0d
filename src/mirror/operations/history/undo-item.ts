import type { DirId, DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";

/** The undo of one document or folder. */
export type UndoItem = { readonly path: LocalPath } & (
  | { readonly kind: "text-back"; readonly id: DocId; readonly digest: Digest; readonly expect: Digest }
  /** Deleted by the run: restored as a new document. */
  | { readonly kind: "bring-back"; readonly id: DocId; readonly digest: Digest }
  /**
   * Uploaded by the run as new: the file goes to the trash, and the next run deletes the document,
   * under the safety checks.
   */
  | { readonly kind: "take-away"; readonly id: DocId; readonly expect: Digest }
  | { readonly kind: "move-back"; readonly id: DocId; readonly to: LocalPath }
  /** Moves the folder with its present contents. */
  | { readonly kind: "move-folder-back"; readonly id: DirId; readonly to: LocalPath }
  /** Its changes go to review again (`protect-back`), or are published without review again. */
  | { readonly kind: "protect-back" | "unprotect-back"; readonly id: DocId }
  /** `isBrought`: the run only downloaded the document. */
  | { readonly kind: "left"; readonly why: string; readonly isBrought?: true }
);

export type LeftItem = Extract<UndoItem, { kind: "left" }>;

export function leftItem(path: LocalPath, why: string): LeftItem {
  return { path, kind: "left", why };
}
