import type { DocId } from "../../../contract/ids.ts";
import { compareStrings } from "../../model/by-path.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { LocalFile } from "../../model/tree.ts";
import { once } from "../../../common/once.ts";
import { unconfirmedFiles } from "./at-path.ts";
import { findRenamed, othersByInode } from "./inode.ts";
import { block, claim, claimByText, isLike, knownTexts, type Matching, resembles, sameInodes } from "./matching.ts";
import { pairBySimilarity } from "./resemblance.ts";

/** Strength of the evidence for a file elsewhere; the higher rank wins. */
const RANKS = { "inode-and-similar-text": 3, "same-text": 2, "similar-text": 1, inode: 0 } as const;

type Rank = keyof typeof RANKS;

type Candidate = {
  readonly link: DocumentRecord;
  readonly file: LocalFile;
  readonly evidence: Rank;
  /** Similarity of the contents: 0 to 1. */
  readonly score: number;
};

/**
 * Matches documents with files at other paths than their own. A file at a document's own path that
 * neither inode nor content confirms loses to a confirmed file elsewhere. Without such a file, the
 * unconfirmed file stays the document's. A document with equal evidence for several files is
 * blocked.
 */
export class MovedFiles {
  readonly #matching: Matching;
  /** The unconfirmed files at documents' own paths, and the documents by these files. */
  readonly #atPath: ReadonlyMap<DocId, LocalFile>;
  readonly #holders: ReadonlyMap<LocalPath, DocumentRecord>;
  /** Candidates, the strongest evidence first. */
  readonly #candidates: readonly Candidate[];
  readonly #byLink: ReadonlyMap<DocId, readonly Candidate[]>;
  readonly #byFile: ReadonlyMap<LocalPath, readonly Candidate[]>;
  readonly #others = once(() => othersByInode(this.#matching.trees.local));

