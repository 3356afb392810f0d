import { once } from "../../common/once.ts";
import { ancestorsOf, type LocalPath } from "../../contract/path.ts";

/**
 * Local paths of linked documents. A `.gitignore` leaves out only paths that are not linked: a
 * synced document is no build output.
 */
export type LinkedSource = () => Iterable<LocalPath>;

/** Index of the linked paths, built on first use. */
export type LinkedPaths = {
  has(path: LocalPath): boolean;
  /** Returns true if a linked document is below. */
  isBelow(folder: LocalPath): boolean;
};

export function linkedPaths(source: LinkedSource): LinkedPaths {
  const read = once(() => {
    const files = new Set(source());
    const folders = new Set<LocalPath>();
    for (const path of files) for (const folder of ancestorsOf(path)) folders.add(folder);
    return { files, folders };
  });
  return { has: (path) => read().files.has(path), isBelow: (folder) => read().folders.has(folder) };
}
