import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import {
  areLengthsSimilar,
  areSimilar,
  computeSimilarity,
  hasAllLinesIn,
  type LineProfile,
  makeLineProfile,
  MIN_SIMILARITY,
} from "../../model/similar.ts";
import type { LocalFile, TextLookup, Trees } from "../../model/tree.ts";
import type { FolderPaths } from "./folder-paths.ts";
import { toFileInodeKey, whyHidden } from "./evidence.ts";
import { compareStrings } from "../../model/by-path.ts";

export type MatchProgress = {
  readonly trees: Trees;
  readonly texts: TextLookup;
  readonly folders: FolderPaths;
  /** Files without a document so far. At the end of matching, these are the new files. */
  readonly files: Map<LocalPath, LocalFile>;
  /**
   * Documents without a file so far. At the end of matching, the files of these documents are
   * absent.
   */
  readonly records: Map<DocId, DocumentRecord>;
  readonly matches: Map<DocId, LocalFile>;
  /** Documents that were matched with a file only because of its path. */
  readonly byPathAlone: Set<DocId>;
  /**
   * Files that the plan leaves unchanged, because each may belong to a blocked document, or to a
   * document whose file is being written.
   */
  readonly undecided: Set<LocalPath>;
  /** Documents with equal evidence for several files, each with these files. */
  readonly blocked: Map<DocId, readonly LocalFile[]>;
};

export function matchFile(matching: MatchProgress, record: DocumentRecord, file: LocalFile): void {
  matching.matches.set(record.id, file);
  matching.records.delete(record.id);
  matching.files.delete(file.path);
}

/** Blocks a document with equal evidence for several files, and leaves these files unchanged. */
export function blockAmbiguousDocument(
  matching: MatchProgress,
  record: DocumentRecord,
  files: readonly LocalFile[],
): void {
  matching.blocked.set(record.id, [...new Set(files)]);
  for (const { path } of files) {
    matching.undecided.add(path);
    matching.files.delete(path);
  }
}

/**
 * Matches a file by content. Matches nothing if the document's own file could not be read. The file
 * with equal content may be a copy, which must not get the id (I09).
 */
export function matchFileByContent(matching: MatchProgress, record: DocumentRecord, file: LocalFile): void {
  const unreadReason = whyHidden(record.localPath, matching.trees);
  if (unreadReason === null) matchFile(matching, record, file);
  else if (unreadReason.kind === "still-being-written") {
    matching.undecided.add(file.path);
    matching.files.delete(file.path);
  }
}

/**
 * Lists the digests of a document's known contents: base's local content, contents in review (I31),
 * and the content of a conflict, of a refused request, or of an edit that this sync must not send.
 */
export function listKnownDigests(
  { trees }: MatchProgress,
  { id, localDigest, submissions }: DocumentRecord,
): readonly Digest[] {
  const blockedDigest = trees.base.blocks.get(id)?.digest ?? null;
  if (blockedDigest === null && submissions.length === 0) return [localDigest];
  return [localDigest, ...submissions.map(({ digest }) => digest), ...(blockedDigest === null ? [] : [blockedDigest])];
}

/**
 * Returns the similarity of a file to the most similar known content of the document, from 0 to 1.
 */
export function measureSimilarity(matching: MatchProgress, record: DocumentRecord, profile: LineProfile): number {
  let highestSimilarity = 0;
  for (const digest of listKnownDigests(matching, record)) {
    const knownProfile = readProfile(matching, digest);
    if (knownProfile !== null && areLengthsSimilar(knownProfile, profile))
      highestSimilarity = Math.max(highestSimilarity, computeSimilarity(knownProfile, profile));
  }
  return highestSimilarity;
}

export function hasSimilarContent(matching: MatchProgress, record: DocumentRecord, file: LocalFile): boolean {
  if (listKnownDigests(matching, record).includes(file.digest)) return true;
  const profile = readProfile(matching, file.digest);
  return profile !== null && measureSimilarity(matching, record, profile) >= MIN_SIMILARITY;
}

/**
 * Returns true if the file contains a known content of the document, or is a part of it. A short
 * note that was extended, or a long note that was split, is no longer similar to the whole content.
 */
