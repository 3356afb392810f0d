import { STRUCTURE_FILE } from "../../contract/names.ts";
import { isWithin, type LocalPath, nameOf } from "../../contract/path.ts";
import type { LocalTree } from "../model/tree.ts";
import type { Disk } from "../ports/disk.ts";
import type { MirrorSearch } from "../state/search.ts";

/** LIMIT: documents that are indexed before other work can run. */
const DOCUMENTS_AT_ONCE = 200;

/**
 * Indexes the files of a walk that changed, and removes missing files. Pauses between parts, so
 * that other work can run. Returns how many files it read.
 */
export function* indexChangedFiles(
  search: MirrorSearch,
  tree: LocalTree,
  read: (path: LocalPath) => string | null,
): Generator<void, number> {
  const unseen = [...tree.unseen.keys()];
  // The file with the rules of a folder is not a document, so a search does not find it, as on the
  // service.
  const files = [...tree.files.values()].filter(({ path }) => nameOf(path) !== STRUCTURE_FILE);
  const changed = files.filter(({ path, digest }) => search.known(path)?.digest !== digest);
  let indexed = 0;
  for (let at = 0; changed.length - at > DOCUMENTS_AT_ONCE; at += DOCUMENTS_AT_ONCE) {
    indexed += search.update(changed.slice(at, at + DOCUMENTS_AT_ONCE), () => true, read);
    yield;
  }
  return indexed + search.update(files, (path) => unseen.some((above) => isWithin(path, above) || above === ""), read);
}

export function readText(disk: Pick<Disk, "read">, path: LocalPath): string | null {
  const read = disk.read(path);
  return read.kind === "done" ? read.value.text : null;
}
