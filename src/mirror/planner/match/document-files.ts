/**
 * Finds the file of each document at the path where the file is expected. The path alone proves
 * little, because users may move a file away and give its name to another file. Therefore inode and
 * content are compared first.
 */
import type { DocId } from "../../../contract/ids.ts";
import { type DocumentRecord, isSameInodeAndBirth } from "../../model/record.ts";
import { isPathPair } from "../../model/names.ts";
import { foldsNames, type LocalPath, pathKey } from "../../../contract/path.ts";
import type { LocalFile } from "../../model/tree.ts";
import { deriveExpectedPath } from "./folder-paths.ts";
import {
  blockAmbiguousDocument,
  containsPart,
  hasContentEvidence,
  hasSimilarContent,
  listKnownDigests,
  matchFile,
  matchFileByContent,
  type MatchProgress,
  measureSimilarity,
  pairBySameInode,
  pairBySimilarity,
  readProfile,
} from "./matching.ts";
import { compareStrings } from "../../model/by-path.ts";
import type { Digest } from "../../../contract/digest.ts";
import { once } from "../../../common/once.ts";
import { findRenamedFile, indexUnsyncedByInode } from "./evidence.ts";

export function matchByPathAndInode(matching: MatchProgress): void {
  const { inodesTrusted } = matching.trees.local;
  matchAtPaths(matching, (record, file) => {
    const hasOwnInode = record.stamp !== null && isSameInodeAndBirth(record.stamp, file.stamp);
    return (inodesTrusted && hasOwnInode) || isConflictCopyOf(matching, record, file);
  });
}

function isConflictCopyOf({ trees }: MatchProgress, { id }: DocumentRecord, { stamp }: LocalFile): boolean {
  const { shown = [] } = trees.base.conflicts.get(id) ?? {};
  return shown.some(({ ino, dev }) => ino === stamp.ino && dev === stamp.dev);
}

/**
 * Matches documents with similar files at their paths. The inode may differ, because an editor may
 * save a document as a new file. Documents from one template are similar as well, so documents that
 * were swapped, as inodes show, are not matched.
 */
export function matchByPathAndText(matching: MatchProgress): void {
  const isSwapped = makeSwapTest(matching);
  // ORDER: a file with exactly a document's content is matched before similar files. After an
  // interrupted swap, two documents have one path, and the file at that path could otherwise go to
  // the wrong document.
  matchAtPaths(matching, (record, file) => record.localDigest === file.digest && !isSwapped(record, file));
  matchAtPaths(matching, (record, file) => hasSimilarContent(matching, record, file) && !isSwapped(record, file));
}

/**
 * Returns a function that finds swapped documents. A swap needs two signs:
 * - The file at the document's path has the other document's inode and content.
 * - The file with the document's own inode is at another path, and has similar content.
 */
function makeSwapTest(matching: MatchProgress): (record: DocumentRecord, file: LocalFile) => boolean {
  const inodePairs = pairBySameInode(matching);
  const recordsByFilePath = new Map(inodePairs.map(([record, file]) => [file.path, record]));
  const filesById = new Map<DocId, LocalFile>(inodePairs.map(([{ id }, file]) => [id, file]));
  return (record, file) => {
    const [owner, ownFile] = [recordsByFilePath.get(file.path), filesById.get(record.id)];
    if (owner === undefined || ownFile === undefined || owner === record) return false;
    return hasSimilarContent(matching, record, ownFile) && fitsOwnerBetter(matching, owner, record, file);
  };
}

/**
 * Returns true if a file is at least as similar to the document `owner` as to the document
 * `record`. On a disk without birth times, inodes prove less, so the file must be more similar to
 * `owner`.
 */
function fitsOwnerBetter(
  matching: MatchProgress,
  owner: DocumentRecord,
  record: DocumentRecord,
  file: LocalFile,
): boolean {
  const fileProfile = readProfile(matching, file.digest);
  if (fileProfile === null) return false;
  const [theirs, ours] = [
    measureSimilarity(matching, owner, fileProfile),
    measureSimilarity(matching, record, fileProfile),
  ];
  return file.stamp.birthMs === 0 ? theirs > ours : theirs >= ours;
}

