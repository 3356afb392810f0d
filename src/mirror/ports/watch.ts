import type { LocalPath } from "../../contract/path.ts";

/**
 * Notices of the disk. Notices are only hints: they say which paths to scan, not what changed. A
 * change may have no notice, or several, in any order.
 */
export type WatchHint =
  /**
   * An entry at this path was created, written, removed, renamed or touched. The entry may be a
   * file or a folder.
   */
  | { readonly kind: "path"; readonly path: LocalPath }
  /**
   * A folder appeared or was removed, so everything below it may have changed without separate
   * hints. "" is the root.
   */
  | { readonly kind: "folder"; readonly path: LocalPath }
  /** Notices were lost, or the watcher failed, so everything has to be scanned again. */
  | { readonly kind: "overflow"; readonly why: string }
  /**
   * The system allows no more watches or descriptors, so nothing is watched any more, and the
   * caller has to scan at intervals. This is the last hint.
   */
  | { readonly kind: "limit"; readonly code: "ENOSPC" | "EMFILE"; readonly why: string };

/**
 * Watches the linked folder, without `.mdmirror`, dot folders, or folders that `ignores` excludes.
 */
export interface Watcher {
  /**
   * Starts watching; may be called again after `close`. Resolves when every existing folder is
   * watched, so that later changes give hints, or when the watcher failed and reported the failure.
   */
  start(
    ignores: (path: LocalPath, kind: "file" | "folder") => boolean,
    onHint: (hint: WatchHint) => void,
  ): Promise<void>;
  /** Stops watching. No hint follows afterwards. */
  close(): Promise<void>;
}
