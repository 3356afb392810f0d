import type { DocId } from "../../contract/ids.ts";
import { ownOf } from "../../model/borrowed-map.ts";
import type { Link } from "../../model/link.ts";
import { once } from "../../model/once.ts";
import type { LocalPath } from "../../model/path.ts";
import type { LocalFile, Trees } from "../../model/tree.ts";
import { isQuiet, type LentTest, lentTest } from "./quiet.ts";

/** Parts the documents on which the three trees agree from the others, of which there are few. */
type Parted = {
  /** The links of the others. */
  readonly links: Map<DocId, Link>;
  /** The files that no quiet document has. */
  readonly files: Map<LocalPath, LocalFile>;
  /** Made when it is first asked for; whoever takes one up again takes it out. */
  readonly quietPaths: () => Set<LocalPath>;
};

/** @param isLoose whether a document counts as one of the others in any case */
export function partDocuments(trees: Trees, isLoose: (link: Link) => boolean): Parted {
  const isLent = lentTest(trees);
  return isLent === null ? partEach(trees, isLoose) : partLent(trees, isLoose, isLent);
}

function partEach(trees: Trees, isLoose: (link: Link) => boolean): Parted {
  const links = new Map<DocId, Link>();
  const quietPaths = new Set<LocalPath>();
  for (const link of trees.base.links.values()) {
    // Two links at one path make no sense, and must not both be quiet: the later one would have no
    // file.
    if (!isLoose(link) && !quietPaths.has(link.localPath) && isQuiet(trees, link, false))
      quietPaths.add(link.localPath);
    else links.set(link.id, link);
  }
  return { links, files: filesBut(trees.local.files, quietPaths), quietPaths: () => quietPaths };
}

/**
 * All files but the quiet ones. Nearly always none is left, which is told without looking at each.
 */
function filesBut(files: ReadonlyMap<LocalPath, LocalFile>, quiet: ReadonlySet<LocalPath>): Map<LocalPath, LocalFile> {
  const left = new Map<LocalPath, LocalFile>();
  if (files.size === quiet.size) return left;
  for (const [path, file] of files) if (!quiet.has(path)) left.set(path, file);
  return left;
}

/** The same where no two links have one path, and nearly all files are as their links have them. */
function partLent(trees: Trees, isLoose: (link: Link) => boolean, isLent: LentTest): Parted {
  const all = trees.base.links;
  const links = new Map<DocId, Link>();
  const files = new Map(ownOf(trees.local.files, all));
  for (const link of all.values()) {
    const lent = isLent(link);
    if (!isLoose(link) && isQuiet(trees, link, lent)) {
      if (!lent) files.delete(link.localPath);
      continue;
    }
    links.set(link.id, link);
    const file = trees.local.files.get(link.localPath);
    if (file !== undefined) files.set(link.localPath, file);
  }
  const loose = new Set([...links.values()].map(({ localPath }) => localPath));
  const quietPaths = once(
    () => new Set([...all.values()].flatMap(({ localPath: path }) => (loose.has(path) ? [] : [path]))),
  );
  return { links, files, quietPaths };
}