  constructor(matching: Matching) {
    const unconfirmed = unconfirmedFiles(matching);
    this.#matching = matching;
    this.#atPath = new Map(unconfirmed.map(([{ id }, file]) => [id, file]));
    this.#holders = new Map(unconfirmed.map(([link, { path }]) => [path, link]));
    this.#candidates = listCandidates(matching)
      .filter(({ link, file }) => this.#atPath.get(link.id) !== file)
      .sort((a, b) => this.#compare(a, b));
    this.#byLink = Map.groupBy(this.#candidates, ({ link }) => link.id);
    this.#byFile = Map.groupBy(this.#candidates, ({ file }) => file.path);
  }

  /** Matches by evidence of this rank and above. */
  match(least: Rank): void {
    for (const one of this.#candidates) {
      if (RANKS[one.evidence] < RANKS[least]) return;
      if (this.#isOpen(one) && !this.#isClaimedByOther(one)) this.#decide(one);
    }
  }

  #compare(a: Candidate, b: Candidate): number {
    return (
      RANKS[b.evidence] - RANKS[a.evidence] ||
      b.score - a.score ||
      // A document without a file at its path comes before a document with an unconfirmed file.
      Number(this.#hasFileAtPath(a.link)) - Number(this.#hasFileAtPath(b.link)) ||
      compareStrings(a.link.id, b.link.id) ||
      compareStrings(a.file.path, b.file.path)
    );
  }

  #hasFileAtPath({ id }: DocumentRecord): boolean {
    const file = this.#atPath.get(id);
    return file !== undefined && this.#matching.files.has(file.path);
  }

  /** Returns true if a candidate is still possible. */
  #isOpen({ link, file }: Candidate): boolean {
    const { links, files, blocked } = this.#matching;
    return links.has(link.id) && !blocked.has(link.id) && files.has(file.path);
  }

  /**
   * Returns true if the file is at the path of another document, and that document has no other
   * candidate file. Returns false if the file has this document's inode and similar content: it was
   * moved over the other document. Also returns false if the other document's file was renamed to a
   * name that is not synced.
   */
  #isClaimedByOther({ link, file, evidence }: Candidate): boolean {
    if (evidence === "inode-and-similar-text" && file.stamp.birthMs !== 0) return false;
    const holder = this.#holders.get(file.path);
    if (holder === undefined || holder === link || !this.#matching.links.has(holder.id)) return false;
    if (findRenamed(this.#matching.trees.local, this.#others(), holder.stamp) !== null) return false;
    return !(this.#byLink.get(holder.id) ?? []).some((one) => this.#isOpen(one));
  }

  #decide(one: Candidate): void {
    const { link, file, evidence } = one;
    const rivals = this.#hasFileAtPath(link) ? this.#rivalsOf(one) : [];
    if (rivals.length > 0) this.#block([one, ...rivals]);
    else if (evidence === "same-text" || evidence === "similar-text") claimByText(this.#matching, link, file);
    else claim(this.#matching, link, file);
  }

  /**
   * Returns candidates with equal evidence: for another file, or for another document whose path
   * also has another file.
   */
  #rivalsOf(one: Candidate): Candidate[] {
    const files = (this.#byLink.get(one.link.id) ?? []).filter(
      (other) => other.file !== one.file && (isEqual(one, other) || other.evidence === "inode"),
    );
    const claimants = (this.#byFile.get(one.file.path) ?? []).filter(
      (other) => other.link !== one.link && isEqual(one, other) && this.#hasFileAtPath(other.link),
    );
    return [...files, ...claimants].filter((other) => this.#isOpen(other));
  }

  #block(candidates: readonly Candidate[]): void {
    const elsewhere = candidates.map(({ file }) => file);
    for (const link of new Set(candidates.map((one) => one.link)))
      block(this.#matching, link, [this.#atPath.get(link.id)!, ...elsewhere]);
  }
}

function isEqual(a: Candidate, b: Candidate): boolean {
  return a.evidence === b.evidence && a.score === b.score;
}

function listCandidates(matching: Matching): Candidate[] {
  if (matching.links.size === 0 || matching.files.size === 0) return [];
  return [...byInode(matching), ...bySameText(matching), ...bySimilarText(matching)];
}

function* byInode(matching: Matching): Generator<Candidate> {
  for (const [link, file] of sameInodes(matching)) {
    // A new file may have got the inode within one tick of the clock, or at any time if files have
    // no birth time.
    const hasBirthTime = file.stamp.birthMs !== 0;
    if (resembles(matching, link, file)) yield { link, file, evidence: "inode-and-similar-text", score: 1 };
    else if (hasBirthTime) yield { link, file, evidence: "inode", score: 0 };
  }
}

/**
 * Yields pairs of a document and a file with the same bytes, if no second document or file has
 * them. They are recognised without reading contents, which may be too many to compare.
 */
function* bySameText(matching: Matching): Generator<Candidate> {
  const files = onlyOnes(textsOfFiles(matching));
  for (const [digest, link] of onlyOnes(textsOfLinks(matching))) {
    const file = files.get(digest);
    if (file !== undefined) yield { link, file, evidence: "same-text", score: 1 };
  }
}

function* bySimilarText(matching: Matching): Generator<Candidate> {
  for (const { link, file, score } of pairBySimilarity(matching)) {
    const isSame = knownTexts(matching, link).includes(file.digest);
    yield isSame ? { link, file, evidence: "same-text", score: 1 } : { link, file, evidence: "similar-text", score };
  }
}

function* textsOfFiles({ files }: Matching): Generator<[Digest, LocalFile]> {
  for (const file of files.values()) if (!file.empty) yield [file.digest, file];
}

function* textsOfLinks(matching: Matching): Generator<[Digest, DocumentRecord]> {
  for (const link of matching.links.values())
    for (const digest of new Set(knownTexts(matching, link))) yield [digest, link];
}

/** Returns the values whose key no other value has. */
function onlyOnes<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const [ones, repeated] = [new Map<K, V>(), new Set<K>()];
  for (const [key, value] of entries)
    if (ones.has(key)) repeated.add(key);
    else ones.set(key, value);
  for (const key of repeated) ones.delete(key);
  return ones;
}

/**
 * Blocks documents that were not found and may belong to a file for which other documents are
 * blocked. No document counts as deleted while its file may be one of these.
 */
export function blockWhatMayBeBlocked(matching: Matching): void {
  const contested = new Set([...matching.blocked.values()].flat());
  if (contested.size === 0) return;
  for (const link of matching.links.values()) {
    if (matching.blocked.has(link.id)) continue;
    const files = [...contested].filter((file) => isLike(matching, link, file));
    if (files.length > 0) block(matching, link, files);
  }
}
