import type { DirId, DocId } from "../../contract/ids.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/** Actions on folders; the other members of an action are in `action.ts`. */
export type FolderAction =
  | {
      readonly kind: "make-folder-local";
      readonly dirId: DirId;
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
    }
  | { readonly kind: "make-folder-remote"; readonly localPath: LocalPath; readonly remotePath: RemotePath }
  /**
   * Both sides have the folder at these places, and it is not linked so yet. `carries`: entries of
   * base below the folder that get their new path with it; null: all of them. Steps of their own
   * record the others.
   */
  | {
      readonly kind: "link-folder";
      readonly dirId: DirId;
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly carries: readonly DocId[] | null;
    }
  /** Moves the folder with everything below it. `to` must be free. */
  | {
      readonly kind: "move-folder-local";
      readonly dirId: DirId;
      readonly from: LocalPath;
      readonly to: LocalPath;
      readonly temporary: boolean;
    }
  | {
      readonly kind: "rename-folder-remote";
      readonly dirId: DirId;
      readonly stands: LocalPath;
      readonly from: RemotePath;
      readonly to: RemotePath;
      readonly temporary: boolean;
    }
  | {
      readonly kind: "reparent-folder-remote";
      readonly dirId: DirId;
      readonly stands: LocalPath;
      readonly from: RemotePath;
      readonly to: RemotePath;
      readonly temporary: boolean;
    }
  /**
   * Removes an empty folder; leftovers inside go to the trash first. If it is not empty: stale.
   * `dirId`: null if another folder has that record's place by now.
   */
  | { readonly kind: "remove-folder-local"; readonly dirId: DirId | null; readonly localPath: LocalPath }
  | {
      readonly kind: "remove-folder-remote";
      readonly dirId: DirId;
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
    }
  | { readonly kind: "forget-folder"; readonly dirId: DirId };
