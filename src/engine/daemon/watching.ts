import { isSidecarName, type LocalPath, nameOf } from "../../model/path.ts";
import type { Watcher, WatchHint } from "../../ports/watch.ts";
import type { LocalTree } from "../../model/tree.ts";
import type { DaemonStatus } from "./daemon.ts";

const IGNORE_FILE = ".mdmirrorignore";

/**
 * The watcher over the daemon's life: begun when the folder is there, closed when it goes, given up
 * when the system has no more watches.
 */
export type Watching = {
  state(): DaemonStatus["watching"];
  limit(): DaemonStatus["limit"];
  /**
   * Watches, if nothing is watched yet or the ignore rules changed. @returns whether it began: then
   * everything must be looked at again
   */
  ensure(tree: LocalTree): Promise<boolean>;
  close(): Promise<void>;
};

export type OnHint = (path: LocalPath, whole: boolean) => void;

export function createWatching(
  watcher: Watcher,
  onHint: OnHint,
  onLimit: (limit: { readonly code: string; readonly why: string }) => void,
): Watching {
  let state: DaemonStatus["watching"] = "starting";
  let limit: DaemonStatus["limit"] = null;
  let stale = false;
  let ignores: LocalTree["ignores"] = () => false;

  function hear(hint: WatchHint): void {
    switch (hint.kind) {
      case "path":
        if (nameOf(hint.path) === IGNORE_FILE) {
          stale = true;
          onHint("", true);
        } else if (!isIrrelevant(hint.path)) onHint(hint.path, false);
        return;
      case "folder":
        if (!ignores(hint.path, "folder")) onHint(hint.path, true);
        return;
      case "overflow":
        onHint("", true);
        return;
      case "limit":
        if (limit !== null) return;
        state = "polling";
        limit = { code: hint.code, why: hint.why };
        onLimit(limit);
        onHint("", true);
    }
  }

  /** A sidecar is ignored by name, yet its going ends a conflict. */
  function isIrrelevant(path: LocalPath): boolean {
    if (path === ".mdmirror" || path.startsWith(".mdmirror/")) return true;
    return ignores(path, "file") && !isSidecarName(nameOf(path));
  }

  return {
    state: () => state,
    limit: () => limit,
    async ensure(tree) {
      ignores = tree.ignores;
      if (state === "polling" || (state === "events" && !stale)) return false;
      stale = false;
      await watcher.start((path, kind) => ignores(path, kind), hear);
      if (limit === null) state = "events";
      return true;
    },
    async close() {
      if (state === "events") state = "starting";
      await watcher.close();
    },
  };
}
