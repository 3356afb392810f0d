import type { LocalPath } from "../../contract/path.ts";

/**
 * What the disk's own notices say. Hints only: they tell where to look, never what is there. None
 * may come for a change, several may come for one, and in any order.
 */
export type WatchHint =
  /**
   * Something about this path changed: made, written, removed, renamed, touched. Whether it is a
   * file or a folder is not known.
   */
  | { readonly kind: "path"; readonly path: LocalPath }
  /**
   * A folder appeared or went: anything in it and below may have changed without a hint of its own.
   * "" is the root.
   */
  | { readonly kind: "folder"; readonly path: LocalPath }
  /** Notices were lost, or the watcher stumbled: everything must be looked at again. */
  | { readonly kind: "overflow"; readonly why: string }
  /**
   * The system gives no more watches or descriptors: nothing is watched any more, so look from time
   * to time. The last hint.
   */
  | { readonly kind: "limit"; readonly code: "ENOSPC" | "EMFILE"; readonly why: string };

/**
 * Watches the mirrored folder, without `.mdmirror`, dot folders, or folders that `ignores`
 * excludes.
 */
export interface Watcher {
  /**
   * Starts, also after a `close`. Resolves when every folder that is there is watched, so that
   * later changes are hinted at, or when the watcher gave up and said so.
   */
  start(
    ignores: (path: LocalPath, kind: "file" | "folder") => boolean,
    onHint: (hint: WatchHint) => void,
  ): Promise<void>;
  /** Ends it; no hint comes after. */
  close(): Promise<void>;
}