/**
 * Matches documents with files at their paths that contain the document's content, or are a part of
 * it. Such a file is a note that was extended or split.
 */
export function matchByPathAndPart(matching: MatchProgress): void {
  matchAtPaths(matching, (record, file) => containsPart(matching, record, file));
}

/**
 * Matches documents that have no file yet with the files at their paths. Documents whose two
 * recorded paths do not correspond come last: after their interrupted moves, the file may belong to
 * another document.
 */
export function matchByPathAlone(matching: MatchProgress): void {
  for (const id of matching.records.keys()) matching.byPathAlone.add(id);
  matchAtPaths(matching, ({ localPath, remotePath, id }) => isPathPair(localPath, remotePath, id));
  matchAtPaths(matching, () => true);
}

function matchAtPaths(matching: MatchProgress, isProven: (record: DocumentRecord, file: LocalFile) => boolean): void {
  for (const [record, file] of generateFilesAtPaths(matching))
    if (isProven(record, file)) matchFile(matching, record, file);
}

/**
 * Yields unmatched documents with the files at their paths. The caller may match a pair before the
 * next pair is made.
 */
function* generateFilesAtPaths(matching: MatchProgress): Generator<[DocumentRecord, LocalFile]> {
  const fileFinders = listFileFinders(matching);
  for (const deriveExpectedPath of listPathDerivations(matching))
    for (const findFileAt of fileFinders)
      for (const record of [...matching.records.values()]) {
        const path = deriveExpectedPath(record);
        const file = path === null ? undefined : findFileAt(path);
        if (file !== undefined) yield [record, file];
      }
}

type DeriveExpectedPath = (record: DocumentRecord) => LocalPath | null;

/**
 * Returns functions for a document's expected path: first the path after the moves of its folders,
 * then the recorded path.
 */
function listPathDerivations({ folders }: MatchProgress): readonly DeriveExpectedPath[] {
  const derivePathAfterMoves: DeriveExpectedPath = ({ localPath }) => deriveExpectedPath(localPath, folders);
  return folders.hasMoved ? [derivePathAfterMoves, ({ localPath }) => localPath] : [derivePathAfterMoves];
}

type FileFinder = (path: LocalPath) => LocalFile | undefined;

/**
 * Returns functions that find a file: first by the exact spelling, then by any spelling that the
 * disk treats as equal.
 */
function listFileFinders({ trees, files }: MatchProgress): readonly FileFinder[] {
  const { disk } = trees.local;
  const findExactPath: FileFinder = (path) => files.get(path);
  if (!foldsNames(disk)) return [findExactPath];
  const pathsByKey = new Map(Array.from(files.keys(), (path) => [pathKey(path, disk), path]));
  return [findExactPath, (path) => files.get(pathsByKey.get(pathKey(path, disk)) ?? "")];
}

/**
 * Lists documents with files at their paths that neither inode nor content confirms. Leaves out a
 * document whose two recorded paths do not correspond: after its interrupted move, the file may
 * belong to another document.
 */
function listUnconfirmedFiles(matching: MatchProgress): [DocumentRecord, LocalFile][] {
  const fileByRecord = new Map<DocumentRecord, LocalFile>();
  for (const [record, file] of generateFilesAtPaths(matching))
    if (!fileByRecord.has(record) && isPathPair(record.localPath, record.remotePath, record.id))
      fileByRecord.set(record, file);
  return [...fileByRecord];
}

/**
 * Rank of each evidence for a file at another path than the document's. A higher number is stronger
 * evidence.
 */
const EVIDENCE_RANKS = { "inode-and-similar-text": 3, "same-text": 2, "similar-text": 1, inode: 0 } as const;

type EvidenceRank = keyof typeof EVIDENCE_RANKS;

type MatchCandidate = {
  readonly record: DocumentRecord;
  readonly file: LocalFile;
  readonly evidence: EvidenceRank;
  /** Similarity of the contents, from 0 to 1. */
  readonly score: number;
};

/**
 * Finds files that were moved away from the paths of their documents. If neither inode nor content
 * confirms the file at a document's path, a file at another path with better evidence wins. A
 * document with equal evidence for several files is blocked.
 */
