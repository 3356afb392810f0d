import type { DirId, DocId } from "../contract/ids.ts";
import type { LocalPath, RemotePath } from "./path.ts";

/** What can be done to a folder; the rest of an action is in `action.ts`. */
export type FolderAction =
  | {
      readonly kind: "make-folder-local";
      readonly dirId: DirId;
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
    }
  | { readonly kind: "make-folder-remote"; readonly localPath: LocalPath; readonly remotePath: RemotePath }
  /**
   * Present on both sides at these places, not linked yet (or linked elsewhere). `carries`: what
   * goes along in base of what base has below it; null: all of that. What is not among these is
   * recorded by steps of its own.
   */
  | {
      readonly kind: "link-folder";
      readonly dirId: DirId;
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly carries: readonly DocId[] | null;
    }
  /** Moves the folder with all below it. `to` must be free. */
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
   * `dirId`: null where the link of that folder is another folder's here by now. Removes an empty
   * folder (mirrored litter inside goes to the trash first); not empty: stale.
   */
  | { readonly kind: "remove-folder-local"; readonly dirId: DirId | null; readonly localPath: LocalPath }
  | {
      readonly kind: "remove-folder-remote";
      readonly dirId: DirId;
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
    }
  | { readonly kind: "forget-folder"; readonly dirId: DirId };
