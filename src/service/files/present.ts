/**
 * Converts rows of the tables to the form of the API. The form of an id is not checked, because
 * this service made the id.
 */

import { parentOf } from "../../contract/path.ts";
import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { AnsweredFile, AnsweredFolder, ChangeInReview, Edit } from "../../contract/api/resources.ts";
import type { ReviewReason } from "../../contract/resources.ts";
import type { FileRow, FolderRow } from "../store/rows.ts";

export function toApiPath(path: string): string {
  return `/${path}`;
}

export function presentFile(row: Omit<FileRow, "seq" | "folder" | "name">): AnsweredFile {
  return {
    object: "file",
    id: row.id as DocId,
    path: toApiPath(row.path),
    parentId: row.folderId as DirId | null,
    parentPath: toApiPath(parentOf(row.path)),
    protected: row.protected === 1,
    lastChangeId: row.changeId as ChangeId,
  };
}

export function presentWithContent(row: FileRow, content: string): AnsweredFile & { readonly content: string } {
  return { ...presentFile(row), content };
}

export function makeFileJson(row: FileRow, content: string): string {
  return JSON.stringify(presentWithContent(row, content));
}

export function presentEdit(row: FileRow, content: string): Edit {
  return { object: "edit", file: presentFile(row), content };
}

export function presentFolder(row: FolderRow): AnsweredFolder {
  return {
    object: "folder",
    id: row.id as DirId,
    path: toApiPath(row.path),
    parentId: row.parentId as DirId | null,
    parentPath: toApiPath(parentOf(row.path)),
    name: row.name,
  };
}

export function presentReview(row: FileRow, changeId: string, reason: ReviewReason): ChangeInReview {
  return {
    object: "change",
    id: changeId as ChangeId,
    status: "in_review",
    reason,
    fileIds: [row.id as DocId],
  };
}