export class MovedFiles {
  readonly #matching: MatchProgress;
  /** File at the path of each document, if neither inode nor content confirms this file. */
  readonly #atPath: ReadonlyMap<DocId, LocalFile>;
  readonly #documentByFile: ReadonlyMap<LocalPath, DocumentRecord>;
  /**
   * Pairs of a document and a file at another path than the document's, strongest evidence first.
   */
  readonly #candidates: readonly MatchCandidate[];
  readonly #byDocument: ReadonlyMap<DocId, readonly MatchCandidate[]>;
  readonly #byFile: ReadonlyMap<LocalPath, readonly MatchCandidate[]>;
  readonly #others = once(() => indexUnsyncedByInode(this.#matching.trees.local));

  constructor(matching: MatchProgress) {
    const unconfirmedPairs = listUnconfirmedFiles(matching);
    this.#matching = matching;
    this.#atPath = new Map(unconfirmedPairs.map(([{ id }, file]) => [id, file]));
    this.#documentByFile = new Map(unconfirmedPairs.map(([record, { path }]) => [path, record]));
    this.#candidates = listCandidates(matching)
      .filter(({ record, file }) => this.#atPath.get(record.id) !== file)
      .sort((a, b) => this.#compare(a, b));
    this.#byDocument = Map.groupBy(this.#candidates, ({ record }) => record.id);
    this.#byFile = Map.groupBy(this.#candidates, ({ file }) => file.path);
  }

  match(lowestRank: EvidenceRank): void {
    for (const candidate of this.#candidates) {
      if (EVIDENCE_RANKS[candidate.evidence] < EVIDENCE_RANKS[lowestRank]) return;
      if (this.#isPossible(candidate) && !this.#isClaimedByOther(candidate)) this.#decide(candidate);
    }
  }

  #compare(a: MatchCandidate, b: MatchCandidate): number {
    return (
      EVIDENCE_RANKS[b.evidence] - EVIDENCE_RANKS[a.evidence] ||
      b.score - a.score ||
      // ORDER: documents without a file at their path come before documents with an unconfirmed
      // file.
      Number(this.#hasFileAtPath(a.record)) - Number(this.#hasFileAtPath(b.record)) ||
      compareStrings(a.record.id, b.record.id) ||
      compareStrings(a.file.path, b.file.path)
    );
  }

  #hasFileAtPath({ id }: DocumentRecord): boolean {
    const file = this.#atPath.get(id);
    return file !== undefined && this.#matching.files.has(file.path);
  }

  #isPossible({ record, file }: MatchCandidate): boolean {
    const { records, files, blocked } = this.#matching;
    return records.has(record.id) && !blocked.has(record.id) && files.has(file.path);
  }

  /**
   * Returns true if the file stays with another document that is recorded at the file's path and
   * could have no other file. Returns false in two cases:
   * - The disk has birth times, and the file has this document's inode and similar content: the
   *   user moved the file over the other document.
   * - The other document's own file was renamed to a name that is not synced.
   */
  #isClaimedByOther({ record, file, evidence }: MatchCandidate): boolean {
    if (evidence === "inode-and-similar-text" && file.stamp.birthMs !== 0) return false;
    const ownerByPath = this.#documentByFile.get(file.path);
    if (ownerByPath === undefined || ownerByPath === record || !this.#matching.records.has(ownerByPath.id))
      return false;
    if (findRenamedFile(this.#matching.trees.local, this.#others(), ownerByPath.stamp) !== null) return false;
    return !(this.#byDocument.get(ownerByPath.id) ?? []).some((candidate) => this.#isPossible(candidate));
  }

  #decide(candidate: MatchCandidate): void {
    const { record, file, evidence } = candidate;
    const rivalCandidates = this.#hasFileAtPath(record) ? this.#rivalsOf(candidate) : [];
    if (rivalCandidates.length > 0) this.#block([candidate, ...rivalCandidates]);
    else if (evidence === "same-text" || evidence === "similar-text") matchFileByContent(this.#matching, record, file);
    else matchFile(this.#matching, record, file);
  }

  /**
   * Returns the pairs that are as likely as this pair of a document and a file.
   * - This document with another file, if the evidence is equal or is only the inode.
   * - This file with another document, if the evidence is equal and neither inode nor content
   *   confirms the file at that document's path.
   */
  #rivalsOf(candidate: MatchCandidate): MatchCandidate[] {
    const rivalFiles = (this.#byDocument.get(candidate.record.id) ?? []).filter(
      (other) => other.file !== candidate.file && (hasEqualEvidence(candidate, other) || other.evidence === "inode"),
    );
    const rivalDocuments = (this.#byFile.get(candidate.file.path) ?? []).filter(
      (other) =>
        other.record !== candidate.record && hasEqualEvidence(candidate, other) && this.#hasFileAtPath(other.record),
    );
    return [...rivalFiles, ...rivalDocuments].filter((other) => this.#isPossible(other));
  }

  #block(candidates: readonly MatchCandidate[]): void {
    const candidateFiles = candidates.map(({ file }) => file);
    for (const record of new Set(candidates.map((candidate) => candidate.record)))
      blockAmbiguousDocument(this.#matching, record, [this.#atPath.get(record.id)!, ...candidateFiles]);
  }
}

function hasEqualEvidence(a: MatchCandidate, b: MatchCandidate): boolean {
  return a.evidence === b.evidence && a.score === b.score;
}

function listCandidates(matching: MatchProgress): MatchCandidate[] {
  if (matching.records.size === 0 || matching.files.size === 0) return [];
  return [...pairByInode(matching), ...pairBySameContent(matching), ...pairBySimilarContent(matching)];
}

function* pairByInode(matching: MatchProgress): Generator<MatchCandidate> {
  for (const [record, file] of pairBySameInode(matching)) {
    // The inode alone may mislead, because a disk may give the inode of a removed file to a new
    // file. With birth times, this can happen only within one tick of the disk's clock.
    const hasBirthTime = file.stamp.birthMs !== 0;
    if (hasContentEvidence(matching, record, file))
      yield { record, file, evidence: "inode-and-similar-text", score: 1 };
    else if (hasBirthTime) yield { record, file, evidence: "inode", score: 0 };
  }
}

/**
 * Yields a document and a file with equal content that no other document or file has. Finds these
 * pairs by digest, because comparing all contents would take too long.
 */
function* pairBySameContent(matching: MatchProgress): Generator<MatchCandidate> {
  const files = findUniqueValues(generateFileDigests(matching));
  for (const [digest, record] of findUniqueValues(generateRecordDigests(matching))) {
    const file = files.get(digest);
    if (file !== undefined) yield { record, file, evidence: "same-text", score: 1 };
  }
}

function* pairBySimilarContent(matching: MatchProgress): Generator<MatchCandidate> {
  for (const { record, file, score } of pairBySimilarity(matching)) {
    const isSameContent = listKnownDigests(matching, record).includes(file.digest);
    yield isSameContent
      ? { record, file, evidence: "same-text", score: 1 }
      : { record, file, evidence: "similar-text", score };
  }
}

function* generateFileDigests({ files }: MatchProgress): Generator<[Digest, LocalFile]> {
  for (const file of files.values()) if (!file.empty) yield [file.digest, file];
}

function* generateRecordDigests(matching: MatchProgress): Generator<[Digest, DocumentRecord]> {
  for (const record of matching.records.values())
    for (const digest of new Set(listKnownDigests(matching, record))) yield [digest, record];
}

function findUniqueValues<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const [valueByKey, repeatedKeys] = [new Map<K, V>(), new Set<K>()];
  for (const [key, value] of entries)
    if (valueByKey.has(key)) repeatedKeys.add(key);
    else valueByKey.set(key, value);
  for (const key of repeatedKeys) valueByKey.delete(key);
  return valueByKey;
}

/**
 * Blocks all documents to which a file of an ambiguous document may belong. Otherwise these
 * documents would count as deleted.
 */
export function blockPossibleOwners(matching: MatchProgress): void {
  const contestedFiles = new Set([...matching.blocked.values()].flat());
  if (contestedFiles.size === 0) return;
  for (const record of matching.records.values()) {
    if (matching.blocked.has(record.id)) continue;
    const files = [...contestedFiles].filter((file) => hasSimilarContent(matching, record, file));
    if (files.length > 0) blockAmbiguousDocument(matching, record, files);
  }
}
