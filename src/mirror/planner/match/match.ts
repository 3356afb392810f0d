import type { DocId } from "../../../contract/ids.ts";
import { type DocumentRecord, isAway } from "../../model/record.ts";
import { type DiskNames, joinPath, type LocalPath, nameOf, parentOf, pathKey } from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import {
  ABSENT,
  type LocalFile,
  makeAmbiguousFile,
  makePresent,
  makeUnknown,
  type Observation,
  type RemoteFile,
  type TextLookup,
  type Trees,
  type UnreadReason,
} from "../../model/tree.ts";
import { Arrivals, findChangedDocuments, type JudgedDocuments, NO_JUDGED_DOCUMENTS } from "./unjudged.ts";
import { type DocumentRow, type RemoteSeen, type Side, SlotOccupancy } from "./row.ts";
import { findFolders, findFoldersByContents } from "./folder-paths.ts";
import { findOrAddFolder, type FolderForest, makeForest, placeFolders, toPlace } from "./forest.ts";
import { addUnrecordedFolders, mergeFolders } from "./new-folders.ts";
import { whyMayBeElsewhere, whyNothingIsAbsent, whyUnseen } from "./evidence.ts";
import { listKnownDigests, matchFile, type MatchProgress, pairBySameInode } from "./matching.ts";
import {
  blockPossibleOwners,
  matchByPathAlone,
  matchByPathAndInode,
  matchByPathAndPart,
  matchByPathAndText,
  MovedFiles,
} from "./document-files.ts";
import { compareStrings } from "../../model/by-path.ts";
import { isUnsafeName, makeHashedName, toLocalName, toRemoteName } from "../../model/names.ts";

export type MatchedTrees = {
  readonly forest: FolderForest;
  readonly documents: DocumentRow[];
  /**
   * Files that the plan leaves unchanged, because each of them may belong to a document that was
   * not found.
   */
  readonly undecided: ReadonlySet<LocalPath>;
  /** Documents at rest about which the next round of planning must decide. */
  readonly toInclude: Set<DocId>;
  readonly arrivals: Arrivals;
  /** Finds the item at a path before the plan changes anything. */
  readonly occupancy: SlotOccupancy;
};

/**
 * Matches records, local files and documents of the service. Leaves out documents at rest, and
 * documents that only have to be created locally.
 */
export function matchTrees(
  trees: Trees,
  policy: Policy,
  texts: TextLookup,
  judged: JudgedDocuments = NO_JUDGED_DOCUMENTS,
): MatchedTrees {
  const folders = findFolders(trees, policy);
  const { records, files } = findChangedDocuments(trees, folders, judged);
  // The rows are sorted by id, so that the plan does not depend on the order of the records.
  const sortedRecords = [...records.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const record of sortedRecords) if (isAway(record)) records.delete(record.id);
  const emptyResults = { matches: new Map(), byPathAlone: new Set<DocId>(), undecided: new Set<LocalPath>() };
  const matching: MatchProgress = { trees, texts, folders, files, records, ...emptyResults, blocked: new Map() };
  matchDocuments(matching);
  const absenceDoubt = whyNothingIsAbsent(trees, (record) => isAtOtherPath(matching, record));
  const forest = makeForest(trees, folders, absenceDoubt !== null);
  mergeFolders(forest, trees, policy, folders);
  addUnrecordedFolders(forest, trees, policy, folders);
  placeFolders(forest);
  const documents = sortedRecords.map((record) => {
    const localState = describeLocalState(matching, record, absenceDoubt);
    return makeDocumentRow(forest, trees, record.id, record, localState, describeRemoteState(trees, record));
  });
  const occupancy = new SlotOccupancy(trees, policy);
  const arrivals = new Arrivals(trees, forest, occupancy);
  const { onBothSides, onlyRemote, onlyLocal } = findTwins(forest, trees, policy, [...matching.files.values()]);
  for (const [file, twin] of onBothSides) documents.push(makeNewDocumentRow(forest, trees, file, makePresent(twin)));
  for (const file of arrivals.take(onlyRemote, policy, judged))
    documents.push(makeNewDocumentRow(forest, trees, file, ABSENT));
  for (const file of onlyLocal)
    documents.push(makeDocumentRow(forest, trees, null, null, makePresent(file), { kind: "never" }));
  return { forest, documents, undecided: matching.undecided, toInclude: new Set(), arrivals, occupancy };
}

function isAtOtherPath({ matches }: MatchProgress, { id, localPath }: DocumentRecord): boolean {
  const match = matches.get(id);
  return match !== undefined && match.path !== localPath;
}

function describeLocalState(
  matching: MatchProgress,
  record: DocumentRecord,
  unread: UnreadReason | null,
): Observation<LocalFile> {
  const unknownReason = whyLocalUnknown(matching, record, unread);
  if (unknownReason !== null) return makeUnknown(unknownReason);
  const match = matching.matches.get(record.id);
  return match === undefined ? ABSENT : makePresent(match);
}

