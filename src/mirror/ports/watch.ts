import type { LocalPath } from "../../contract/path.ts";

/**
 * Notices of the disk. They are hints only: they say where to look, never what is true. A change
 * may have none, or several, in any order.
 */
export type WatchHint =
  /**
   * Something at this path changed: made, written, removed, renamed, touched. It may be a file or a
   * folder.
   */
  | { readonly kind: "path"; readonly path: LocalPath }
  /**
   * A folder appeared or was removed: everything below it may have changed without a hint of its
   * own. "" is the root.
   */
  | { readonly kind: "folder"; readonly path: LocalPath }
  /** Notices were lost, or the watcher failed: everything has to be scanned again. */
  | { readonly kind: "overflow"; readonly why: string }
  /**
   * The system gives no more watches or descriptors: nothing is watched any more, so scan from time
   * to time. The last hint.
   */
  | { readonly kind: "limit"; readonly code: "ENOSPC" | "EMFILE"; readonly why: string };

/**
 * Watches the linked folder, without `.mdmirror`, dot folders, or folders that `ignores` excludes.
 */
export interface Watcher {
  /**
   * Starts, also after a `close`. Resolves when every existing folder is watched, so that later
   * changes give hints, or when the watcher failed and said so.
   */
  start(
    ignores: (path: LocalPath, kind: "file" | "folder") => boolean,
    onHint: (hint: WatchHint) => void,
  ): Promise<void>;
  /** Ends it; no hint follows. */
  close(): Promise<void>;
}
