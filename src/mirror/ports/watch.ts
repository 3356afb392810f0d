import type { LocalPath } from "../../contract/path.ts";

/**
 * A hint from the disk. It only says what to scan, and not what changed. One change may give no
 * hint, or several, in any order.
 */
export type WatchHint =
  /** A file or folder at this path was created, written, removed, renamed or touched. */
  | { readonly kind: "path"; readonly path: LocalPath }
  /**
   * A folder appeared or was removed, so that everything in it may have changed without further
   * hints. "" is the root.
   */
  | { readonly kind: "folder"; readonly path: LocalPath }
  /** Hints were lost, or the watcher failed, so everything has to be scanned. */
  | { readonly kind: "overflow"; readonly why: string }
  /**
   * The system allows no more watches or file descriptors. Nothing is watched any more, so the
   * caller has to scan at intervals. No further hint follows.
   */
  | { readonly kind: "limit"; readonly code: "ENOSPC" | "EMFILE"; readonly why: string };

/**
 * Watches the linked folder for changes, except `.mdmirror`, dot folders, and folders for which
 * `ignores` returns true.
 */
export interface Watcher {
  /**
   * Starts to watch; may be called again after `close`. Resolves when all existing folders are
   * watched, so that later changes give hints. Also resolves after the watcher has failed and has
   * reported that.
   */
  start(
    ignores: (path: LocalPath, kind: "file" | "folder") => boolean,
    onHint: (hint: WatchHint) => void,
  ): Promise<void>;
  /** Stops watching. No hint follows afterwards. */
  close(): Promise<void>;
}
