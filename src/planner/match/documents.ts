import type { Digest } from "../../model/digest.ts";
import { isPathPair } from "../../model/name-pair.ts";
import { isAway, type Link, sameInodeAndBirth } from "../../model/link.ts";
import { type LocalPath, pathKey } from "../../model/path.ts";
import type { LocalFile } from "../../model/tree.ts";
import { expectedPath, findFoldersByContents } from "./folder-paths.ts";
import { matchExchanges } from "./exchanges.ts";
import { sameInodes } from "./inode-pairs.ts";
import { claim, type Evidence, isGrown, isLike, knownTexts, type Matching } from "./matching.ts";
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
  const { disk } = matching.trees.local;
  const folds = disk.foldsCase || disk.foldsUnicode;
  const byKey = folds ? new Map([...matching.files.values()].map((file) => [pathKey(file.path, disk), file])) : null;
  const exact = (path: LocalPath): LocalFile | undefined => matching.files.get(path);
  const folded = (path: LocalPath): LocalFile | undefined => {
    const file = byKey?.get(pathKey(path, disk));
    return file !== undefined && matching.files.has(file.path) ? file : undefined;
  };
  const keyOf = (path: LocalPath): string => (folds ? pathKey(path, disk) : path);
  for (const where of [
    (link: Link) => expectedPath(link.localPath, matching.folders),
    (link: Link) => link.localPath,
  ]) {
    const contested = contestedPaths(matching, (link) => mapPath(where(link), keyOf));
    // ORDER: a base path may be one that its document has left (its move is held, or was cut off
    // half way), and another's by now, if in another case. Asked first is whose inode is there,
    // then whose text is like the one that is there, then whose two places belong together.
    const proofs: readonly ((link: Link, file: LocalFile) => boolean)[] = [
      ...(matching.trees.local.inodesTrusted ? [isInodeOf] : []),
      ...(contested.size > 0 ? [isLikeIn(matching, (file) => contested.has(keyOf(file.path)))] : []),
      ({ localPath, remotePath, id }) => isPathPair(localPath, remotePath, id),
      () => true,
    ];
    for (const isProven of proofs)
      for (const at of folds ? [exact, folded] : [exact])
        for (const link of [...matching.links.values()]) {
          const path = where(link);
          const file = path === null ? undefined : at(path);
          if (file !== undefined && isProven(link, file)) claim(matching, link, file, evidence);
        }
  }
}

function mapPath(path: LocalPath | null, keyOf: (path: LocalPath) => string): string | null {
  return path === null ? null : keyOf(path);
}

/**
 * Where more than one of the links would be: one of them left it, and base was not told, for it is
 * held.
 */
function contestedPaths({ links }: Matching, keyOf: (link: Link) => string | null): ReadonlySet<string> {
  const [seen, contested] = [new Set<string>(), new Set<string>()];
  for (const link of links.values()) {
    const key = keyOf(link);
    if (key !== null && seen.has(key)) contested.add(key);
    else if (key !== null) seen.add(key);
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
  const files = new Map<Digest, LocalFile | null>();
  for (const file of matching.files.values())
    if (!file.empty) files.set(file.digest, files.has(file.digest) ? null : file);
  const links = new Map<Digest, Link | null>();
  for (const link of matching.links.values())
    for (const digest of new Set(knownTexts(matching, link))) links.set(digest, links.has(digest) ? null : link);
  for (const [digest, link] of links) {
    const file = files.get(digest);
    if (link === null || file === undefined || file === null) continue;
    if (matching.links.has(link.id)) claim(matching, link, file, "same-text");
  }
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
