import type { ChangeId, DocId } from "../contract/ids.ts";
import type { Digest } from "./digest.ts";
import type { FolderAction } from "./folder-action.ts";
import type { Hold } from "./link.ts";
import type { LocalPath, RemotePath } from "./path.ts";

/**
 * One effect on one side, with what it expects to find; found otherwise, its outcome is `stale` and
 * nothing is done. `why` is a clause for people ("edited here", "deleted on the service"): what
 * `plan`, `why` and the event log show. `id` of an action is a document's, `dirId` a folder's.
 */
export type Action = { readonly why: string } & (DocumentAction | FolderAction);

/** The actions of one kind. */
export type ActionOf<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

type DocumentAction =
  // content
  /**
   * GET, then write a file that must not exist yet. Also "comes back": a deletion here that lost
   * against an edit there.
   */
  | {
      readonly kind: "create-local";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly changeId: ChangeId;
    }
  /** GET, then replace the file, whose bytes must still be `expect`. */
  | {
      readonly kind: "write-local";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly changeId: ChangeId;
      readonly expect: Digest;
    }
  /**
   * POST; the file's bytes must still be `expect`. `tombstone`: the gone document that this one
   * brings back as a new one.
   */
  | {
      readonly kind: "create-remote";
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly expect: Digest;
      readonly tombstone: DocId | null;
    }
  /** PUT on the base version. `review`: the document is protected, a 202 is foreseen. */
  | {
      readonly kind: "put";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly baseChangeId: ChangeId;
      readonly expect: Digest;
      readonly review: boolean;
    }
  /**
   * Both edited: GET, merge; clean: write local, PUT on the remote's change id; else open or renew
   * the conflict.
   */
  | {
      readonly kind: "merge";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly changeId: ChangeId;
      readonly expect: Digest;
      readonly review: boolean;
    }
  /**
   * Both new at one path: GET; equal (also but for line ends, BOM, final newline): link; else
   * `prefer` decides, else a conflict with an empty base.
   */
  | {
      readonly kind: "meet";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly changeId: ChangeId;
      readonly expect: Digest;
    }
  // presence
  /**
   * Move the file, whose bytes must still be `expect`, to the trash; the link becomes a tombstone.
   */
  | {
      readonly kind: "trash-local";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly expect: Digest;
      readonly cause: "gone" | "outside";
    }
  /** Look at the local path again, GET (change id must still be `changeId`), DELETE. */
  | {
      readonly kind: "delete-remote";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly changeId: ChangeId;
    }
  /** Absent on both sides: the link becomes a tombstone. */
  | { readonly kind: "forget"; readonly id: DocId; readonly localPath: LocalPath }
  // place
  /**
   * Move a file to a path that must be free. `temporary`: `to` only breaks a cycle; a later action
   * of the plan moves it on.
   */
  | {
      readonly kind: "move-local";
      readonly id: DocId;
      readonly from: LocalPath;
      readonly to: LocalPath;
      readonly temporary: boolean;
    }
  /** PATCH {name}. Paths are those before and after this one action. */
  | {
      readonly kind: "rename-remote";
      readonly id: DocId;
      /** Where its file was on disk when the plan was made. */
      readonly stands: LocalPath;
      readonly from: RemotePath;
      readonly to: RemotePath;
      readonly temporary: boolean;
    }
  /**
   * PATCH {parentId}; the folder is the parent of `to` (the root: null on the wire, where the
   * deployment takes it).
   */
  | {
      readonly kind: "reparent-remote";
      readonly id: DocId;
      /** Where its file was on disk when the plan was made. */
      readonly stands: LocalPath;
      readonly from: RemotePath;
      readonly to: RemotePath;
      readonly temporary: boolean;
    }
  /** Both sides already hold it at these places: the link learns so. No effect on either side. */
  | { readonly kind: "relink"; readonly id: DocId; readonly localPath: LocalPath; readonly remotePath: RemotePath }
  /**
   * Facts other than text and place moved (protected, standing, change id without a new text): the
   * link learns so.
   */
  | {
      readonly kind: "note-facts";
      readonly id: DocId;
      readonly protected: boolean;
      readonly standing: "linked" | "outside" | "suspended";
    }
  // conflicts and reviews
  /** The sidecar is gone in two looks: mine; PUT on the version shown. */
  | {
      readonly kind: "end-conflict";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly how: "mine" | "theirs" | "equal";
      readonly expect: Digest;
      readonly baseChangeId: ChangeId;
    }
  /** The sidecar was found gone once: count the look. */
  | { readonly kind: "look-again"; readonly id: DocId }
  /**
   * The remote moved on during a conflict: GET; merges cleanly now: do so; else replace the sidecar
   * unless the user edited it.
   */
  | {
      readonly kind: "renew-conflict";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly changeId: ChangeId;
      readonly expect: Digest;
    }
  /** The document was renamed: its sidecar follows. */
  | { readonly kind: "move-sidecar"; readonly id: DocId; readonly from: LocalPath; readonly to: LocalPath }
  /** The document went: its sidecar goes to the trash, and the record ends. */
  | {
      readonly kind: "drop-conflict";
      readonly id: DocId;
      readonly sidecarPath: LocalPath | null;
      /**
       * Deleted here: the service's text comes back by a step of its own, and the record ends with
       * that one.
       */
      readonly comesBack?: true;
    }
  /**
   * A protected document with text in review: GET the new live text; merge(base, local, live) =
   * live: settled; else merge it under the local text.
   */
  | {
      readonly kind: "settle-review";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly changeId: ChangeId;
      readonly expect: Digest;
    };

export type ActionKind = Action["kind"];

/**
 * One step of a plan: `after` are indexes of steps that must have ended `done` or `submitted`, else
 * this one is skipped.
 */
export type Step = { readonly action: Action; readonly after: readonly number[] };

/** How an action ended. Only `done` and `submitted` move base. */
export type Outcome =
  | { readonly kind: "done" }
  /** In review. `met`: for it met another edit, which is live by now and not seen here yet. */
  | { readonly kind: "submitted"; readonly met?: true }
  /** The world was not as the plan saw it; the next pass sees it anew. */
  | { readonly kind: "stale"; readonly detail: string }
  /** A definite no. `hold`: what to remember so that it is not sent unchanged again. */
  | {
      readonly kind: "refused";
      readonly detail: string;
      readonly code: string;
      readonly requestId: string | null;
      readonly hold: Hold | null;
    }
  /** It may have happened: the intent stays, to be settled by reading. */
  | { readonly kind: "uncertain"; readonly detail: string; readonly requestId: string | null }
  /**
   * Nothing happened; try in a later pass. `unreachable`: the service as a whole did not answer.
   */
  | {
      readonly kind: "later";
      /** The system's errno, the service's code, or the cause of a fault without either. */
      readonly code: string;
      readonly detail: string;
      readonly unreachable: boolean;
      readonly requestId: string | null;
    };
