import type { Digest } from "../../model/digest.ts";
import { isPathPair } from "../../model/name-pair.ts";
import { isAway, type Link, sameInodeAndBirth } from "../../model/link.ts";
import { type DiskFolding, folds, type LocalPath, pathKey } from "../../model/path.ts";
import type { LocalFile } from "../../model/tree.ts";
import { expectedPath, findFoldersByContents } from "./folder-paths.ts";
import { matchExchanges } from "./exchanges.ts";
import { claim, type Evidence, isGrown, isLike, knownTexts, type Matching, sameInodes } from "./matching.ts";
import { matchBySimilarity } from "./resemblance.ts";

/**
 * Finds the linked documents that are not simply where they were, in the order of the strength of
 * their evidence. Each step takes files and links away from the later ones. Afterwards `links` are
 * those not found, `files` those that are new, `folders` the final places of folders.
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
}

/**
 * A pure move, whatever stands at the old path now: chains (`mv b c; mv a b`) and swaps come out as
 * moves.
 */
function matchByInodeAndText(matching: Matching): void {
  for (const [link, file] of sameInodes(matching))
    if (knownTexts(matching, link).includes(file.digest)) claim(matching, link, file, "inode-and-text");
}

function matchByInodeAndSimilarText(matching: Matching): void {
  // The inode may have been reused by a new file within the clock's tick: only the text tells.
  for (const [link, file] of sameInodes(matching))
    if (isLike(matching, link, file) || isGrown(matching, link, file))
      claim(matching, link, file, "inode-and-similar-text");
}

/**
 * First where the folders' moves would have carried the file, then where it was. An editor's atomic
 * save (new inode) ends here.
 */
function matchByPath(matching: Matching, evidence: Evidence): void {
  const files = new FilesByPath(matching);
  matchAt(matching, files, evidence, (link) => expectedPath(link.localPath, matching.folders));
  matchAt(matching, files, evidence, (link) => link.localPath);
}

/** @param whereIs the path at which a link's file is looked for; null: nowhere */
function matchAt(
  matching: Matching,
  files: FilesByPath,
  evidence: Evidence,
  whereIs: (link: Link) => LocalPath | null,
): void {
  const contested = contestedPaths(matching, files, whereIs);
  // ORDER: a base path may be one that its document has left (its move is held, or was cut off
  // half way), and another's by now, if in another case. Asked first is whose inode is there,
  // then whose text is like the one that is there, then whose two places belong together.
  const proofs: readonly ((link: Link, file: LocalFile) => boolean)[] = [
    ...(matching.trees.local.inodesTrusted ? [isInodeOf] : []),
    ...(contested.size > 0 ? [isLikeIn(matching, (file) => contested.has(files.keyOf(file.path)))] : []),
    ({ localPath, remotePath, id }) => isPathPair(localPath, remotePath, id),
    () => true,
  ];
  for (const isProven of proofs)
    for (const spelling of files.spellings)
      for (const link of [...matching.links.values()]) {
        const file = files.at(whereIs(link), spelling);
        if (file !== undefined && isProven(link, file)) claim(matching, link, file, evidence);
      }
}

type Spelling = "exact" | "folded";

/** Files that no document has claimed, by their paths as they are, and as the disk folds them. */
class FilesByPath {
  /** How files are looked up, one after the other. */
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
 * Where more than one of the links would be: one of them left it, and base was not told, for it is
 * held.
 */
function contestedPaths(
  { links }: Matching,
  files: FilesByPath,
  whereIs: (link: Link) => LocalPath | null,
): ReadonlySet<string> {
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
 * One lost document and one new file of the same bytes, and no second of either: a move that left
 * no inode behind.
 */
function matchBySameText(matching: Matching): void {
  const files = onlyOnes(newTexts(matching));
  for (const [digest, link] of onlyOnes(lostTexts(matching))) {
    const file = files.get(digest);
    if (file !== undefined && matching.links.has(link.id)) claim(matching, link, file, "same-text");
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
    // What is neither matched nor loose stands untouched at its base path.
    else yield { base: link.localPath, now: matching.links.has(link.id) ? null : link.localPath };
  }
}
