import type { DocId } from "../../../contract/ids.ts";
import { compareStrings } from "../../model/by-path.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { LocalFile } from "../../model/tree.ts";
import { once } from "../../../common/once.ts";
import { unconfirmedFiles } from "./at-path.ts";
import { findRenamed, othersByInode } from "./inode.ts";
import { block, claim, claimByText, isLike, knownTexts, type Matching, resembles, sameInodes } from "./matching.ts";
import { pairBySimilarity } from "./resemblance.ts";

/** Kinds of evidence for a file that is not at its document's path. A higher number is stronger. */
const EVIDENCE_RANKS = { "inode-and-similar-text": 3, "same-text": 2, "similar-text": 1, inode: 0 } as const;

type Rank = keyof typeof EVIDENCE_RANKS;

type Candidate = {
  readonly record: DocumentRecord;
  readonly file: LocalFile;
  readonly evidence: Rank;
  /** Similarity of the contents, from 0 to 1. */
  readonly score: number;
};

/**
 * Finds the files of documents that were moved to other paths. A document may also have an
 * unconfirmed file at its own path, which neither inode nor content confirms. A file elsewhere with
 * better evidence is then preferred. A document with equal evidence for several files is blocked.
 */
export class MovedFiles {
  readonly #matching: Matching;
  /** Unconfirmed file at the path of each document, by document and by file. */
  readonly #atPath: ReadonlyMap<DocId, LocalFile>;
  readonly #documentByFile: ReadonlyMap<LocalPath, DocumentRecord>;
  /**
   * Pairs of a document and a file at another path that may be its own, strongest evidence first.
   */
  readonly #candidates: readonly Candidate[];
  readonly #byDocument: ReadonlyMap<DocId, readonly Candidate[]>;
  readonly #byFile: ReadonlyMap<LocalPath, readonly Candidate[]>;
  readonly #others = once(() => othersByInode(this.#matching.trees.local));

