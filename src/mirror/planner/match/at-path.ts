/**
 * Matches documents at their expected paths. A path alone proves little, because people move a file
 * and give its name to another file. The inode or the content of the file must confirm the match.
 */

import type { DocId } from "../../../contract/ids.ts";
import { type DocumentRecord, sameInodeAndBirth } from "../../model/record.ts";
import { isPathPair } from "../../model/name-pair.ts";
import { foldsNames, type LocalPath, pathKey } from "../../../contract/path.ts";
import type { LocalFile } from "../../model/tree.ts";
import { expectedPath } from "./folder-paths.ts";
import { claim, containsPart, isLike, likeness, type Matching, readProfile, sameInodes } from "./matching.ts";

/** Matches each document whose file at its path still has base's inode. */
export function matchByPathAndInode(matching: Matching): void {
  const { inodesTrusted } = matching.trees.local;
  matchAt(matching, (record, file) => {
    const isOwn = record.stamp !== null && sameInodeAndBirth(record.stamp, file.stamp);
    return (inodesTrusted && isOwn) || isCopyOf(matching, record, file);
  });
}

/** Returns true if the user moved a conflict copy of a document over the document. */
function isCopyOf({ trees }: Matching, { id }: DocumentRecord, { stamp }: LocalFile): boolean {
  const { shown = [] } = trees.base.conflicts.get(id) ?? {};
  return shown.some(({ ino, dev }) => ino === stamp.ino && dev === stamp.dev);
}

/**
 * Matches each document with similar content at its path: an editor saved it as a new file.
 * Documents made from one template are all similar, so the match does not count if inodes show that
 * two of them were swapped.
 */
export function matchByPathAndText(matching: Matching): void {
  const isExchanged = exchangeTest(matching);
  matchAt(matching, (record, file) => isLike(matching, record, file) && !isExchanged(record, file));
}

/**
 * Returns a function that is true if the file at a document's path is another document's, because
 * the two were swapped. The file has the other document's inode and fits its content at least as
 * well; and the file with this document's inode, at another path, has similar content.
 */
function exchangeTest(matching: Matching): (record: DocumentRecord, file: LocalFile) => boolean {
  const inodes = sameInodes(matching);
  const owners = new Map(inodes.map(([record, file]) => [file.path, record]));
  const files = new Map<DocId, LocalFile>(inodes.map(([{ id }, file]) => [id, file]));
  return (record, file) => {
    const [owner, ownFile] = [owners.get(file.path), files.get(record.id)];
    if (owner === undefined || ownFile === undefined || owner === record) return false;
    return isLike(matching, record, ownFile) && fitsOwner(matching, owner, record, file);
  };
}

/**
 * Returns true if a file is more similar to the document `owner` than to `record`. If files have no
 * birth time, equal similarity does not count.
 */
function fitsOwner(matching: Matching, owner: DocumentRecord, record: DocumentRecord, file: LocalFile): boolean {
  const profile = readProfile(matching, file.digest);
  if (profile === null) return false;
  const [theirs, ours] = [likeness(matching, owner, profile), likeness(matching, record, profile)];
  return file.stamp.birthMs === 0 ? theirs > ours : theirs >= ours;
}

/**
 * Matches each document whose file at its path contains the document's content, or is a part of it:
 * a short note was extended, or a long one was split.
 */
export function matchByPathAndPart(matching: Matching): void {
  matchAt(matching, (record, file) => containsPart(matching, record, file));
}

/**
 * Matches the remaining documents by path alone. A document whose two paths in base do not
 * correspond comes last.
 */
export function matchByPathAlone(matching: Matching): void {
  for (const id of matching.records.keys()) matching.byPathAlone.add(id);
  matchAt(matching, ({ localPath, remotePath, id }) => isPathPair(localPath, remotePath, id));
  matchAt(matching, () => true);
}

function matchAt(matching: Matching, isProven: (record: DocumentRecord, file: LocalFile) => boolean): void {
  for (const [record, file] of filesAtPaths(matching)) if (isProven(record, file)) claim(matching, record, file);
}

/**
 * Yields documents with the unclaimed files at their paths. A file that the caller claims between
 * two yields is not yielded again.
 */
function* filesAtPaths(matching: Matching): Generator<[DocumentRecord, LocalFile]> {
  const lookups = fileLookups(matching);
  for (const whereIs of placesOf(matching))
    for (const fileAt of lookups)
      for (const record of [...matching.records.values()]) {
        const path = whereIs(record);
        const file = path === null ? undefined : fileAt(path);
        if (file !== undefined) yield [record, file];
      }
}

/** Returns the path at which a record's file is expected; null if none is. */
type ExpectedPath = (record: DocumentRecord) => LocalPath | null;

/**
 * Returns functions for the expected paths, in order: first the path to which moved folders would
 * have taken the file, then its old path.
 */
function placesOf({ folders }: Matching): readonly ExpectedPath[] {
  const carried: ExpectedPath = ({ localPath }) => expectedPath(localPath, folders);
  return folders.hasMoved ? [carried, ({ localPath }) => localPath] : [carried];
}

type FileLookup = (path: LocalPath) => LocalFile | undefined;

/**
 * Returns functions that find an unclaimed file by its path, in order: as it is written, then as
 * the disk folds it.
 */
function fileLookups({ trees, files }: Matching): readonly FileLookup[] {
  const { disk } = trees.local;
  const exact: FileLookup = (path) => files.get(path);
  if (!foldsNames(disk)) return [exact];
  const paths = new Map(Array.from(files.keys(), (path) => [pathKey(path, disk), path]));
  return [exact, (path) => files.get(paths.get(pathKey(path, disk)) ?? "")];
}

/**
 * Lists documents with the files at their paths that neither inode nor content confirmed. Called
 * after `matchByPathAndInode` and `matchByPathAndText`. Leaves out a document whose two paths in
 * base do not correspond: its move was interrupted, and the file may belong to another document.
 */
export function unconfirmedFiles(matching: Matching): [DocumentRecord, LocalFile][] {
  const found = new Map<DocumentRecord, LocalFile>();
  for (const [record, file] of filesAtPaths(matching))
    if (!found.has(record) && isPathPair(record.localPath, record.remotePath, record.id)) found.set(record, file);
  return [...found];
}
