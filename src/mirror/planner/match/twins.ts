import { compareStrings } from "../../model/by-path.ts";
import { makeHashedName, isUnsafeName, toLocalName, toRemoteName } from "../../model/local-name.ts";
import { type DiskNames, joinPath, nameOf, parentOf, pathKey } from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import type { LocalFile, RemoteFile, Trees } from "../../model/tree.ts";
import { findOrAddFolder, type FolderForest } from "./forest.ts";

/** Documents without a record in base: on both sides, only local, or only on the service. */
type UnrecordedDocuments = {
  readonly onBothSides: (readonly [RemoteFile, LocalFile])[];
  readonly onlyRemote: readonly RemoteFile[];
  readonly onlyLocal: readonly LocalFile[];
};

type FindTwin = (file: RemoteFile) => LocalFile | undefined;

/**
 * Derives a local name from a document's name on the service. `isExact`: the file must have exactly
 * the derived spelling.
 */
type NameRule = { readonly nameFor: typeof toLocalName; readonly isExact: boolean };

/**
 * ORDER: the exact name, then the name with digits of the id, then other spellings that the disk
 * treats as equal. A file in another spelling may belong to another document, which got the name
 * first. The document's own file then has digits of the id in its name. This happens after an
 * interrupted run or the loss of the state.
 */
const NAME_RULES: readonly NameRule[] = [
  { nameFor: toLocalName, isExact: true },
  { nameFor: makeHashedName, isExact: false },
  { nameFor: toLocalName, isExact: false },
];

/** Finds documents that both sides have, but that have no record in base. */
export function findTwins(
  forest: FolderForest,
  trees: Trees,
  policy: Policy,
  newFiles: readonly LocalFile[],
): UnrecordedDocuments {
  const { disk } = trees.local;
  const unmatchedFiles = new Map(newFiles.map((file) => [pathKey(file.path, disk), file]));
  const onBothSides: (readonly [RemoteFile, LocalFile])[] = [];
  let onlyRemote: RemoteFile[] = [];
  for (const file of trees.remote.files.values()) if (!trees.base.records.has(file.id)) onlyRemote.push(file);
  onlyRemote.sort((a, b) => compareStrings(a.path, b.path));
  const twinFinders = [
    ...NAME_RULES.map((rule) => () => makeFinderByName(forest, unmatchedFiles, disk, rule)),
    () => makeFinderByMappedName(forest, unmatchedFiles, policy),
  ];
  for (const finder of twinFinders) {
    if (unmatchedFiles.size === 0 || onlyRemote.length === 0) break;
    const findTwin = finder();
    onlyRemote = onlyRemote.filter((file) => {
      const twin = findTwin(file);
      if (twin === undefined) return true;
      unmatchedFiles.delete(pathKey(twin.path, disk));
      onBothSides.push([file, twin]);
      return false;
    });
  }
  return {
    onBothSides,
    onlyRemote,
    onlyLocal: [...unmatchedFiles.values()].sort((a, b) => compareStrings(a.path, b.path)),
  };
}

function makeFinderByName(
  forest: FolderForest,
  waiting: ReadonlyMap<string, LocalFile>,
  disk: DiskNames,
  { nameFor, isExact }: NameRule,
): FindTwin {
  return ({ id, path: remotePath }) => {
    const name = nameOf(remotePath);
    const folder = findOrAddFolder(forest, "remote", parentOf(remotePath)).localPath;
    if (folder === null || isUnsafeName(name, "file")) return undefined;
    const path = joinPath(folder, nameFor(name, "file", id, disk.maxNameBytes));
    const twin = waiting.get(pathKey(path, disk));
    return isExact && twin?.path !== path ? undefined : twin;
  };
}

/**
 * Returns a search for the new local file of a document on the service: the file whose path,
 * converted to a legal path of the service, is the document's path. Finds nothing if several files
 * convert to that path.
 */
function makeFinderByMappedName(
  forest: FolderForest,
  waiting: ReadonlyMap<string, LocalFile>,
  policy: Policy,
): FindTwin {
  if (policy.names === "block") return () => undefined;
  const byRemotePath = new Map<string, LocalFile | null>();
  for (const file of waiting.values()) {
    const folder = findOrAddFolder(forest, "local", parentOf(file.path)).remotePath;
    const name = toRemoteName(nameOf(file.path), "file", policy.refusedCharacters);
    if (folder === null || name === null) continue;
    const path = joinPath(folder, name);
    byRemotePath.set(path, byRemotePath.has(path) ? null : file);
  }
  return (file) => byRemotePath.get(file.path) ?? undefined;
}
