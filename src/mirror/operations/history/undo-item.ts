import type { DirId, DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Disk } from "../../ports/disk.ts";
import type { State } from "../../ports/state.ts";

/** The undo of one document or folder. */
export type UndoItem = { readonly path: LocalPath } & (
  | { readonly kind: "text-back"; readonly id: DocId; readonly digest: Digest; readonly expect: Digest }
  /** The run deleted the document. It is restored as a new document. */
  | { readonly kind: "bring-back"; readonly id: DocId; readonly digest: Digest }
  /**
   * The run uploaded the document as new. The file goes to the trash, and the next run deletes the
   * document, under the safety checks.
   */
  | { readonly kind: "take-away"; readonly id: DocId; readonly expect: Digest }
  | { readonly kind: "move-back"; readonly id: DocId; readonly to: LocalPath }
  /** Moves the folder back with its current contents. */
  | { readonly kind: "move-folder-back"; readonly id: DirId; readonly to: LocalPath }
  /**
   * Changes of the document go to review again (`protect-back`), or are published without review
   * again.
   */
  | { readonly kind: "protect-back" | "unprotect-back"; readonly id: DocId }
  /** `isBrought`: the run only downloaded the document. */
  | { readonly kind: "left"; readonly why: string; readonly isBrought?: true }
);

export type LeftItem = Extract<UndoItem, { kind: "left" }>;

export function leftItem(path: LocalPath, why: string): LeftItem {
  return { path, kind: "left", why };
}

export const EDITED_SINCE = "it was edited since";

/**
 * Returns why an item cannot be undone, as a clause: the document, the folder or the file changed
 * since. A plan checks each item, and its execution checks the item again.
 */
export function whyNot(
  item: UndoItem,
  state: Pick<State, "link" | "dir" | "conflict">,
  disk: Pick<Disk, "look">,
): string | null {
  const { path } = item;
  switch (item.kind) {
    case "text-back":
    case "take-away":
    case "move-back": {
      if (state.link(item.id)?.localPath !== path) return "it was moved or deleted since";
      if (state.conflict(item.id) !== null) return "it is in conflict";
      const look = disk.look(path);
      if (look.kind !== "file") return `no file is at ${path}`;
      return item.kind === "move-back" || look.digest === item.expect ? null : EDITED_SINCE;
    }
    case "move-folder-back": {
      const dir = state.dir(item.id);
      if (dir?.localPath !== path) return "the folder was moved or deleted since";
      const look = disk.look(path);
      const isSame = look.kind === "folder" && look.ino === dir.ino && look.dev === dir.dev;
      return isSame ? null : "the folder does not exist any more";
    }
    default:
      return null;
  }
}

export function isFree(disk: Pick<Disk, "look">, path: LocalPath): boolean {
  return disk.look(path).kind === "absent";
}

/**
 * Returns the reason not to undo a move or a deletion, as a clause.
 * @param path place that must be free, and is occupied
 */
export function occupiedReason(path: LocalPath): string {
  return `${path} is taken now`;
}
