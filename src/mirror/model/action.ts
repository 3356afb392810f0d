import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Block, DocumentPaths, DocumentRecord } from "./record.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * One effect on one side. The action contains the state that it expects; in any other state it does
 * nothing and ends as `stale`. `why` is a clause for users ("edited locally", "deleted on the
 * service"), shown by `plan`, `why` and the event log. An action on a document has its `id`, an
 * action on a folder a `dirId`.
 */
export type Action = { readonly why: string } & (DocumentAction | FolderAction);

export type ActionOf<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

type LocalMove = { readonly from: LocalPath; readonly to: LocalPath };

/** One PATCH. The paths are those before and after this single action. */
type RemoteMove = {
  /** Local path of the document or folder when the plan was made. */
  readonly lastLocalPath: LocalPath;
  readonly from: RemotePath;
  readonly to: RemotePath;
  readonly temporary: boolean;
};

/** A document as the service has it: its paths on both sides, and its version. */
type ListedDocument = DocumentPaths & { readonly changeId: ChangeId };

/** A document whose file must still have the content `expect`. */
type ExpectedFile = { readonly id: DocId; readonly localPath: LocalPath; readonly expect: Digest };

/** A folder, and its paths on both sides. */
type FolderPlace = { readonly dirId: DirId; readonly localPath: LocalPath; readonly remotePath: RemotePath };

type DocumentAction =
  // actions that change content
  /**
   * Downloads, then writes a file that must not exist yet. `comesBack`: an edit on the service won
   * against a local deletion.
   */
  | ({ readonly kind: "create-local"; readonly comesBack?: boolean } & ListedDocument)
  /** Downloads, then replaces the file, whose bytes must still be `expect`. */
  | ({ readonly kind: "write-local" } & TakesText)
  /**
   * Creates the document on the service; the file's bytes must still be `expect`. `tombstone`: the
   * deleted document that this action restores under a new id.
   */
  | {
      readonly kind: "create-remote";
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly expect: Digest;
      readonly tombstone: DocId | null;
    }
  /**
   * Sends the file's content by PUT on the base version. `review`: the document is protected, so a
   * 202 is expected. `empties`: the content is blank, and that of the base version is not.
   */
  | ({
      readonly kind: "put";
      readonly baseChangeId: ChangeId;
      readonly review: boolean;
      readonly empties?: true;
    } & ExpectedFile)
  /**
   * Both sides edited the document. Downloads and merges. If the merge is clean: writes the result
   * locally, then PUTs it on the remote change id. If not: opens or renews the conflict.
   */
  | ({ readonly kind: "merge"; readonly review: boolean } & TakesText)
  /**
   * Both sides have a new document at one path. Downloads it. If the contents are equal (except for
   * line ends, BOM, final newline), records the two as one. Otherwise the policy's `prefer`
   * decides, or a conflict without a base opens.
   */
  | ({ readonly kind: "meet"; readonly expect: Digest } & ListedDocument)
  // actions that create or remove a document on a side
  /**
   * Moves the file, whose bytes must still be `expect`, to the trash; the record becomes a
   * tombstone.
   */
  | ({ readonly kind: "trash-local"; readonly cause: "gone" | "outside" } & ExpectedFile)
  /**
   * Reads the document on the service again: its version and place must be as planned. Checks the
   * local path once more, then deletes the document on the service.
   */
  | ({ readonly kind: "delete-remote" } & ListedDocument)
  /** Absent on both sides: the record becomes a tombstone. */
  | { readonly kind: "forget"; readonly id: DocId; readonly localPath: LocalPath }
  // actions that move or rename a document
  /**
   * Moves a file to a path that must be free. `temporary`: `to` only breaks a circle of moves; a
   * later action of the plan moves the file on.
   */
  | ({ readonly kind: "move-local"; readonly id: DocId; readonly temporary: boolean } & LocalMove)
  /** Renames the document on the service: PATCH {name}. */
  | ({ readonly kind: "rename-remote"; readonly id: DocId } & RemoteMove)
  /**
   * Moves the document to another folder on the service: PATCH {parentId}. The folder is the parent
   * of `to` (the root is null in the request, if the deployment accepts that).
   */
  | ({ readonly kind: "reparent-remote"; readonly id: DocId } & RemoteMove)
  /** Both sides already have the document at these places: only the record changes. */
  | ({ readonly kind: "relink" } & DocumentPaths)
  /**
   * Something other than content and place changed (protection, state, or a change id without new
   * content): only the record changes. `away`: the document is outside the linked folder and has no
   * local file.
   */
  | {
      readonly kind: "note-facts";
      readonly id: DocId;
      readonly protected: boolean;
      readonly state: DocumentRecord["state"] | "away";
    }
  // actions that open, renew or end conflicts and reviews
  /**
   * The user rejected the version `baseChangeId`: its copy was deleted (`mine`), or moved over the
   * document (`theirs`). If the service has the later version `changeId`, mdmirror merges that
   * version or shows it in a copy.
   */
  | ({
      readonly kind: "end-conflict";
      readonly how: "mine" | "theirs" | "equal";
      readonly baseChangeId: ChangeId;
      readonly changeId: ChangeId;
    } & ExpectedFile)
  /** A scan found the conflict copy missing for the first time: the conflict counts this scan. */
  | { readonly kind: "look-again"; readonly id: DocId }
  /**
   * The document changed on the service during a conflict. Downloads the new version. If both edits
   * merge now, merges them; otherwise shows the version in a copy of its own. The earlier copy goes
   * to the trash unless the user edited that copy.
   */
  | ({ readonly kind: "renew-conflict"; readonly changeId: ChangeId } & ExpectedFile)
  /**
   * Renames a conflict copy because its document was renamed. The copy shows version `nth` of the
   * conflict.
   */
  | ({ readonly kind: "move-conflict-copy"; readonly id: DocId; readonly nth: number } & LocalMove)
  /**
   * The document is gone from one side or from both: its conflict copy goes to the trash, and the
   * conflict ends.
   */
  | {
      readonly kind: "drop-conflict";
      readonly id: DocId;
      readonly newestCopyPath: LocalPath | null;
      /**
       * The document was deleted locally, and another step restores the service's content. The
       * conflict ends with that step.
       */
      readonly comesBack?: true;
    }
  /**
   * A protected document has content in review, and new published content. Downloads the published
   * content. If merge(base, local, published) is the published content, the review is over;
   * otherwise merges the published content into the local one.
   */
  | ({ readonly kind: "settle-review" } & TakesText);

/** Fields of an action that writes content of the service to a file. */
type TakesText = ExpectedFile & {
  readonly changeId: ChangeId;
  /**
   * True if the service's content is blank and the base version is not. Undefined if the content
   * was not read for the plan.
   */
  readonly empties?: boolean;
};

export type ActionKind = Action["kind"];

/** Returns the document or folder of an action, for logs and reports. */
export function subjectOf(action: Action): { readonly id: string | null; readonly path: LocalPath } {
  const id = "id" in action ? action.id : "dirId" in action ? action.dirId : null;
  if ("localPath" in action) return { id, path: action.localPath };
  return { id, path: "to" in action ? action.to : "" };
}

/**
 * One step of a plan. `after`: indexes of steps that must end `done` or `submitted`; otherwise this
 * step is skipped.
 */
export type Step = { readonly action: Action; readonly after: readonly number[] };

export type OutcomeOf<Kind extends Outcome["kind"]> = Extract<Outcome, { kind: Kind }>;

/** Result of an action. Only `done` and `submitted` move base. */
export type Outcome =
  /** The effect was observed. */
  | { readonly kind: "done" }
  /**
   * The content is in review. `isConflict`: the reason is another published edit, which this client
   * has not read yet.
   */
  | { readonly kind: "submitted"; readonly isConflict?: true }
  /**
   * The trees differed from those in the plan. The next cycle scans again. `isNotFound`: the
   * service answered that it does not have the target.
   */
  | { readonly kind: "stale"; readonly detail: string; readonly isNotFound?: true }
  /**
   * The service or the disk refused the action. `block`: the block that is remembered, so that the
   * same request is not sent again.
   */
  | {
      readonly kind: "refused";
      readonly detail: string;
      readonly code: string;
      readonly requestId: string | null;
      readonly block: Block | null;
    }
  /**
   * The effect may have happened. The journal row stays open until an observation shows the result.
   */
  | { readonly kind: "uncertain"; readonly detail: string; readonly requestId: string | null }
  /**
   * No effect happened; a later cycle tries again. `unreachable`: the service as a whole did not
   * answer.
   */
  | {
      readonly kind: "later";
      /** Errno of the system, code of the service, or the cause of a fault that has neither. */
      readonly code: string;
      readonly detail: string;
      readonly unreachable: boolean;
      readonly requestId: string | null;
    };

type FolderAction =
  /**
   * `carries`: documents that stay deleted locally, and whose records get the folder's new path.
   */
  | ({ readonly kind: "make-folder-local"; readonly carries: readonly DocId[] } & FolderPlace)
  | { readonly kind: "make-folder-remote"; readonly localPath: LocalPath; readonly remotePath: RemotePath }
  /**
   * Both sides have the folder at these places, and base has it at another place or not at all.
   * `carries`: documents below the folder whose records get the new path together with the folder;
   * null for all. Each other record has a step of its own.
   */
  | ({ readonly kind: "link-folder"; readonly carries: readonly DocId[] | null } & FolderPlace)
  /** Moves the folder with everything below it. `to` must be free. */
  | ({ readonly kind: "move-folder-local"; readonly dirId: DirId; readonly temporary: boolean } & LocalMove)
  | ({ readonly kind: "rename-folder-remote"; readonly dirId: DirId } & RemoteMove)
  | ({ readonly kind: "reparent-folder-remote"; readonly dirId: DirId } & RemoteMove)
  /**
   * Removes an empty folder; ignored leftovers inside go to the trash first. If the folder is not
   * empty, the outcome is `stale`. `dirId`: id of the record that is removed too; null if the
   * record now belongs to another folder.
   */
  | { readonly kind: "remove-folder-local"; readonly dirId: DirId | null; readonly localPath: LocalPath }
  | ({ readonly kind: "remove-folder-remote" } & FolderPlace)
  | { readonly kind: "forget-folder"; readonly dirId: DirId };
