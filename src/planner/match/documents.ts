import type { Digest } from "../../model/digest.ts";
import { isPathPair } from "../../model/name-pair.ts";
import { isAway, type Link, sameInodeAndBirth } from "../../model/link.ts";
import { type DiskFolding, folds, type LocalPath, pathKey } from "../../model/path.ts";
import type { LocalFile } from "../../model/tree.ts";
import { expectedPath, findFoldersByContents } from "./folder-paths.ts";
import { matchExchanges } from "./exchanges.ts";
import {
  claim,
  claimByText,
  type Evidence,
  isGrown,
  isLike,
  knownTexts,
  type Matching,
  sameInodes,
} from "./matching.ts";
import { matchBySimilarity } from "./resemblance.ts";

/**
 * Finds the linked documents that are not simply where they were, by the strongest evidence first.
 * Each step takes files and links away from the later ones. In the end `links` are those that were
 * not found, `files` are new, and `folders` have their final places.
 */
export function matchDocuments(matching: Matching): void {
  if (matching.links.size === 0) return;
  matchByInodeAndText(matching);
  matchExchanges(matching);
  matchByPath(matching, "path");
  matchByInodeAndSimilarText(matching);
  matchBySameText(matching);
  findFoldersByContents(matching.folders, whereabouts(matching), matching.trees.local.folders);
  matchByPath(matching, "path-in-moved-folder");
  matchBySimilarity(matching);
  matchByPathAlone(matching);
}

/**
 * Recognises pure moves, whatever is at the old path now: chains (`mv b c; mv a b`) and swaps
 * become moves.
 */
function matchByInodeAndText(matching: Matching): void {
  for (const [link, file] of sameInodes(matching))
    if (knownTexts(matching, link).includes(file.digest)) claim(matching, link, file, "inode-and-text");
}

function matchByInodeAndSimilarText(matching: Matching): void {
  // A new file may have been given the inode within one tick of the clock: only the text tells.
  for (const [link, file] of sameInodes(matching))
    if (isLike(matching, link, file) || isGrown(matching, link, file))
      claim(matching, link, file, "inode-and-similar-text");
}

/**
 * By path: first where the folders' moves would have taken the file, then where it was. This finds
 * atomic saves of editors, which have a new inode.
 */
function matchByPath(matching: Matching, evidence: Evidence): void {
  const files = new FilesByPath(matching);
  for (const whereIs of placesOf(matching)) {
    const contested = contestedPaths(matching, files, whereIs);
    // ORDER: base's path may be one that its document has left (its move is held, or was
    // interrupted), and belong to another one by now. So the inode decides first, then likeness of
    // the text, then whether the two names belong together; where they do not, likeness alone.
    matchAt(matching, files, evidence, whereIs, [
      ...(matching.trees.local.inodesTrusted ? [isInodeOf] : []),
      ...(contested.size > 0 ? [isLikeIn(matching, (file) => contested.has(files.keyOf(file.path)))] : []),
      ({ localPath, remotePath, id }) => isPathPair(localPath, remotePath, id),
      isLikeIn(matching, () => true),
    ]);
  }
}

/** By the path of a move that was cut off half way, where nothing else claims what is there. */
function matchByPathAlone(matching: Matching): void {
  const files = new FilesByPath(matching);
  for (const whereIs of placesOf(matching)) matchAt(matching, files, "path", whereIs, [() => true]);
}

/** The path at which a link's file is expected; null: nowhere. */
type WhereIs = (link: Link) => LocalPath | null;

function placesOf({ folders }: Matching): readonly WhereIs[] {
  return [(link) => expectedPath(link.localPath, folders), (link) => link.localPath];
}

function matchAt(
  matching: Matching,
  files: FilesByPath,
  evidence: Evidence,
  whereIs: WhereIs,
  proofs: readonly ((link: Link, file: LocalFile) => boolean)[],
): void {
  for (const isProven of proofs)
    for (const spelling of files.spellings)
      for (const link of [...matching.links.values()]) {
        const file = files.at(whereIs(link), spelling);
        if (file !== undefined && isProven(link, file)) claim(matching, link, file, evidence);
      }
}

