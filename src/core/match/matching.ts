import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../digest.ts";
import type { Link } from "../link.ts";
import type { LocalPath } from "../path.ts";
import { type LineProfile, profileOf } from "../similar.ts";
import type { LocalFile, TextLookup, Trees } from "../tree.ts";
import type { FolderPaths } from "./folder-paths.ts";

/** By what a file on disk was taken for a linked document. */
export type Evidence =
  | "inode-and-text"
  | "path"
  | "inode-and-similar-text"
  | "same-text"
  | "path-in-moved-folder"
  | "similar-text";

export type LocalMatch = { readonly file: LocalFile; readonly evidence: Evidence };

/** What the matching of one pass knows and has decided. */
export type Matching = {
  readonly trees: Trees;
  readonly texts: TextLookup;
  readonly folders: FolderPaths;
  /** Files that no document has claimed yet; in the end: the new ones. */
  readonly files: Map<LocalPath, LocalFile>;
  /** Links that are not found yet; in the end: the absent ones. */
  readonly links: Map<DocId, Link>;
  readonly matches: Map<DocId, LocalMatch>;
};

export function claim(matching: Matching, link: Link, file: LocalFile, evidence: Evidence): void {
  matching.matches.set(link.id, { file, evidence });
  matching.links.delete(link.id);
  matching.files.delete(file.path);
}

export function readProfile(matching: Matching, digest: Digest): LineProfile | null {
  const text = matching.texts(digest);
  return text === null ? null : profileOf(text);
}
