/**
 * Finds the file of each document at the path where it is expected. The path alone proves little:
 * users may move a file away and give its name to another file. So inode and content are compared
 * first.
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

export function matchByPathAndInode(matching: MatchProgress): void {
  const { inodesTrusted } = matching.trees.local;
  matchAtPaths(matching, (record, file) => {
    const hasOwnInode = record.stamp !== null && isSameInodeAndBirth(record.stamp, file.stamp);
    return (inodesTrusted && hasOwnInode) || isConflictCopyOf(matching, record, file);
  });
}

function isConflictCopyOf({ trees }: MatchProgress, { id }: DocumentRecord, { stamp }: LocalFile): boolean {
  const { shown = [] } = trees.base.conflicts.get(id) ?? {};
  return shown.some(({ ino, dev }) => ino === stamp.ino && dev === stamp.dev);
}

/**
 * Matches documents with similar files at their paths. The inode may be another one, because an
 * editor may save a document as a new file. Documents made from one template are similar too. So a
 * document is not matched if inodes show that two such documents were swapped.
 */
export function matchByPathAndText(matching: MatchProgress): void {
  const isSwapped = makeSwapTest(matching);
  matchAtPaths(matching, (record, file) => hasSimilarContent(matching, record, file) && !isSwapped(record, file));
}

/**
 * Returns a test whether a document was swapped with another one. The test needs two signs:
 * - The file at the document's path has the other document's inode and content.
 * - The file with the document's own inode is at another path, and has similar content.
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
 * Returns true if a file is at least as similar to the document `owner` as to the document
 * `record`. On a disk without birth times, inodes prove less, so the file must be more similar to
 * `owner`.
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
 * This finds a note that was extended or split.
 */
export function matchByPathAndPart(matching: MatchProgress): void {
  matchAtPaths(matching, (record, file) => containsPart(matching, record, file));
}

/**
 * Matches the remaining documents with the files at their paths. Documents whose two recorded paths
 * do not correspond come last: their moves were interrupted, so a file may belong to another
 * document.
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
 * Yields unmatched documents with the files at their paths. The caller may match a pair before it
 * requests the next pair.
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
 * Returns functions for the expected paths of a document: first for the path after the moves of its
 * folders, then for the recorded path.
 */
function listPathDerivations({ folders }: MatchProgress): readonly DeriveExpectedPath[] {
  const derivePathAfterMoves: DeriveExpectedPath = ({ localPath }) => deriveExpectedPath(localPath, folders);
  return folders.hasMoved ? [derivePathAfterMoves, ({ localPath }) => localPath] : [derivePathAfterMoves];
}

type FileFinder = (path: LocalPath) => LocalFile | undefined;

/**
 * Returns functions that find a file: first by its exact spelling, then by any spelling that the
 * disk treats as equal.
 */
function listFileFinders({ trees, files }: MatchProgress): readonly FileFinder[] {
  const { disk } = trees.local;
  const findExactPath: FileFinder = (path) => files.get(path);
  if (!foldsNames(disk)) return [findExactPath];
  const pathsByKey = new Map(Array.from(files.keys(), (path) => [pathKey(path, disk), path]));
  return [findExactPath, (path) => files.get(pathsByKey.get(pathKey(path, disk)) ?? "")];
}

/**
 * Lists documents with the files at their paths, if neither inode nor content has confirmed these
 * files. Leaves out a document whose two recorded paths do not correspond: its move was
 * interrupted, so the file may belong to another document.
 */
export function listUnconfirmedFiles(matching: MatchProgress): [DocumentRecord, LocalFile][] {
  const fileByRecord = new Map<DocumentRecord, LocalFile>();
  for (const [record, file] of generateFilesAtPaths(matching))
    if (!fileByRecord.has(record) && isPathPair(record.localPath, record.remotePath, record.id))
      fileByRecord.set(record, file);
  return [...fileByRecord];
}