export function containsPart(matching: MatchProgress, record: DocumentRecord, file: LocalFile): boolean {
  const profile = readProfile(matching, file.digest);
  if (profile === null) return false;
  return listKnownDigests(matching, record).some((digest) => {
    const knownProfile = readProfile(matching, digest);
    // Every content contains the lines of a blank file, so a blank file proves nothing.
    return (
      knownProfile !== null &&
      (hasAllLinesIn(knownProfile, profile) || (profile.total > 0 && hasAllLinesIn(profile, knownProfile)))
    );
  });
}

export function hasContentEvidence(matching: MatchProgress, record: DocumentRecord, file: LocalFile): boolean {
  return hasSimilarContent(matching, record, file) || containsPart(matching, record, file);
}

export function readProfile(matching: MatchProgress, digest: Digest): LineProfile | null {
  const text = matching.texts(digest);
  return text === null ? null : makeLineProfile(text);
}

/**
 * Returns documents and files with equal inodes; none if this cycle must not use inodes as
 * evidence.
 */
export function pairBySameInode(matching: MatchProgress): [DocumentRecord, LocalFile][] {
  if (!matching.trees.local.inodesTrusted) return [];
  const byInode = new Map<string, LocalFile>();
  for (const file of matching.files.values()) {
    const key = toFileInodeKey(file.stamp);
    if (key !== null) byInode.set(key, file);
  }
  const pairs: [DocumentRecord, LocalFile][] = [];
  for (const record of matching.records.values()) {
    const key = toFileInodeKey(record.stamp);
    const file = key === null ? undefined : byInode.get(key);
    if (file !== undefined) pairs.push([record, file]);
  }
  return pairs;
}

/**
 * LIMIT: number of comparisons of two contents in one cycle, to save time. Beyond this number,
 * documents without a match count as deleted, and files without a match as new. The safety checks
 * then prevent damage.
 */
const MAX_COMPARISONS = 4_000;
/** LIMIT: number of contents that one cycle reads for comparisons, to save time and memory. */
const MAX_PROFILES = 1_000;

type ProfiledFile = { readonly file: LocalFile; readonly profile: LineProfile };
type SimilarPair = { readonly record: DocumentRecord; readonly file: LocalFile; readonly score: number };

/** Returns pairs of a document and a similar file, the most similar pair first. */
export function pairBySimilarity(matching: MatchProgress): readonly SimilarPair[] {
  return listPairs(matching, listProfiledFiles(matching)).sort(
    (a, b) => b.score - a.score || compareStrings(a.record.id, b.record.id) || compareStrings(a.file.path, b.file.path),
  );
}

function listProfiledFiles(matching: MatchProgress): ProfiledFile[] {
  const candidates: ProfiledFile[] = [];
  const files = [...matching.files.values()]
    .filter((file) => !file.empty && file.textFault === null)
    .sort((a, b) => compareStrings(a.path, b.path))
    .slice(0, MAX_PROFILES);
  for (const file of files) {
    const profile = readProfile(matching, file.digest);
    if (profile !== null) candidates.push({ file, profile });
  }
  return candidates.sort((a, b) => a.profile.total - b.profile.total || compareStrings(a.file.path, b.file.path));
}

function listPairs(matching: MatchProgress, candidates: readonly ProfiledFile[]): SimilarPair[] {
  const pairs: SimilarPair[] = [];
  if (candidates.length === 0) return pairs;
  const budget = { remaining: MAX_COMPARISONS };
  const records = [...matching.records.values()].sort((a, b) => compareStrings(a.id, b.id)).slice(0, MAX_PROFILES);
  for (const record of records)
    for (const digest of listKnownDigests(matching, record)) {
      const knownProfile = readProfile(matching, digest);
      if (knownProfile === null || knownProfile.total === 0) continue;
      for (const { file, profile } of generateComparableFiles(knownProfile, candidates, budget))
        if (areSimilar(knownProfile, profile))
          pairs.push({ record, file, score: computeSimilarity(knownProfile, profile) });
    }
  return pairs;
}

function* generateComparableFiles(
  profile: LineProfile,
  candidates: readonly ProfiledFile[],
  budget: { remaining: number },
): Generator<ProfiledFile> {
  for (const candidate of candidates) {
    if (areLengthsSimilar(profile, candidate.profile)) {
      if (budget.remaining === 0) return;
      budget.remaining--;
      yield candidate;
    } else if (candidate.profile.total > profile.total) return;
  }
}
