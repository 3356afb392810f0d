import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Block, DocumentPaths, DocumentRecord } from "./record.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * One change on one side. An action contains the state that it expects. If the side has another
 * state, the action changes nothing, and its outcome is `stale`.
 *
 * `why` is a clause for users ("edited locally") in `plan`, `why` and the event log. An action on a
 * document has an `id`, an action on a folder a `dirId`. An action that creates an item on the
 * service has neither.
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
   * Downloads a document and creates its local file, which must not exist yet. `comesBack`: the
   * file was deleted locally, but an edit on the service wins.
   */
  | ({ readonly kind: "create-local"; readonly comesBack?: boolean } & ListedDocument)
  /**
   * Replaces the local file by the service's version, if the digest of the file is still `expect`.
   */
  | ({ readonly kind: "write-local" } & DownloadedVersion)
  /**
   * Creates a document on the service from a local file, if the digest of the file is still
   * `expect`. `tombstone`: the deleted document that the new document replaces; null without such a
   * document.
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
   * the expected answer is 202. `empties`: the local content is blank, and the base version is not.
   */
  | ({
      readonly kind: "put";
      readonly baseChangeId: ChangeId;
      readonly review: boolean;
      readonly empties?: true;
    } & ExpectedFile)
  /**
   * Downloads the service's version of a document that both sides changed, and merges it with the
   * local content. A merge without a conflict is written locally, then sent by a PUT on the
   * downloaded version. Otherwise a conflict is opened or renewed.
   */
  | ({ readonly kind: "merge" } & DownloadedVersion)
  /**
   * Compares a new local document with a new document on the service at the same path. If the
   * contents differ only by line ends, BOM or final newline, the two become one document. Otherwise
   * the policy's `prefer` decides, or a conflict without a base opens.
   */
  | ({ readonly kind: "meet"; readonly expect: Digest } & ListedDocument)
  /** Moves the local file to the trash, if the digest of the file is still `expect`. */
  | ({ readonly kind: "trash-local"; readonly cause: "gone" | "outside" } & ExpectedFile)
  /**
   * Deletes a document on the service. Right before the deletion, mdmirror reads the document
   * again, because version and place must be as planned, and checks that the local file is absent.
   */
  | ({ readonly kind: "delete-remote" } & ListedDocument)
  /** Replaces a record by a tombstone, because the document is absent on both sides. */
  | { readonly kind: "forget"; readonly id: DocId; readonly localPath: LocalPath }
  /**
   * Moves a local file to a path that must be free. `temporary`: the move only breaks a circle of
   * moves, and a later action of the plan moves the file to its planned path.
   */
  | ({ readonly kind: "move-local"; readonly id: DocId; readonly temporary: boolean } & LocalMove)
  /** Renames a document on the service: PATCH {name}. */
  | ({ readonly kind: "rename-remote"; readonly id: DocId } & RemoteMove)
  /**
   * Moves a document on the service: PATCH {parentId}. `parentId` is the id of the parent folder of
   * `to`; null for the root.
   */
  | ({ readonly kind: "reparent-remote"; readonly id: DocId } & RemoteMove)
  | ({ readonly kind: "relink" } & DocumentPaths)
  /**
   * Records a new protection or state, or a new change id with unchanged content. Changes neither
   * side. State `away`: the document is outside the linked part of the workspace, and has no local
   * file.
   */
  | {
      readonly kind: "note-facts";
      readonly id: DocId;
      readonly protected: boolean;
      readonly state: DocumentRecord["state"] | "away";
    }
  /**
   * Ends a conflict, because the user has decided about the version `baseChangeId` in the conflict
   * copy. The user deleted the copy (`mine`), moved the copy over the document (`theirs`), or gave
   * both files equal content (`equal`). A newer version `changeId` on the service is merged, or
   * shown in a new copy.
   */
  | ({
      readonly kind: "end-conflict";
      readonly how: "mine" | "theirs" | "equal";
      readonly baseChangeId: ChangeId;
      readonly changeId: ChangeId;
    } & ExpectedFile)
  /**
   * Records that a scan did not find the conflict copy. The conflict ends after a second such scan.
   */
  | { readonly kind: "look-again"; readonly id: DocId }
  /**
   * Downloads a version that appeared on the service during a conflict. If the version merges with
   * the local content, the conflict ends. Otherwise a new conflict copy shows the version, and the
   * earlier copy goes to the trash, unless the user edited it.
   */
  | ({ readonly kind: "renew-conflict"; readonly changeId: ChangeId } & ExpectedFile)
  /** Moves a conflict copy beside its moved document. `nth`: number of the copy, from 1. */
  | ({ readonly kind: "move-conflict-copy"; readonly id: DocId; readonly nth: number } & LocalMove)
  /**
   * Ends the conflict of a document that is missing on a side, and moves the conflict copy to the
   * trash.
   */
  | {
      readonly kind: "drop-conflict";
      readonly id: DocId;
      readonly newestCopyPath: LocalPath | null;
      /** True if another step restores the locally deleted file and ends the conflict. */
      readonly comesBack?: true;
    }
  /**
   * Downloads the new published version of a document with content in review, and merges that
   * version into the local file. A change in review that is part of the published version is no
   * longer in review. If the merge has a conflict, the conflict policy decides.
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
 * Returns id and path of the action's document or folder, for logs and reports. The id is null if
 * there is none. The path is the local path; for a move on the service, the new path on the
 * service; "" for an action with only an id.
 */
