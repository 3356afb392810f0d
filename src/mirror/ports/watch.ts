import type { LocalPath } from "../../contract/path.ts";

/** Hint from the disk about what to scan. One change may give no hint, or several, in any order. */
export type WatchHint =
  | { readonly kind: "path"; readonly path: LocalPath }
  /** A folder appeared or was removed: everything in it may have changed. "" is the root. */
  | { readonly kind: "folder"; readonly path: LocalPath }
  /** Hints were lost, or the watcher failed, so everything has to be scanned. */
  | { readonly kind: "overflow"; readonly why: string }
  /**
   * The system allows no more watches or file descriptors. Nothing is watched any more and no hint
   * follows, so the caller has to scan at intervals.
   */
  | { readonly kind: "limit"; readonly code: "ENOSPC" | "EMFILE"; readonly why: string };

/** Watches the linked folder, except `.mdmirror`, dot folders and what `ignores` excludes. */
export interface Watcher {
  /**
   * Starts to watch. Resolves when all existing folders are watched, so that later changes give
   * hints. Also resolves when the watcher has failed and reported the failure. May be called again
   * after `close`.
   */
  start(
    ignores: (path: LocalPath, kind: "file" | "folder") => boolean,
    onHint: (hint: WatchHint) => void,
  ): Promise<void>;
  close(): Promise<void>;
}
