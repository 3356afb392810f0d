import type { LocalPath } from "../../contract/path.ts";

/**
 * Hint from the disk: a reason to scan something. One change may cause no hint, or several, in any
 * order.
 */
export type WatchHint =
  | { readonly kind: "path"; readonly path: LocalPath }
  /** A folder was created or removed, so everything in it may have changed. "" is the root. */
  | { readonly kind: "folder"; readonly path: LocalPath }
  /** Hints were lost, or the watcher failed, so everything has to be scanned. */
  | { readonly kind: "overflow"; readonly why: string }
  /**
   * The system allows no more watches or file descriptors. The watcher has ended and sends no more
   * hints, so the caller has to scan at intervals.
   */
  | { readonly kind: "limit"; readonly code: "ENOSPC" | "EMFILE"; readonly why: string };

/**
 * Watches the linked folder, except `.mdmirror`, folders that begin with a dot, and paths that
 * `ignores` excludes.
 */
export interface Watcher {
  /**
   * Starts to watch. Resolves when all existing folders are watched, so that every later change
   * gives hints. Also resolves if the watcher failed and reported the failure. May be called again
   * after `close`.
   */
  start(
    ignores: (path: LocalPath, kind: "file" | "folder") => boolean,
    onHint: (hint: WatchHint) => void,
  ): Promise<void>;
  close(): Promise<void>;
}