export function getSubject(action: Action): { readonly id: string | null; readonly path: LocalPath } {
  const subjectId = "id" in action ? action.id : "dirId" in action ? action.dirId : null;
  if ("localPath" in action) return { id: subjectId, path: action.localPath };
  return { id: subjectId, path: "to" in action ? action.to : "" };
}

/**
 * A step of a plan. `after`: indexes of the steps that must come first. Unless each of them ends as
 * `done` or `submitted`, this step is skipped.
 */
export type Step = { readonly action: Action; readonly after: readonly number[] };

export type OutcomeOf<Kind extends Outcome["kind"]> = Extract<Outcome, { kind: Kind }>;

/**
 * Result of an action. After `done` and `submitted`, base includes the result. Base may also change
 * after another result, if the action changed something else. For example, mdmirror restores and
 * records the file after a refused deletion.
 */
export type Outcome =
  | { readonly kind: "done" }
  /**
   * The content is in review. `isConflict`: true if the cause is a conflict with a published edit
   * that this client has not read yet.
   */
  | { readonly kind: "submitted"; readonly isConflict?: true }
  /**
   * The action did nothing, because a side no longer had the expected state. The next cycle plans
   * again. `isNotFound`: the service answered that the document or folder does not exist.
   */
  | { readonly kind: "stale"; readonly detail: string; readonly isNotFound?: true }
  /**
   * The service or the disk refused the action. `block` is stored, so that the same action is not
   * repeated.
   */
  | {
      readonly kind: "refused";
      readonly detail: string;
      readonly code: string;
      readonly requestId: string | null;
      readonly block: Block | null;
    }
  /**
   * It is unknown whether the change happened. The journal row stays until mdmirror has observed
   * the result.
   */
  | { readonly kind: "uncertain"; readonly detail: string; readonly requestId: string | null }
  /**
   * The change did not happen; a later cycle tries again. `unreachable`: true if the service did
   * not answer at all.
   */
  | {
      readonly kind: "later";
      /** Errno of the system, error code of the service, or a code of mdmirror. */
      readonly code: string;
      readonly detail: string;
      readonly unreachable: boolean;
      readonly requestId: string | null;
    };

type FolderAction =
  /**
   * Creates a local folder. `carries`: ids of locally deleted documents in this folder, whose
   * records get new paths below the folder.
   */
  | ({ readonly kind: "make-folder-local"; readonly carries: readonly DocId[] } & FolderPlace)
  | { readonly kind: "make-folder-remote"; readonly localPath: LocalPath; readonly remotePath: RemotePath }
  /**
   * Records the places of a folder that both sides have. Changes neither side. `carries`: ids of
   * the documents whose records get the folder's new path; null for all records below the folder.
   */
  | ({ readonly kind: "link-folder"; readonly carries: readonly DocId[] | null } & FolderPlace)
  | ({ readonly kind: "move-folder-local"; readonly dirId: DirId; readonly temporary: boolean } & LocalMove)
  | ({ readonly kind: "rename-folder-remote"; readonly dirId: DirId } & RemoteMove)
  | ({ readonly kind: "reparent-folder-remote"; readonly dirId: DirId } & RemoteMove)
  /**
   * Removes an empty local folder. Leftovers of editors and desktops in the folder, such as
   * `.DS_Store`, go to the trash first. With other content, the outcome is `stale`. `dirId`: id of
   * the folder's record, which is removed too; null if another folder has the record now.
   */
  | { readonly kind: "remove-folder-local"; readonly dirId: DirId | null; readonly localPath: LocalPath }
  | ({ readonly kind: "remove-folder-remote" } & FolderPlace)
  | { readonly kind: "forget-folder"; readonly dirId: DirId };
