import type { ChangeId, DirId, DocId } from "../contract/ids.ts";
import type { ChangeInReview, FileResource, FileWithContent, FolderResource } from "../contract/resources.ts";
import type { FileRow } from "./files-table.ts";
import type { FolderRow } from "./folders-table.ts";

/** Rows as the wire shows them. The ids of a row are the service's own and need no second look. */

export function presentFile(row: FileRow): FileResource {
  return {
    id: row.id as DocId,
    lastChangeId: row.changeId as ChangeId,
    path: row.path,
    protected: row.protected === 1,
  };
}

export function presentWithContent(row: FileRow, content: string): FileWithContent {
  return { ...presentFile(row), content };
}

export function presentFolder(row: FolderRow): FolderResource {
  return { id: row.id as DirId, path: row.path };
}

export function presentReview(row: FileRow, changeId: string, baseId: string): ChangeInReview {
  return {
    id: changeId as ChangeId,
    fileId: row.id as DocId,
    path: row.path,
    baseChangeId: baseId as ChangeId,
    status: "in_review",
  };
}
