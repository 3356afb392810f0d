import { existsSync } from "node:fs";
import { join } from "node:path";
import { STRUCTURE_FILE } from "../../contract/names.ts";
import { isWithin, type LocalPath, nameOf } from "../../contract/path.ts";
import { errorCodeOf } from "../../common/trouble.ts";
import { MIRROR_FOLDER } from "../model/mirror-folder.ts";
import type { LocalTree } from "../model/tree.ts";
import type { Disk } from "../ports/disk.ts";
import type { Log } from "../ports/world.ts";
import { type MirrorSearch, openSearch } from "../state/search.ts";
import { SEARCH_FILE } from "../state/search-file.ts";

/** Updates the search index of the linked folder from a walk. */

export function hasSearchIndex(root: string): boolean {
  return existsSync(join(root, MIRROR_FOLDER, SEARCH_FILE));
}

/**
 * Updates the search index from the walk of a cycle. Never fails, and never waits for a full disk,
 * because a search updates the index itself.
 */
export function keepSearchIndex(root: string, tree: LocalTree, disk: Pick<Disk, "read">, log: Log): void {
  try {
    const opened = openSearch(join(root, MIRROR_FOLDER));
    if (opened.kind === "unusable") return;
    try {
      const indexed = indexChangedFiles(opened.search, tree, (path) => readText(disk, path));
      log.write("debug", "search-index", { indexed });
    } finally {
      opened.search.close();
    }
  } catch (error) {
    log.write("warn", "search-index-failed", {
      code: errorCodeOf(error),
      why: error instanceof Error ? error.message : null,
    });
  }
}

/**
 * Indexes the files of a walk that changed, and removes missing files. Returns how many files it
 * read.
 */
export function indexChangedFiles(
  search: MirrorSearch,
  tree: LocalTree,
  read: (path: LocalPath) => string | null,
): number {
  const unseen = [...tree.unseen.keys()];
  // The file with the rules of a folder is no document, so a search does not find it, as on the
  // service.
  const files = tree.files.values().filter(({ path }) => nameOf(path) !== STRUCTURE_FILE);
  return search.update(files, (path) => unseen.some((above) => isWithin(path, above) || above === ""), read);
}

export function readText(disk: Pick<Disk, "read">, path: LocalPath): string | null {
  const read = disk.read(path);
  return read.kind === "done" ? read.value.text : null;
}
