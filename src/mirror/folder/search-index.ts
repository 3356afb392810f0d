import { STRUCTURE_FILE } from "../../contract/names.ts";
import { isWithin, type LocalPath, nameOf } from "../../contract/path.ts";
import type { LocalTree } from "../model/tree.ts";
import type { Disk } from "../ports/disk.ts";
import type { MirrorSearch } from "../state/search.ts";

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
