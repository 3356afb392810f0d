import { compareStrings } from "../../model/by-path.ts";
import { hashedName, isUnsafeName, localNameFor, remoteNameFor } from "../../model/local-name.ts";
import { joinPath, type LocalPath, nameOf, parentOf, pathKey } from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import type { LocalFile, RemoteFile, Trees } from "../../model/tree.ts";
import { folderAt, type Forest } from "./forest.ts";

/**
 * Documents without a record: those that both sides have at corresponding places, and those that
 * one side alone has.
 */
type Twins = {
  readonly met: (readonly [RemoteFile, LocalFile])[];
  readonly there: readonly RemoteFile[];
  readonly here: readonly LocalFile[];
};

type FindTwin = (file: RemoteFile) => LocalFile | undefined;

/** @param newFiles files that no record has claimed */
export function findTwins(forest: Forest, trees: Trees, policy: Policy, newFiles: readonly LocalFile[]): Twins {
  const { disk } = trees.local;
  const waiting = new Map(newFiles.map((file) => [pathKey(file.path, disk), file]));
  const met: (readonly [RemoteFile, LocalFile])[] = [];
  let there: RemoteFile[] = [];
  for (const file of trees.remote.files.values()) if (!trees.base.links.has(file.id)) there.push(file);
  there.sort((a, b) => compareStrings(a.path, b.path));
  // ORDER: on a disk that folds, a file at a document's path in another spelling may belong to
  // another document. The document's own file then has a name with digits of its id.
  const ways: readonly (() => FindTwin)[] = [
    () => exactTwin(forest, waiting, trees),
    () => digitsTwin(forest, waiting, trees),
    () => foldedTwin(forest, waiting, trees),
    () => mappedTwin(forest, waiting, policy),
  ];
  for (const way of ways) {
    // Nearly always one of the two lists is empty here.
    if (waiting.size === 0 || there.length === 0) break;
    const find = way();
    there = there.filter((file) => {
      const twin = find(file);
      if (twin === undefined) return true;
      waiting.delete(pathKey(twin.path, disk));
      met.push([file, twin]);
      return false;
    });
  }
  return { met, there, here: [...waiting.values()].sort((a, b) => compareStrings(a.path, b.path)) };
}

/** Finds the file at the path that the disk treats as the document's. */
function foldedTwin(forest: Forest, waiting: ReadonlyMap<string, LocalFile>, { local }: Trees): FindTwin {
  return (file) => {
    const path = localTwinPath(forest, local, file);
    return path === null ? undefined : waiting.get(pathKey(path, local.disk));
  };
}

/** Finds the file at the exact path of the document. */
function exactTwin(forest: Forest, waiting: ReadonlyMap<string, LocalFile>, { local }: Trees): FindTwin {
  return (file) => {
    const path = localTwinPath(forest, local, file);
    const twin = path === null ? undefined : waiting.get(pathKey(path, local.disk));
    return twin?.path === path ? twin : undefined;
  };
}

function localTwinPath(forest: Forest, { disk }: Trees["local"], file: RemoteFile): LocalPath | null {
  return pathInTwinFolder(forest, file, (name) => localNameFor(name, "file", file.id, disk.maxNameBytes));
}

function pathInTwinFolder(forest: Forest, file: RemoteFile, nameFor: (name: string) => string): LocalPath | null {
  const name = nameOf(file.path);
  const folder = folderAt(forest, "remote", parentOf(file.path)).localPath;
  return folder === null || isUnsafeName(name, "file") ? null : joinPath(folder, nameFor(name));
}

const HAS_DIGITS = /-[0-9a-f]{8}\.md$/;

/**
 * Finds a file whose name has digits of the document's id, because the plain name was taken. Such a
 * file comes from a run that was interrupted before base had it, or whose state was lost.
 */
function digitsTwin(forest: Forest, waiting: ReadonlyMap<string, LocalFile>, { local }: Trees): FindTwin {
  if (![...waiting.values()].some(({ path }) => HAS_DIGITS.test(path))) return () => undefined;
  return (file) => {
    const path = pathInTwinFolder(forest, file, (name) => hashedName(name, "file", file.id, local.disk.maxNameBytes));
    return path === null ? undefined : waiting.get(pathKey(path, local.disk));
  };
}

/**
 * Finds new local files by the remote path of their mapped name, unless several files would get the
 * same path.
 */
function mappedTwin(forest: Forest, waiting: ReadonlyMap<string, LocalFile>, policy: Policy): FindTwin {
  if (policy.names === "block") return () => undefined;
  const byRemotePath = new Map<string, LocalFile | null>();
  for (const file of waiting.values()) {
    const folder = folderAt(forest, "local", parentOf(file.path)).remotePath;
    const name = remoteNameFor(nameOf(file.path), "file", policy.refusedCharacters);
    if (folder === null || name === null) continue;
    const path = joinPath(folder, name);
    byRemotePath.set(path, byRemotePath.has(path) ? null : file);
  }
  return (file) => byRemotePath.get(file.path) ?? undefined;
}