  constructor(matching: Matching) {
    const unconfirmed = unconfirmedFiles(matching);
    this.#matching = matching;
    this.#atPath = new Map(unconfirmed.map(([{ id }, file]) => [id, file]));
    this.#documentByFile = new Map(unconfirmed.map(([record, { path }]) => [path, record]));
    this.#candidates = listCandidates(matching)
      .filter(({ record, file }) => this.#atPath.get(record.id) !== file)
      .sort((a, b) => this.#compare(a, b));
    this.#byDocument = Map.groupBy(this.#candidates, ({ record }) => record.id);
    this.#byFile = Map.groupBy(this.#candidates, ({ file }) => file.path);
  }

  /** Matches documents by all evidence that is at least as strong as `lowestRank`. */
  match(lowestRank: Rank): void {
    for (const candidate of this.#candidates) {
      if (EVIDENCE_RANKS[candidate.evidence] < EVIDENCE_RANKS[lowestRank]) return;
      if (this.#isPossible(candidate) && !this.#isClaimedByOther(candidate)) this.#decide(candidate);
    }
  }

  #compare(a: Candidate, b: Candidate): number {
    return (
      EVIDENCE_RANKS[b.evidence] - EVIDENCE_RANKS[a.evidence] ||
      b.score - a.score ||
      // A document that has no file at its path comes before a document with an unconfirmed file.
      Number(this.#hasFileAtPath(a.record)) - Number(this.#hasFileAtPath(b.record)) ||
      compareStrings(a.record.id, b.record.id) ||
      compareStrings(a.file.path, b.file.path)
    );
  }

  #hasFileAtPath({ id }: DocumentRecord): boolean {
    const file = this.#atPath.get(id);
    return file !== undefined && this.#matching.files.has(file.path);
  }

  /** Returns true if the document is neither matched nor blocked, and the file is not matched. */
  #isPossible({ record, file }: Candidate): boolean {
    const { records, files, blocked } = this.#matching;
    return records.has(record.id) && !blocked.has(record.id) && files.has(file.path);
  }

  /**
   * Returns true if the file is at the path of another document that has no other candidate file,
   * so it stays with that document. Returns false in two cases:
   * - The file has this document's inode and similar content, because it was moved over the other
   *   document.
   * - The other document's own file was renamed to a name that is not synced.
   */
  #isClaimedByOther({ record, file, evidence }: Candidate): boolean {
    if (evidence === "inode-and-similar-text" && file.stamp.birthMs !== 0) return false;
    const holder = this.#documentByFile.get(file.path);
    if (holder === undefined || holder === record || !this.#matching.records.has(holder.id)) return false;
    if (findRenamed(this.#matching.trees.local, this.#others(), holder.stamp) !== null) return false;
    return !(this.#byDocument.get(holder.id) ?? []).some((candidate) => this.#isPossible(candidate));
  }

  #decide(candidate: Candidate): void {
    const { record, file, evidence } = candidate;
    const rivals = this.#hasFileAtPath(record) ? this.#rivalsOf(candidate) : [];
    if (rivals.length > 0) this.#block([candidate, ...rivals]);
    else if (evidence === "same-text" || evidence === "similar-text") claimByText(this.#matching, record, file);
    else claim(this.#matching, record, file);
  }

  /**
   * Returns other candidates with equal evidence. These are the same document with another file, or
   * another document with the same file. Another document counts only if it has an unconfirmed file
   * at its own path.
   */
  #rivalsOf(candidate: Candidate): Candidate[] {
    const files = (this.#byDocument.get(candidate.record.id) ?? []).filter(
      (other) => other.file !== candidate.file && (isEqual(candidate, other) || other.evidence === "inode"),
    );
    const claimants = (this.#byFile.get(candidate.file.path) ?? []).filter(
      (other) => other.record !== candidate.record && isEqual(candidate, other) && this.#hasFileAtPath(other.record),
    );
    return [...files, ...claimants].filter((other) => this.#isPossible(other));
  }

  #block(candidates: readonly Candidate[]): void {
    const elsewhere = candidates.map(({ file }) => file);
    for (const record of new Set(candidates.map((candidate) => candidate.record)))
      block(this.#matching, record, [this.#atPath.get(record.id)!, ...elsewhere]);
  }
}

function isEqual(a: Candidate, b: Candidate): boolean {
  return a.evidence === b.evidence && a.score === b.score;
}

function listCandidates(matching: Matching): Candidate[] {
  if (matching.records.size === 0 || matching.files.size === 0) return [];
  return [...byInode(matching), ...bySameText(matching), ...bySimilarText(matching)];
}

function* byInode(matching: Matching): Generator<Candidate> {
  for (const [record, file] of sameInodes(matching)) {
    // The inode alone may be misleading. A disk may give the inode of a removed file to a new file:
    // within one tick of its clock, or at any time if files have no birth time.
    const hasBirthTime = file.stamp.birthMs !== 0;
    if (resembles(matching, record, file)) yield { record, file, evidence: "inode-and-similar-text", score: 1 };
    else if (hasBirthTime) yield { record, file, evidence: "inode", score: 0 };
  }
}

/**
 * Yields pairs of a document and a file with equal content, if no other document and no other file
 * has this content. Such pairs are found by digest alone, because comparing all contents would take
 * too long.
 */
function* bySameText(matching: Matching): Generator<Candidate> {
  const files = uniqueValues(textsOfFiles(matching));
  for (const [digest, record] of uniqueValues(textsOfRecords(matching))) {
    const file = files.get(digest);
    if (file !== undefined) yield { record, file, evidence: "same-text", score: 1 };
  }
}

function* bySimilarText(matching: Matching): Generator<Candidate> {
  for (const { record, file, score } of pairBySimilarity(matching)) {
    const isSame = knownTexts(matching, record).includes(file.digest);
    yield isSame
      ? { record, file, evidence: "same-text", score: 1 }
      : { record, file, evidence: "similar-text", score };
  }
}

function* textsOfFiles({ files }: Matching): Generator<[Digest, LocalFile]> {
  for (const file of files.values()) if (!file.empty) yield [file.digest, file];
}

function* textsOfRecords(matching: Matching): Generator<[Digest, DocumentRecord]> {
  for (const record of matching.records.values())
    for (const digest of new Set(knownTexts(matching, record))) yield [digest, record];
}

/** Returns the values whose keys occur only once. */
function uniqueValues<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const [found, repeated] = [new Map<K, V>(), new Set<K>()];
  for (const [key, value] of entries)
    if (found.has(key)) repeated.add(key);
    else found.set(key, value);
  for (const key of repeated) found.delete(key);
  return found;
}

/**
 * Blocks further documents that may belong to a file for which a document is already blocked.
 * Without the block, such a document would count as deleted, although the file may be its own.
 */
export function blockPossibleOwners(matching: Matching): void {
  const contested = new Set([...matching.blocked.values()].flat());
  if (contested.size === 0) return;
  for (const record of matching.records.values()) {
    if (matching.blocked.has(record.id)) continue;
    const files = [...contested].filter((file) => isLike(matching, record, file));
    if (files.length > 0) block(matching, record, files);
  }
}
