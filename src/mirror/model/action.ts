import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Block, DocumentPaths, DocumentRecord } from "./record.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * One change on one side. An action contains the state that it expects; in another state it changes
 * nothing and ends as `stale`. `why` is a clause for users ("edited locally"), which `plan`, `why`
 * and the event log show. An action on a document has an `id`, an action on a folder a `dirId`.
 */
export type Action = { readonly why: string } & (DocumentAction | FolderAction);

export type ActionOf<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

type LocalMove = { readonly from: LocalPath; readonly to: LocalPath };

type RemoteMove = {
  readonly lastLocalPath: LocalPath;
  readonly from: RemotePath;
  readonly to: RemotePath;
  readonly temporary: boolean;
};

type ListedDocument = DocumentPaths & { readonly changeId: ChangeId };

type ExpectedFile = { readonly id: DocId; readonly localPath: LocalPath; readonly expect: Digest };

type FolderPlace = { readonly dirId: DirId; readonly localPath: LocalPath; readonly remotePath: RemotePath };

type DocumentAction =
  /**
   * Downloads the document and creates its local file, which must not exist yet. `comesBack`: an
   * edit on the service won against a local deletion.
   */
  | ({ readonly kind: "create-local"; readonly comesBack?: boolean } & ListedDocument)
  /** Replaces the local file, whose content must still be `expect`, by the service's version. */
  | ({ readonly kind: "write-local" } & DownloadedVersion)
  /**
   * Creates a document on the service from a local file, whose content must still be `expect`.
   * `tombstone`: the deleted document that the new one replaces; null if it replaces none.
   */
  | {
      readonly kind: "create-remote";
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly expect: Digest;
      readonly tombstone: DocId | null;
    }
  /**
   * Uploads the local content by a PUT on the base version. `review`: the document is protected, so
   * mdmirror expects the answer 202. `empties`: the local content is blank, and the base version is
   * not.
   */
  | ({
      readonly kind: "put";
      readonly baseChangeId: ChangeId;
      readonly review: boolean;
      readonly empties?: true;
    } & ExpectedFile)
  /**
   * Downloads the service's version of a document that both sides changed, and merges. A clean
   * merge is written locally, then sent by a PUT on that version. Otherwise a conflict is opened or
   * renewed.
   */
  | ({ readonly kind: "merge"; readonly review: boolean } & DownloadedVersion)
  /**
   * Compares two new documents, one on each side, at one path. Contents that differ only by line
   * ends, BOM or final newline become one document. Otherwise the policy's `prefer` decides, or a
   * conflict without a base opens.
   */
  | ({ readonly kind: "meet"; readonly expect: Digest } & ListedDocument)
  /** Moves the local file to the trash. Its content must still be `expect`. */
  | ({ readonly kind: "trash-local"; readonly cause: "gone" | "outside" } & ExpectedFile)
  /**
   * Deletes a document on the service. Before that, reads it again, because its version and place
   * must be as planned, and checks once more that the local file is absent.
   */
  | ({ readonly kind: "delete-remote" } & ListedDocument)
  /** Replaces a record by a tombstone, because the document is absent on both sides. */
  | { readonly kind: "forget"; readonly id: DocId; readonly localPath: LocalPath }
  /**
   * Moves a local file to a path that must be free. `temporary`: `to` only breaks a circle of
   * moves, and a later action of the plan moves the file on.
   */
  | ({ readonly kind: "move-local"; readonly id: DocId; readonly temporary: boolean } & LocalMove)
  /** Renames a document on the service: PATCH {name}. */
  | ({ readonly kind: "rename-remote"; readonly id: DocId } & RemoteMove)
  /** Moves a document on the service: PATCH {parentId}, the parent of `to`; null for the root. */
  | ({ readonly kind: "reparent-remote"; readonly id: DocId } & RemoteMove)
  | ({ readonly kind: "relink" } & DocumentPaths)
  /**
   * Records a new protection or state, or a change id without new content. Changes neither side.
   * State `away`: the document is outside the linked part of the workspace, and has no local file.
   */
  | {
      readonly kind: "note-facts";
      readonly id: DocId;
      readonly protected: boolean;
      readonly state: DocumentRecord["state"] | "away";
    }
  /**
   * Ends a conflict after the user's decision about the version `baseChangeId` in its conflict
   * copy. The user deleted the copy (`mine`), moved it over the document (`theirs`), or gave both
   * files equal content (`equal`). If the service has a newer version `changeId`, that version is
   * merged or shown in a new copy.
   */
  | ({
      readonly kind: "end-conflict";
      readonly how: "mine" | "theirs" | "equal";
      readonly baseChangeId: ChangeId;
      readonly changeId: ChangeId;
    } & ExpectedFile)
  /** Records that a scan did not find the conflict copy. A second such scan ends the conflict. */
  | { readonly kind: "look-again"; readonly id: DocId }
  /**
   * Downloads a version that appeared on the service during a conflict. If the version merges with
   * the local content, the merge ends the conflict. Otherwise a new conflict copy shows the
   * version. The earlier copy goes to the trash, unless the user edited that copy.
   */
  | ({ readonly kind: "renew-conflict"; readonly changeId: ChangeId } & ExpectedFile)
  /** Moves a conflict copy beside its renamed document. `nth`: number of the copy, from 1. */
  | ({ readonly kind: "move-conflict-copy"; readonly id: DocId; readonly nth: number } & LocalMove)
  /** Ends the conflict of a document that is missing on a side; its copy goes to the trash. */
  | {
      readonly kind: "drop-conflict";
      readonly id: DocId;
      readonly newestCopyPath: LocalPath | null;
      /** True if another step restores the locally deleted file; that step ends the conflict. */
      readonly comesBack?: true;
    }
  /**
   * Downloads the new published version of a document that has content in review. If merge(base,
   * local, published) equals the published content, the review is over. Otherwise merges the
   * published content into the local file.
   */
  | ({ readonly kind: "settle-review" } & DownloadedVersion);