function whyLocalUnknown(
  { trees, matches, byPathAlone, blocked }: MatchProgress,
  { id, localPath }: DocumentRecord,
  unread: UnreadReason | null,
): UnreadReason | null {
  const possibleFiles = blocked.get(id);
  if (possibleFiles !== undefined) return makeAmbiguousFile(possibleFiles.map(({ path }) => path));
  if (!matches.has(id)) return whyUnseen(localPath, trees) ?? unread;
  return byPathAlone.has(id) ? whyMayBeElsewhere(trees) : null;
}

/**
 * Returns the state of a recorded document on the service. A missing document is gone only if the
 * listing was complete and the absence is proven (I20); otherwise the document is unknown.
 */
function describeRemoteState(trees: Trees, record: DocumentRecord): RemoteSeen {
  const { remote } = trees;
  const file = remote.files.get(record.id);
  if (file !== undefined) return { kind: "present", file };
  if (remote.outside.has(record.id)) return { kind: "outside" };
  if (remote.complete && remote.gone.has(record.id)) return { kind: "gone" };
  return { kind: "unseen", why: remote.unseen.get(record.id) ?? "not in the listing, and not proven absent" };
}

function makeDocumentRow(
  forest: FolderForest,
  { base }: Trees,
  id: DocId | null,
  record: DocumentRecord | null,
  local: Observation<LocalFile>,
  remote: RemoteSeen,
): DocumentRow {
  const makeRowPlaces = (side: Side, path: string | null) => ({
    now: path === null ? null : toPlace(forest, side, path),
    goal: null,
  });
  return {
    kind: "document",
    key: forest.nextKey(),
    id,
    record,
    tombstone: id === null ? null : (base.tombstones.get(id) ?? null),
    local: { seen: local, ...makeRowPlaces("local", local.kind === "present" ? local.value.path : null) },
    remote: { seen: remote, ...makeRowPlaces("remote", remote.kind === "present" ? remote.file.path : null) },
  };
}

function makeNewDocumentRow(
  forest: FolderForest,
  trees: Trees,
  file: RemoteFile,
  local: Observation<LocalFile>,
): DocumentRow {
  return makeDocumentRow(forest, trees, file.id, null, local, { kind: "present", file });
}

/**
 * Matches documents by the strongest evidence first. Each call leaves out the matches of earlier
 * calls.
 */
function matchDocuments(matching: MatchProgress): void {
  if (matching.records.size === 0) return;
  matchByInodeAndText(matching);
  matchByPathAndInode(matching);
  matchByPathAndText(matching);
  const movedFiles = new MovedFiles(matching);
  movedFiles.match("inode-and-similar-text");
  matchByPathAndPart(matching);
  movedFiles.match("same-text");
  findFoldersByContents(matching.folders, generatePathChanges(matching), matching.trees.local.folders);
  matchByPathAndText(matching);
  movedFiles.match("inode");
  matchByPathAlone(matching);
  blockPossibleOwners(matching);
}

/**
 * Matches files by inode and content. Finds moves even if another file has the old path now (`mv b
 * c; mv a b`, or a swap).
 */
function matchByInodeAndText(matching: MatchProgress): void {
  for (const [record, file] of pairBySameInode(matching))
    if (listKnownDigests(matching, record).includes(file.digest)) matchFile(matching, record, file);
}

function* generatePathChanges(matching: MatchProgress): Generator<{ base: LocalPath; current: LocalPath | null }> {
  for (const record of matching.trees.base.records.values()) {
    if (isAway(record)) continue;
    const match = matching.matches.get(record.id);
    if (match !== undefined) yield { base: record.localPath, current: match.path };
    // A document that is neither matched nor missing is at rest, so it has its old path.
    else yield { base: record.localPath, current: matching.records.has(record.id) ? null : record.localPath };
  }
}

/** Documents without a record: on both sides, only local, or only on the service. */
type UnrecordedDocuments = {
  readonly onBothSides: (readonly [RemoteFile, LocalFile])[];
  readonly onlyRemote: readonly RemoteFile[];
  readonly onlyLocal: readonly LocalFile[];
};

type FindTwin = (file: RemoteFile) => LocalFile | undefined;

/**
 * Rule that derives a local name from a document's name on the service. `isExact`: the file must
 * have exactly the derived spelling.
 */
type NameRule = { readonly nameFor: typeof toLocalName; readonly isExact: boolean };

/**
 * ORDER: the exact name, then the name with digits of the id, then other spellings that the disk
 * treats as equal. A file in another spelling may belong to another document, which got the name
 * first. After an interrupted run or a lost state, the document's own file has digits of the id in
 * its name.
 */
const NAME_RULES: readonly NameRule[] = [
  { nameFor: toLocalName, isExact: true },
  { nameFor: makeHashedName, isExact: false },
  { nameFor: toLocalName, isExact: false },
];

/** Finds documents that both sides have, but that have no record. */
function findTwins(
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
 * Returns a function that finds the new local file of a document on the service. The path of that
 * file, converted for the service, is the document's path. Finds nothing if several files convert
 * to that path.
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
