import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { FolderAction } from "./folder-action.ts";
import type { Hold, Link } from "./link.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * One effect on one side. It says what it expects to find: if it finds something else, it does
 * nothing and ends as `stale`. `why` is a clause for people ("edited locally", "deleted on the
 * service"), shown by `plan`, `why` and the event log. An action on a document has its `id`, one on
 * a folder a `dirId`.
 */
export type Action = { readonly why: string } & (DocumentAction | FolderAction);

/** The actions of one kind. */
export type ActionOf<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;

type LocalMove = { readonly from: LocalPath; readonly to: LocalPath };

type DocumentAction =
  // content
  /**
   * Download, then write a file that must not exist yet. `comesBack`: a deletion here lost against
   * an edit there.
   */
  | {
      readonly kind: "create-local";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly changeId: ChangeId;
      readonly comesBack?: boolean;
    }
  /** Download, then replace the file, whose bytes must still be `expect`. */
  | ({ readonly kind: "write-local" } & TakesText)
  /**
   * Create on the service; the file's bytes must still be `expect`. `tombstone`: the deleted
   * document that this one brings back under a new id.
   */
  | {
      readonly kind: "create-remote";
      readonly localPath: LocalPath;
      readonly remotePath: RemotePath;
      readonly expect: Digest;
      readonly tombstone: DocId | null;
    }
  /**
   * PUT on the base version. `review`: the document is protected, so a 202 is expected. `empties`:
   * the text is blank, and that of the base version is not.
   */
  | {
      readonly kind: "put";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly baseChangeId: ChangeId;
      readonly expect: Digest;
      readonly review: boolean;
      readonly empties?: true;
    }
  /**
   * Both sides edited it. Download and merge; if clean: write the result here, then PUT it on the
   * remote's change id; if not: open or renew the conflict.
   */
  | ({ readonly kind: "merge"; readonly review: boolean } & TakesText)
  /**
   * Both sides have a new document at one path. Download; if the texts are equal (also but for line
   * ends, BOM, final newline): link them; else `prefer` decides; else it is a conflict with an
   * empty base.
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
  /**
   * Look at the local path once more, GET (the change id must still be `changeId`), then DELETE.
   */
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
  | ({ readonly kind: "move-local"; readonly id: DocId; readonly temporary: boolean } & LocalMove)
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
  /** Both sides have it at these places already: only the link is changed. */
  | { readonly kind: "relink"; readonly id: DocId; readonly localPath: LocalPath; readonly remotePath: RemotePath }
  /**
   * Something other than text and place changed (protected, standing, change id without a new
   * text): only the link is changed. `away`: outside, and without a local file.
   */
  | {
      readonly kind: "note-facts";
      readonly id: DocId;
      readonly protected: boolean;
      readonly standing: Link["standing"] | "away";
    }
  // conflicts and reviews
  /**
   * The user chose over the version `baseChangeId`: its copy is gone (`mine`), or was moved over
   * the document (`theirs`). If the service has moved on to `changeId`, that is merged, or shown.
   */
  | {
      readonly kind: "end-conflict";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly how: "mine" | "theirs" | "equal";
      readonly expect: Digest;
      readonly baseChangeId: ChangeId;
      readonly changeId: ChangeId;
    }
  /** The sidecar was found missing for the first time: note the look. */
  | { readonly kind: "look-again"; readonly id: DocId }
  /**
   * The document changed on the service during a conflict. Download; if it merges now: do so; else
   * show it in a copy of its own; the copy before goes, unless the user edited it.
   */
  | {
      readonly kind: "renew-conflict";
      readonly id: DocId;
      readonly localPath: LocalPath;
      readonly changeId: ChangeId;
      readonly expect: Digest;
    }
  /** The document was renamed: the copy of its conflict's `nth` version follows. */
  | ({ readonly kind: "move-conflict-copy"; readonly id: DocId; readonly nth: number } & LocalMove)
  /** The document is gone: its sidecar goes to the trash, and the conflict is closed. */
  | {
      readonly kind: "drop-conflict";
      readonly id: DocId;
      readonly sidecarPath: LocalPath | null;
      /**
       * The document was deleted locally, and another step brings the service's text back: the
       * conflict is closed with that one.
       */
      readonly comesBack?: true;
    }
  /**
   * A protected document with text in review has a new live text. Download it; if merge(base,
   * local, live) is the live text, the review is settled; else the live text is merged under the
   * local one.
   */
  | ({ readonly kind: "settle-review" } & TakesText);

/** The members of an action that writes content of the service to a file. */
type TakesText = {
  readonly id: DocId;
  readonly localPath: LocalPath;
  readonly changeId: ChangeId;
  readonly expect: Digest;
  /**
   * Whether that text is blank, and the base version's is not. Not set: it was not read for the
   * plan.
   */
  readonly empties?: boolean;
};

export type ActionKind = Action["kind"];

/**
 * One step of a plan: `after` are indexes of steps that must have ended `done` or `submitted`, else
 * this one is skipped.
 */
export type Step = { readonly action: Action; readonly after: readonly number[] };

/** The outcomes of these kinds. */
export type OutcomeOf<Kind extends Outcome["kind"]> = Extract<Outcome, { kind: Kind }>;

/** How an action ended. Only `done` and `submitted` move base. */
export type Outcome =
  /** It was seen to have happened. */
  | { readonly kind: "done" }
  /**
   * The text is in review. `met`: because another edit is live by now, which this side has not seen
   * yet.
   */
  | { readonly kind: "submitted"; readonly met?: true }
  /** The trees were not as the plan saw them; the next pass looks anew. */
  | { readonly kind: "stale"; readonly detail: string }
  /**
   * The service or the disk refused. `hold`: what is remembered, so that the same is not sent
   * again.
   */
  | {
      readonly kind: "refused";
      readonly detail: string;
      readonly code: string;
      readonly requestId: string | null;
      readonly hold: Hold | null;
    }
  /** It may have happened. The intent stays open until a look tells. */
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
