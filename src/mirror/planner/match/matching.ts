import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import {
  isKeptIn,
  type LineProfile,
  mayBeSimilar,
  profileOf,
  SIMILAR_ENOUGH,
  similarity,
} from "../../model/similar.ts";
import type { LocalFile, TextLookup, Trees } from "../../model/tree.ts";
import type { FolderPaths } from "./folder-paths.ts";
import { fileInodeKey } from "./inode.ts";
import { whyHidden } from "./unseen.ts";

/** State of the matching in one cycle. */
export type Matching = {
  readonly trees: Trees;
  readonly texts: TextLookup;
  readonly folders: FolderPaths;
  /** Files that no document has claimed yet; in the end, the new ones. */
  readonly files: Map<LocalPath, LocalFile>;
  /** Records that are not found yet; in the end, the absent ones. */
  readonly links: Map<DocId, DocumentRecord>;
  readonly matches: Map<DocId, LocalFile>;
  /** Documents whose file was found by its path alone. */
  readonly byPathAlone: Set<DocId>;
  /**
   * Files that do not count as new or moved yet. Each may belong to a blocked document, or to a
   * document whose own file is being written now.
   */
  readonly undecided: Set<LocalPath>;
  /**
   * Records with equal evidence for several files, each with the files that may belong to its
   * document.
   */
  readonly blocked: Map<DocId, readonly LocalFile[]>;
};

export function claim(matching: Matching, link: DocumentRecord, file: LocalFile): void {
  matching.matches.set(link.id, file);
  matching.links.delete(link.id);
  matching.files.delete(file.path);
}

/** Blocks a document that may be any of several files: this cycle decides about none of these
 * files. */
export function block(matching: Matching, link: DocumentRecord, files: readonly LocalFile[]): void {
  matching.blocked.set(link.id, [...new Set(files)]);
  for (const { path } of files) {
    matching.undecided.add(path);
    matching.files.delete(path);
  }
}

/**
 * Matches a file to a document by its content alone. If the document's own file could not be read,
 * this file may be a copy of it, and a copy must not get the document's id (I09).
 */
export function claimByText(matching: Matching, link: DocumentRecord, file: LocalFile): void {
  const hidden = whyHidden(link.localPath, matching.trees);
  if (hidden === null) claim(matching, link, file);
  else if (hidden.kind === "still-being-written") {
    matching.undecided.add(file.path);
    matching.files.delete(file.path);
  }
}

/**
 * Returns the digests of the contents that a document's file may last have had: the content in
 * base, content in review (I31), and content of a block (of a conflict or a refusal).
 */
export function knownTexts({ trees }: Matching, { id, localDigest, submissions }: DocumentRecord): readonly Digest[] {
  const blockedDigest = trees.base.blocks.get(id)?.digest ?? null;
  if (blockedDigest === null && submissions.length === 0) return [localDigest];
  return [localDigest, ...submissions.map(({ digest }) => digest), ...(blockedDigest === null ? [] : [blockedDigest])];
}

/** Returns the similarity of content to the known contents of a document: 0 to 1. */
export function likeness(matching: Matching, link: DocumentRecord, is: LineProfile): number {
  let most = 0;
  for (const digest of knownTexts(matching, link)) {
    const was = readProfile(matching, digest);
    if (was !== null && mayBeSimilar(was, is)) most = Math.max(most, similarity(was, is));
  }
  return most;
}

/** Returns true if a file may be a version of a document, by its content alone. */
export function isLike(matching: Matching, link: DocumentRecord, file: LocalFile): boolean {
  if (knownTexts(matching, link).includes(file.digest)) return true;
  const is = readProfile(matching, file.digest);
  return is !== null && likeness(matching, link, is) >= SIMILAR_ENOUGH;
}

/**
 * Returns true if the file contains one of the document's contents, or is contained in one. A short
 * note that was extended, or a long one that was split, is no longer similar.
 */
export function containsPart(matching: Matching, link: DocumentRecord, file: LocalFile): boolean {
  const is = readProfile(matching, file.digest);
  if (is === null) return false;
  return knownTexts(matching, link).some((digest) => {
    const was = readProfile(matching, digest);
    // A blank file is not part of content: no word of the content is in the file.
    return was !== null && (isKeptIn(was, is) || (is.total > 0 && isKeptIn(is, was)));
  });
}

/** Returns true if a file's content is evidence that the file is the document. */
export function resembles(matching: Matching, link: DocumentRecord, file: LocalFile): boolean {
  return isLike(matching, link, file) || containsPart(matching, link, file);
}

export function readProfile(matching: Matching, digest: Digest): LineProfile | null {
  const text = matching.texts(digest);
  return text === null ? null : profileOf(text);
}

/**
 * Returns records that are not found yet, each with the file that now has its inode and birth time;
 * none if inodes are no evidence.
 */
export function sameInodes(matching: Matching): [DocumentRecord, LocalFile][] {
  if (!matching.trees.local.inodesTrusted) return [];
  const byInode = new Map<string, LocalFile>();
  for (const file of matching.files.values()) {
    const key = fileInodeKey(file.stamp);
    if (key !== null) byInode.set(key, file);
  }
  const pairs: [DocumentRecord, LocalFile][] = [];
  for (const link of matching.links.values()) {
    const key = fileInodeKey(link.stamp);
    const file = key === null ? undefined : byInode.get(key);
    if (file !== undefined) pairs.push([link, file]);
  }
  return pairs;
}