type Spelling = "exact" | "folded";

/**
 * Files that no document has claimed yet, by their paths as they are and as the disk folds them.
 */
class FilesByPath {
  /** The ways to look a path up, in order. */
  readonly spellings: readonly Spelling[];
  readonly #disk: DiskFolding;
  readonly #files: Matching["files"];
  readonly #byKey: ReadonlyMap<string, LocalFile>;

  constructor({ trees, files }: Matching) {
    this.#disk = trees.local.disk;
    this.#files = files;
    const isFolding = folds(this.#disk);
    this.spellings = isFolding ? ["exact", "folded"] : ["exact"];
    this.#byKey = new Map(isFolding ? [...files.values()].map((file) => [this.keyOf(file.path), file]) : []);
  }

  keyOf(path: LocalPath): string {
    return pathKey(path, this.#disk);
  }

  at(path: LocalPath | null, spelling: Spelling): LocalFile | undefined {
    if (path === null) return undefined;
    if (spelling === "exact") return this.#files.get(path);
    const file = this.#byKey.get(this.keyOf(path));
    return file !== undefined && this.#files.has(file.path) ? file : undefined;
  }
}

/**
 * Paths at which more than one link is expected: one of those documents has left, and base does not
 * know because its move is held.
 */
function contestedPaths({ links }: Matching, files: FilesByPath, whereIs: WhereIs): ReadonlySet<string> {
  const [seen, contested] = [new Set<string>(), new Set<string>()];
  for (const link of links.values()) {
    const path = whereIs(link);
    if (path === null) continue;
    const key = files.keyOf(path);
    if (seen.has(key)) contested.add(key);
    else seen.add(key);
  }
  return contested;
}

function isLikeIn(matching: Matching, isAsked: (file: LocalFile) => boolean) {
  return (link: Link, file: LocalFile): boolean => isAsked(file) && isLike(matching, link, file);
}

function isInodeOf({ stamp }: Link, file: LocalFile): boolean {
  return stamp !== null && sameInodeAndBirth(stamp, file.stamp);
}

/**
 * One lost document and one new file of the same bytes, with no second of either: a move without
 * inodes as evidence.
 */
function matchBySameText(matching: Matching): void {
  const files = onlyOnes(newTexts(matching));
  for (const [digest, link] of onlyOnes(lostTexts(matching))) {
    const file = files.get(digest);
    if (file !== undefined && matching.links.has(link.id)) claimByText(matching, link, file, "same-text");
  }
}

function* newTexts({ files }: Matching): Generator<[Digest, LocalFile]> {
  for (const file of files.values()) if (!file.empty) yield [file.digest, file];
}

function* lostTexts(matching: Matching): Generator<[Digest, Link]> {
  for (const link of matching.links.values())
    for (const digest of new Set(knownTexts(matching, link))) yield [digest, link];
}

/** The values whose key no other value has. */
function onlyOnes<K, V>(entries: Iterable<readonly [K, V]>): ReadonlyMap<K, V> {
  const [ones, repeated] = [new Map<K, V>(), new Set<K>()];
  for (const [key, value] of entries)
    if (ones.has(key)) repeated.add(key);
    else ones.set(key, value);
  for (const key of repeated) ones.delete(key);
  return ones;
}

function* whereabouts(matching: Matching): Generator<{ base: LocalPath; now: LocalPath | null }> {
  for (const link of matching.trees.base.links.values()) {
    if (isAway(link)) continue;
    const match = matching.matches.get(link.id);
    if (match !== undefined) yield { base: link.localPath, now: match.file.path };
    // A document that is neither found so nor missing is untouched at base's path.
    else yield { base: link.localPath, now: matching.links.has(link.id) ? null : link.localPath };
  }
}
