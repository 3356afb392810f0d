import type { DocId } from "../../../contract/ids.ts";
import { isAway, type DocumentRecord } from "../../model/link.ts";
import { type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import type { Policy } from "../../model/policy.ts";
import { ABSENT, ambiguousFile, present, type Seen, unknown, type Unread } from "../../model/seen.ts";
import type { LocalFile, RemoteFile, TextLookup, Trees } from "../../model/tree.ts";
import { Arrivals } from "./arrivals.ts";
import { type JudgedDocuments, NONE_JUDGED, partDocuments } from "./at-rest.ts";
import type { DocumentRow, RemoteSeen } from "./row.ts";
import { findFolders, findFoldersByContents } from "./folder-paths.ts";
import { folderAt, type Forest, placeFolders, plantForest } from "./forest.ts";
import { mergeFolders, plantUnlinked } from "./new-folders.ts";
import { whyElsewhere, whyNothingIsAbsent, whyUnseen } from "./unseen.ts";
import { claim, knownTexts, type Matching, sameInodes } from "./matching.ts";
import { foldingsOf, Occupancy } from "./slots.ts";
import { findTwins } from "./twins.ts";
import { matchByPathAlone, matchByPathAndInode, matchByPathAndPart, matchByPathAndText } from "./at-path.ts";
import { blockWhatMayBeBlocked, MovedFiles } from "./elsewhere.ts";

/**
 * Result of matching: every folder, and every document for which the three trees do not simply
 * agree.
 */
export type MatchedTrees = {
  readonly forest: Forest;
  readonly documents: DocumentRow[];
  /**
   * Files about which this cycle decides nothing, because they may belong to a document that was
   * not seen.
   */
  readonly undecided: ReadonlySet<LocalPath>;
  /** Documents without a row on which a decision depends: the plan is made again with them. */
  readonly wanted: Set<DocId>;
  /** Documents without a row that the plan creates locally. */
  readonly arrivals: Arrivals;
  /** Finds what is at a path before the plan changes anything. */
  readonly occupancy: Occupancy;
};

/**
 * Matches records of base, local files and files of the service to documents. Unchanged documents,
 * and those that only have to be created locally, get no row.
 */
export function matchTrees(
  trees: Trees,
  policy: Policy,
  texts: TextLookup,
  judged: JudgedDocuments = NONE_JUDGED,
): MatchedTrees {
  const folders = findFolders(trees, policy);
  const { links, files } = partDocuments(trees, folders, judged);
  // Rows are made in the order of ids, so that the order of the input does not matter.
  const byId = [...links.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  for (const link of byId) if (isAway(link)) links.delete(link.id);
  const found = { matches: new Map(), byPathAlone: new Set<DocId>(), undecided: new Set<LocalPath>() };
  const matching: Matching = { trees, texts, folders, files, links, ...found, blocked: new Map() };
  matchDocuments(matching);
  const unread = whyNothingIsAbsent(trees, (link) => isElsewhere(matching, link));
  const forest = plantForest(trees, folders, unread !== null);
  mergeFolders(forest, trees, policy, folders);
  plantUnlinked(forest, trees, policy, folders);
  placeFolders(forest);
  const documents = byId.map((link) => linkedDocument(forest, trees, link, seenLocally(matching, link, unread)));
  const occupancy = new Occupancy(trees, foldingsOf(trees, policy));
  const arrivals = new Arrivals(trees, forest, occupancy);
  const { onBothSides, onlyRemote, onlyLocal } = findTwins(forest, trees, policy, [...matching.files.values()]);
  for (const [file, twin] of onBothSides) documents.push(newDocument(forest, trees, file, present(twin)));
  for (const file of arrivals.take(onlyRemote, policy, judged))
    documents.push(newDocument(forest, trees, file, ABSENT));
  for (const file of onlyLocal) documents.push(document(forest, null, null, null, present(file), { kind: "never" }));
  return { forest, documents, undecided: matching.undecided, wanted: new Set(), arrivals, occupancy };
}

function isElsewhere({ matches }: Matching, { id, localPath }: DocumentRecord): boolean {
  const match = matches.get(id);
  return match !== undefined && match.path !== localPath;
}

/**
 * @param unread reason why a document that was not found may still exist; null if it does not exist
 */
function seenLocally(matching: Matching, link: DocumentRecord, unread: Unread | null): Seen<LocalFile> {
  const why = whyUnsure(matching, link, unread);
  if (why !== null) return unknown(why);
  const match = matching.matches.get(link.id);
  return match === undefined ? ABSENT : present(match);
}

/** Returns why the local state of a document is unknown; null if it is known. */
function whyUnsure(
  { trees, matches, byPathAlone, blocked }: Matching,
  { id, localPath }: DocumentRecord,
  unread: Unread | null,
): Unread | null {
  const mayBe = blocked.get(id);
  if (mayBe !== undefined) return ambiguousFile(mayBe.map(({ path }) => path));
  if (!matches.has(id)) return whyUnseen(localPath, trees) ?? unread;
  return byPathAlone.has(id) ? whyElsewhere(trees) : null;
}

function linkedDocument(forest: Forest, trees: Trees, link: DocumentRecord, seen: Seen<LocalFile>): DocumentRow {
  const tombstone = trees.base.tombstones.get(link.id) ?? null;
  return document(forest, link.id, link, tombstone, seen, remoteSeen(trees, link));
}

/**
 * Returns how the service shows a document. An absence counts only if the listing was complete
 * (I20). A document without proof of its absence was merely not seen.
 */
function remoteSeen(trees: Trees, link: DocumentRecord): RemoteSeen {
  const { remote } = trees;
  const file = remote.files.get(link.id);
  if (file !== undefined) return { kind: "present", file };
  if (remote.outside.has(link.id)) return { kind: "outside" };
  if (remote.complete && remote.gone.has(link.id)) return { kind: "gone" };
  return { kind: "unseen", why: remote.unseen.get(link.id) ?? "not in the listing, and not proven absent" };
}

function document(
  forest: Forest,
  id: DocId | null,
  link: DocumentRecord | null,
  tombstone: DocumentRow["tombstone"],
  local: Seen<LocalFile>,
  remote: RemoteSeen,
): DocumentRow {
  const localPath = local.kind === "present" ? local.value.path : null;
  const remotePath = remote.kind === "present" ? remote.file.path : null;
  return {
    kind: "document",
    key: forest.nextKey(),
    id,
    link,
    tombstone,
    local: { seen: local, ...placeAt(forest, "local", localPath) },
    remote: { seen: remote, ...placeAt(forest, "remote", remotePath) },
  };
}

function placeAt(forest: Forest, side: "local" | "remote", path: string | null) {
  const current = path === null ? null : { parent: folderAt(forest, side, parentOf(path)), name: nameOf(path) };
  return { now: current, goal: null };
}

function newDocument(forest: Forest, trees: Trees, file: RemoteFile, local: Seen<LocalFile>): DocumentRow {
  const tombstone = trees.base.tombstones.get(file.id) ?? null;
  return document(forest, file.id, null, tombstone, local, { kind: "present", file });
}

/**
 * Finds the linked documents that are not simply unchanged, by the strongest evidence first. Each
 * step removes files and records that later steps would use. In the end `links` has the documents
 * that were not found, `files` the new files, and `folders` their final paths.
 */
function matchDocuments(matching: Matching): void {
  if (matching.links.size === 0) return;
  matchByInodeAndText(matching);
  matchByPathAndInode(matching);
  matchByPathAndText(matching);
  const elsewhere = new MovedFiles(matching);
  elsewhere.match("inode-and-similar-text");
  matchByPathAndPart(matching);
  elsewhere.match("same-text");
  findFoldersByContents(matching.folders, documentPaths(matching), matching.trees.local.folders);
  matchByPathAndText(matching);
  elsewhere.match("inode");
  matchByPathAlone(matching);
  blockWhatMayBeBlocked(matching);
}

/**
 * Recognises pure moves, even if another file is now at the old path: chains (`mv b c; mv a b`) and
 * swaps become moves.
 */
function matchByInodeAndText(matching: Matching): void {
  for (const [link, file] of sameInodes(matching))
    if (knownTexts(matching, link).includes(file.digest)) claim(matching, link, file);
}

function* documentPaths(matching: Matching): Generator<{ base: LocalPath; current: LocalPath | null }> {
  for (const link of matching.trees.base.links.values()) {
    if (isAway(link)) continue;
    const match = matching.matches.get(link.id);
    if (match !== undefined) yield { base: link.localPath, current: match.path };
    // A document without a match that is not missing either is unchanged, at base's path.
    else yield { base: link.localPath, current: matching.links.has(link.id) ? null : link.localPath };
  }
}
