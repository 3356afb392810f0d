import type { DocId } from "../../../contract/ids.ts";
import { isAway, type DocumentRecord } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import {
  ABSENT,
  makeAmbiguousFile,
  makePresent,
  type Observation,
  makeUnknown,
  type Unread,
} from "../../model/seen.ts";
import type { LocalFile, RemoteFile, TextLookup, Trees } from "../../model/tree.ts";
import { Arrivals } from "./arrivals.ts";
import { type JudgedDocuments, NO_JUDGED_DOCUMENTS, findChangedDocuments } from "./at-rest.ts";
import type { DocumentRow, RemoteSeen, Side } from "./row.ts";
import { findFolders, findFoldersByContents } from "./folder-paths.ts";
import { type FolderForest, makeForest, toPlace, placeFolders } from "./forest.ts";
import { mergeFolders, addUnrecordedFolders } from "./new-folders.ts";
import { whyMayBeElsewhere, whyNothingIsAbsent, whyUnseen } from "./unseen.ts";
import { matchFile, listKnownDigests, type MatchProgress, pairBySameInode } from "./matching.ts";
import { SlotOccupancy } from "./slots.ts";
import { findTwins } from "./twins.ts";
import { matchByPathAlone, matchByPathAndInode, matchByPathAndPart, matchByPathAndText } from "./at-path.ts";
import { blockPossibleOwners, MovedFiles } from "./elsewhere.ts";

export type MatchedTrees = {
  readonly forest: FolderForest;
  readonly documents: DocumentRow[];
  /**
   * Files that the plan leaves unchanged, because each may belong to a document that was not found.
   */
  readonly undecided: ReadonlySet<LocalPath>;
  /** Documents that this round of planning left out, and that the next round must include. */
  readonly toInclude: Set<DocId>;
  readonly arrivals: Arrivals;
  /** Finds what is at a path before the plan changes anything. */
  readonly occupancy: SlotOccupancy;
};

/**
 * Matches records, local files and documents of the service. Leaves out documents that did not
 * change, and documents that only have to be created locally.
 */
export function matchTrees(
  trees: Trees,
  policy: Policy,
  texts: TextLookup,
  judged: JudgedDocuments = NO_JUDGED_DOCUMENTS,
): MatchedTrees {
  const folders = findFolders(trees, policy);
  const { records, files } = findChangedDocuments(trees, folders, judged);
  // Rows are sorted by id, so that the result does not depend on the order of the input.
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
  unread: Unread | null,
): Observation<LocalFile> {
  const unknownReason = whyLocalUnknown(matching, record, unread);
  if (unknownReason !== null) return makeUnknown(unknownReason);
  const match = matching.matches.get(record.id);
  return match === undefined ? ABSENT : makePresent(match);
}

function whyLocalUnknown(
  { trees, matches, byPathAlone, blocked }: MatchProgress,
  { id, localPath }: DocumentRecord,
  unread: Unread | null,
): Unread | null {
  const possibleFiles = blocked.get(id);
  if (possibleFiles !== undefined) return makeAmbiguousFile(possibleFiles.map(({ path }) => path));
  if (!matches.has(id)) return whyUnseen(localPath, trees) ?? unread;
  return byPathAlone.has(id) ? whyMayBeElsewhere(trees) : null;
}

/**
 * Returns the state of a recorded document on the service. A document is gone only if the list was
 * complete and the absence is proven (I20). Any other document that is not listed is unknown.
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
 * Matches documents, by the strongest evidence first. Each call leaves out what earlier calls have
 * matched.
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
 * Matches files by inode and content. This finds moves even if another file has the old path now
 * (`mv b c; mv a b`, or a swap).
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
    // A document that is neither matched nor missing was left out as unchanged, so it has its old
    // path.
    else yield { base: record.localPath, current: matching.records.has(record.id) ? null : record.localPath };
  }
}
