import type { DocumentBody, FolderBody } from "../match/body.ts";
import { baseFolderAt } from "../match/forest.ts";
import { numberedName } from "../local-name.ts";
import { joinPath, type LocalPath, nameOf, parentOf, pathKey } from "../path.ts";
import type { Desk } from "./desk.ts";
import { pathOfGoal } from "./places.ts";

/**
 * The path that must still be empty right before a deletion on the service, and to which the thing would come back: where it was below its
 * folder, which may be moved by this plan. If something else is there now (`rm b; mv a b`), its absence is already proven by that, and a free name beside it is given.
 */
export function absentPath(desk: Desk, body: DocumentBody | FolderBody): LocalPath {
  const link = body.link!;
  const folder = baseFolderAt(desk.forest, parentOf(link.localPath), parentOf(link.remotePath));
  const name = nameOf(link.localPath);
  const path = folder.localPath === null ? link.localPath : pathOfGoal({ parent: folder, name }, "local");
  const { disk } = desk.trees.local;
  const isFree = (one: LocalPath): boolean => !isOccupied(desk, one) && !desk.claimedPaths().has(pathKey(one, disk));
  if (isFree(path)) return path;
  const kind = body.kind === "document" ? "file" : "folder";
  for (let number = 2; ; number++) {
    const beside = joinPath(parentOf(path), numberedName(nameOf(path), kind, number));
    if (isFree(beside)) return beside;
  }
}

/** Whether something is at a path on disk now, in whatever spelling the disk takes for the same. */
export function isOccupied(desk: Desk, path: LocalPath): boolean {
  const { files, folders, others, disk } = desk.trees.local;
  if (files.has(path) || folders.has(path) || others.has(path)) return true;
  return (disk.foldsCase || disk.foldsUnicode) && desk.standingKeys().has(pathKey(path, disk));
}

/** Keys of all paths on disk. Asked for only where the disk folds. */
export function standingKeys({ trees }: Pick<Desk, "trees">): ReadonlySet<string> {
  const { files, folders, others, disk } = trees.local;
  return new Set([files, folders, others].flatMap((map) => [...map.keys()].map((path) => pathKey(path, disk))));
}

/** Keys of paths on disk that something with a body has at some time in this plan. */
export function claimedPaths(desk: Desk): ReadonlySet<string> {
  const { disk } = desk.trees.local;
  const paths = new Set<string>();
  for (const body of [...desk.forest.folders, ...desk.documents]) {
    // In the end; and while its folder has moved already and it has not.
    for (const place of [body.local.goal, body.local.now])
      if (place !== null) paths.add(pathKey(pathOfGoal(place, "local"), disk));
  }
  return paths;
}