type DownloadedVersion = ExpectedFile & {
  readonly changeId: ChangeId;
  /**
   * True if the service's content is blank, and the base version is not. Undefined if the plan does
   * not know the service's content.
   */
  readonly empties?: boolean;
};

export type ActionKind = Action["kind"];

/**
 * Returns id and local path of the action's document or folder, for logs and reports. The id is
 * null if the document or folder has none.
 */
export function getSubject(action: Action): { readonly id: string | null; readonly path: LocalPath } {
  const subjectId = "id" in action ? action.id : "dirId" in action ? action.dirId : null;
  if ("localPath" in action) return { id: subjectId, path: action.localPath };
  return { id: subjectId, path: "to" in action ? action.to : "" };
}

/**
 * A step of a plan. `after`: indexes of the steps that come before this one. If one of these does
 * not end as `done` or `submitted`, this step is skipped.
 */
export type Step = { readonly action: Action; readonly after: readonly number[] };

export type OutcomeOf<Kind extends Outcome["kind"]> = Extract<Outcome, { kind: Kind }>;

/** Result of an action. Base changes only after `done` and `submitted`. */
export type Outcome =
  | { readonly kind: "done" }
  /**
   * The content is in review. `isConflict`: it conflicts with a published edit that this client has
   * not read yet.
   */
  | { readonly kind: "submitted"; readonly isConflict?: true }
  /**
   * Nothing was done, because a side no longer had the expected state; the next cycle scans again.
   * `isNotFound`: the service answered that the document or folder does not exist.
   */
  | { readonly kind: "stale"; readonly detail: string; readonly isNotFound?: true }
  /**
   * The service or the disk refused the action. `block` is recorded, so that the request is not
   * sent again.
   */
  | {
      readonly kind: "refused";
      readonly detail: string;
      readonly code: string;
      readonly requestId: string | null;
      readonly block: Block | null;
    }
  /** The change may have happened. The journal keeps the action until this is observed. */
  | { readonly kind: "uncertain"; readonly detail: string; readonly requestId: string | null }
  /**
   * The change did not happen; a later cycle tries again. `unreachable`: the service as a whole did
   * not answer.
   */
  | {
      readonly kind: "later";
      /** Errno of the system, error code of the service, or another word for the cause. */
      readonly code: string;
      readonly detail: string;
      readonly unreachable: boolean;
      readonly requestId: string | null;
    };

type FolderAction =
  /** Creates a local folder. `carries`: deleted documents whose records get the folder's path. */
  | ({ readonly kind: "make-folder-local"; readonly carries: readonly DocId[] } & FolderPlace)
  | { readonly kind: "make-folder-remote"; readonly localPath: LocalPath; readonly remotePath: RemotePath }
  /**
   * Records the places at which both sides have a folder. Changes neither side. `carries`: ids of
   * documents whose records get the new path with the folder; null if all records below the folder
   * get it.
   */
  | ({ readonly kind: "link-folder"; readonly carries: readonly DocId[] | null } & FolderPlace)
  | ({ readonly kind: "move-folder-local"; readonly dirId: DirId; readonly temporary: boolean } & LocalMove)
  | ({ readonly kind: "rename-folder-remote"; readonly dirId: DirId } & RemoteMove)
  | ({ readonly kind: "reparent-folder-remote"; readonly dirId: DirId } & RemoteMove)
  /**
   * Removes an empty local folder. Leftovers of editors and desktops in the folder go to the trash
   * first; other content makes the outcome `stale`. `dirId`: id of the record that is removed too;
   * null if another folder has the record now.
   */
  | { readonly kind: "remove-folder-local"; readonly dirId: DirId | null; readonly localPath: LocalPath }
  | ({ readonly kind: "remove-folder-remote" } & FolderPlace)
  | { readonly kind: "forget-folder"; readonly dirId: DirId };
