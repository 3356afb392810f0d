import { isAway } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { matchByPathAlone, matchByPathAndInode, matchByPathAndPart, matchByPathAndText } from "./at-path.ts";
import { blockWhatMayBeBlocked, MovedFiles } from "./elsewhere.ts";
import { findFoldersByContents } from "./folder-paths.ts";
import { claim, knownTexts, type Matching, sameInodes } from "./matching.ts";

/**
 * Finds the linked documents that are not simply at their places, by the strongest evidence first.
 * Each step takes files and records away from the later ones. In the end `links` are those that
 * were not found, `files` are new, and `folders` have their final places.
 */
export function matchDocuments(matching: Matching): void {
  if (matching.links.size === 0) return;
  matchByInodeAndText(matching);
  matchByPathAndInode(matching);
  matchByPathAndText(matching);
  const elsewhere = new MovedFiles(matching);
  elsewhere.match("inode-and-similar-text");
  matchByPathAndPart(matching);
  elsewhere.match("same-text");
  findFoldersByContents(matching.folders, whereabouts(matching), matching.trees.local.folders);
  matchByPathAndText(matching, "path-in-moved-folder");
  elsewhere.match("inode");
  matchByPathAlone(matching);
  blockWhatMayBeBlocked(matching);
}

/**
 * Recognises pure moves, whatever is at the old path now: chains (`mv b c; mv a b`) and swaps
 * become moves.
 */
function matchByInodeAndText(matching: Matching): void {
  for (const [link, file] of sameInodes(matching))
    if (knownTexts(matching, link).includes(file.digest)) claim(matching, link, file, "inode-and-text");
}

function* whereabouts(matching: Matching): Generator<{ base: LocalPath; now: LocalPath | null }> {
  for (const link of matching.trees.base.links.values()) {
    if (isAway(link)) continue;
    const match = matching.matches.get(link.id);
    if (match !== undefined) yield { base: link.localPath, now: match.file.path };
    // A document that is neither found so nor missing is unchanged at base's path.
    else yield { base: link.localPath, now: matching.links.has(link.id) ? null : link.localPath };
  }
}
