import { once } from "../../common/once.ts";
import { ancestorsOf, type LocalPath } from "../../contract/path.ts";

/**
 * Local paths of the linked documents. A `.gitignore` leaves out what is not linked: a document
 * that somebody mirrors already is no build output to them.
 */
export type LinkedSource = () => Iterable<LocalPath>;

/** The same, to be asked; read when something is asked for the first time. */
export type LinkedPaths = {
  has(path: LocalPath): boolean;
  /** Whether a linked document lies below. */
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
