/**
 * Finds the file of each document at the path where it is expected. The path alone proves little,
 * because users move a file and give its name to another one. So the inode or the content of the
 * file must confirm the match first.
 */

import type { DocId } from "../../../contract/ids.ts";
import { type DocumentRecord, isSameInodeAndBirth } from "../../model/record.ts";
import { isPathPair } from "../../model/name-pair.ts";
import { foldsNames, type LocalPath, pathKey } from "../../../contract/path.ts";
import type { LocalFile } from "../../model/tree.ts";
import { deriveExpectedPath } from "./folder-paths.ts";
import {
  matchFile,
  containsPart,
  hasSimilarContent,
  measureSimilarity,
  type MatchProgress,
  readProfile,
  pairBySameInode,
} from "./matching.ts";

/** Matches documents with files at their paths that have the recorded inode. */
export function matchByPathAndInode(matching: MatchProgress): void {
  const { inodesTrusted } = matching.trees.local;
  matchAtPaths(matching, (record, file) => {
    const hasOwnInode = record.stamp !== null && isSameInodeAndBirth(record.stamp, file.stamp);
    return (inodesTrusted && hasOwnInode) || isConflictCopyOf(matching, record, file);
  });
}

/**
 * Returns true if the file is a conflict copy of this document, which the user has moved over it.
 */
function isConflictCopyOf({ trees }: MatchProgress, { id }: DocumentRecord, { stamp }: LocalFile): boolean {
  const { shown = [] } = trees.base.conflicts.get(id) ?? {};
  return shown.some(({ ino, dev }) => ino === stamp.ino && dev === stamp.dev);
}

/**
 * Matches documents with files at their paths that have similar content, because an editor may save
 * a document as a new file. Documents made from one template are similar to each other. So a pair
 * is left out if inodes show that two such documents were swapped.
 */
export function matchByPathAndText(matching: MatchProgress): void {
  const isSwapped = makeSwapTest(matching);
  matchAtPaths(matching, (record, file) => hasSimilarContent(matching, record, file) && !isSwapped(record, file));
}

/**
 * Returns a function that returns true if the user swapped a document with another one. In this
 * case, the file at the document's path has the other document's inode and content. The file with
 * the document's own inode is at another path and has similar content.
 */
function makeSwapTest(matching: MatchProgress): (record: DocumentRecord, file: LocalFile) => boolean {
  const inodePairs = pairBySameInode(matching);
  const recordsByFilePath = new Map(inodePairs.map(([record, file]) => [file.path, record]));
  const filesById = new Map<DocId, LocalFile>(inodePairs.map(([{ id }, file]) => [id, file]));
  return (record, file) => {
    const [owner, ownFile] = [recordsByFilePath.get(file.path), filesById.get(record.id)];
    if (owner === undefined || ownFile === undefined || owner === record) return false;
    return hasSimilarContent(matching, record, ownFile) && fitsOwnerBetter(matching, owner, record, file);
  };
}

/**
 * Returns true if a file is more similar to the document `owner` than to the document `record`, or
 * equally similar. Without birth times, inodes prove less, and equal similarity does not count.
 */
function fitsOwnerBetter(
  matching: MatchProgress,
  owner: DocumentRecord,
  record: DocumentRecord,
  file: LocalFile,
): boolean {
  const fileProfile = readProfile(matching, file.digest);
  if (fileProfile === null) return false;
  const [theirs, ours] = [
    measureSimilarity(matching, owner, fileProfile),
    measureSimilarity(matching, record, fileProfile),
  ];
  return file.stamp.birthMs === 0 ? theirs > ours : theirs >= ours;
}

/**
 * Matches documents with files at their paths that contain the document's content, or a part of it.
 * A short note may have been extended, or a long one split.
 */
export function matchByPathAndPart(matching: MatchProgress): void {
  matchAtPaths(matching, (record, file) => containsPart(matching, record, file));
}

/**
 * Matches the remaining documents with the files at their paths. A document whose two recorded
 * paths do not correspond comes last, because its move was interrupted.
 */
export function matchByPathAlone(matching: MatchProgress): void {
  for (const id of matching.records.keys()) matching.byPathAlone.add(id);
  matchAtPaths(matching, ({ localPath, remotePath, id }) => isPathPair(localPath, remotePath, id));
  matchAtPaths(matching, () => true);
}

function matchAtPaths(matching: MatchProgress, isProven: (record: DocumentRecord, file: LocalFile) => boolean): void {
  for (const [record, file] of generateFilesAtPaths(matching))
    if (isProven(record, file)) matchFile(matching, record, file);
}

/**
 * Yields each unmatched document with the unmatched files at its expected paths. The caller may
 * match a file before it requests the next pair.
 */
function* generateFilesAtPaths(matching: MatchProgress): Generator<[DocumentRecord, LocalFile]> {
  const fileFinders = listFileFinders(matching);
  for (const whereIs of listPathDerivations(matching))
    for (const fileAt of fileFinders)
      for (const record of [...matching.records.values()]) {
        const path = whereIs(record);
        const file = path === null ? undefined : fileAt(path);
        if (file !== undefined) yield [record, file];
      }
}

type DeriveExpectedPath = (record: DocumentRecord) => LocalPath | null;

/**
 * Returns functions for the expected paths of a document, in this order: its path after the moves
 * of its folders, then its recorded path.
 */
function listPathDerivations({ folders }: MatchProgress): readonly DeriveExpectedPath[] {
  const derivePathAfterMoves: DeriveExpectedPath = ({ localPath }) => deriveExpectedPath(localPath, folders);
  return folders.hasMoved ? [derivePathAfterMoves, ({ localPath }) => localPath] : [derivePathAfterMoves];
}

type FileFinder = (path: LocalPath) => LocalFile | undefined;

/**
 * Returns functions that find an unmatched file by path, in this order: in the exact spelling, then
 * in any spelling that the disk treats as equal.
 */
function listFileFinders({ trees, files }: MatchProgress): readonly FileFinder[] {
  const { disk } = trees.local;
  const findExactPath: FileFinder = (path) => files.get(path);
  if (!foldsNames(disk)) return [findExactPath];
  const pathsByKey = new Map(Array.from(files.keys(), (path) => [pathKey(path, disk), path]));
  return [findExactPath, (path) => files.get(pathsByKey.get(pathKey(path, disk)) ?? "")];
}

/**
 * Lists the unmatched documents with the files at their paths. Called when neither inode nor
 * content has confirmed these files. Leaves out a document whose two recorded paths do not
 * correspond. Its move was interrupted, so the file may belong to another document.
 */
export function listUnconfirmedFiles(matching: MatchProgress): [DocumentRecord, LocalFile][] {
  const fileByRecord = new Map<DocumentRecord, LocalFile>();
  for (const [record, file] of generateFilesAtPaths(matching))
    if (!fileByRecord.has(record) && isPathPair(record.localPath, record.remotePath, record.id))
      fileByRecord.set(record, file);
  return [...fileByRecord];
}
