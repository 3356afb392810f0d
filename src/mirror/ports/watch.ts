import type { LocalPath } from "../../contract/path.ts";

/**
 * A hint from the disk. It only says what to scan, not what changed. One change may give no hint,
 * or several, in any order.
 */
export type WatchHint =
  | { readonly kind: "path"; readonly path: LocalPath }
  /**
   * A folder appeared or was removed, so that everything in it may have changed without more hints.
   * "" is the root.
   */
  | { readonly kind: "folder"; readonly path: LocalPath }
  /** Hints were lost, or the watcher failed, so everything has to be scanned. */
  | { readonly kind: "overflow"; readonly why: string }
  /**
   * The system allows no more watches or file descriptors. Nothing is watched any more and no hint
   * follows, so the caller has to scan at intervals.
   */
  | { readonly kind: "limit"; readonly code: "ENOSPC" | "EMFILE"; readonly why: string };

/** Ignores `.mdmirror`, dot folders, and folders for which `ignores` returns true. */
export interface Watcher {
  /**
   * Resolves when all existing folders are watched, so that later changes give hints. Also resolves
   * after the watcher has failed and has reported the failure. May be called again after `close`.
   */
  start(
    ignores: (path: LocalPath, kind: "file" | "folder") => boolean,
    onHint: (hint: WatchHint) => void,
  ): Promise<void>;
  /** No hint follows afterwards. */
  close(): Promise<void>;
}
