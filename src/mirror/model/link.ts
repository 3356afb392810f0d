import type { ChangeId, DirId, DocId } from "../../contract/ids.ts";
import type { ReviewReason } from "../../contract/resources.ts";
import type { Digest } from "../../contract/digest.ts";
import type { HoldReason } from "./hold.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/** The rows of the state file: what both sides were last seen to hold. */

/**
 * What `lstat` says of a file, kept to save a re-hash and as evidence of identity. Times in
 * milliseconds with fraction, as the file system gives them: compared for equality only (I29),
 * never with a clock. `birthMs` is 0 where the disk has none.
 */
export type Stamp = {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly birthMs: number;
  readonly nlink: number;
};

/**
 * Whether two looks saw the same file. Systems use an inode again at once after a deletion, so the
 * birth time must match too.
 */
export function sameInodeAndBirth(a: Stamp, b: Stamp): boolean {
  return a.ino === b.ino && a.dev === b.dev && a.birthMs === b.birthMs;
}

/**
 * What the service said when it took a text into review: the change's id, and why it is in review.
 * A member that it did not say is left out.
 */
export type ReviewTold = { readonly changeId?: ChangeId; readonly reason?: ReviewReason };

/**
 * A text sent to review (202): it is not sent again until the user changes it. `at`: milliseconds
 * since the epoch.
 */
export type Submission = { readonly digest: Digest; readonly baseChangeId: ChangeId; readonly at: number } & ReviewTold;

/** One linked document: an id, its two places and the version that both sides were seen to hold. */
export type Link = {
  readonly id: DocId;
  readonly localPath: LocalPath;
  readonly remotePath: RemotePath;
  /**
   * The base version: the next PUT's `baseChangeId`, whose text is `digest` in the text store
   * (I07).
   */
  readonly changeId: ChangeId;
  /** The base text as the service holds it. */
  readonly digest: Digest;
  /**
   * The digest of the local file's bytes at that base; it differs from `digest` where only line
   * ends, BOM or final newline differ.
   */
  readonly localDigest: Digest;
  /** null until the local file was seen (a row written before its effect was verified). */
  readonly stamp: Stamp | null;
  /**
   * False while the stamp is as young as the look that took it (racy, as in git's index): then it
   * does not save the re-hash.
   */
  readonly stampTrusted: boolean;
  readonly protected: boolean;
  /** False until the file's bytes are known to survive power loss. */
  readonly durable: boolean;
  /**
   * A local text to which a PUT answered with the base's own text (a service that normalises): it
   * is not sent again on this base.
   */
  readonly echoDigest: Digest | null;
  readonly submissions: readonly Submission[];
  /**
   * `outside`: moved out of the mirrored subtree; `suspended`: newly ignored. Both: nothing is
   * sent, written or deleted.
   */
  readonly standing: "linked" | "outside" | "suspended";
};

/** Where a linked document is. */
export type Placed = Pick<Link, "id" | "localPath" | "remotePath">;

/**
 * Whether a document was moved out of the mirrored subtree and its text is in the trash: a file at
 * its old path is another document's, or new.
 */
export function isAway({ standing, stamp }: Link): boolean {
  return standing === "outside" && stamp === null;
}

/**
 * Links by the local path that each has. A document that is away has none: another may have its old
 * path.
 */
export function linksByPath(links: Iterable<Link>): Map<LocalPath, Link> {
  const byPath = new Map<LocalPath, Link>();
  for (const link of links) if (!isAway(link)) byPath.set(link.localPath, link);
  return byPath;
}

/** One linked folder: presence and place only. */
export type DirLink = {
  readonly id: DirId;
  readonly localPath: LocalPath;
  readonly remotePath: RemotePath;
  /** Inode and birth time of the local folder: evidence of a rename. */
  readonly dev: number;
  readonly ino: number;
  readonly birthMs: number;
};

/**
 * A document that is no longer on the service. If its id is seen again, the tombstone is removed.
 */
export type Tombstone = {
  readonly id: DocId;
  readonly localPath: LocalPath;
  readonly remotePath: RemotePath;
  readonly changeId: ChangeId;
  readonly digest: Digest;
  /** Path below `.mdmirror/`, or null when no local text was moved there. */
  readonly trashPath: string | null;
  readonly at: number;
};

/**
 * A version of the service's text that a conflict copy shows or has shown. The name of that copy
 * belongs to this version alone: it is numbered by the version's place in `Conflict.shown`.
 */
export type ShownVersion = {
  readonly changeId: ChangeId;
  readonly digest: Digest;
  /**
   * The inode and device of its copy; 0: no copy of it is known to be in the folder. Of an earlier
   * version only a copy that its user edited is left there.
   */
  readonly ino: number;
  readonly dev: number;
};

/** The one open conflict of a document (I27). */
export type Conflict = {
  readonly id: DocId;
  /**
   * The text from which both sides started, or the version over which the user has since chosen
   * the local text; null when both were new at one path.
   */
  readonly baseDigest: Digest | null;
  readonly baseChangeId: ChangeId | null;
  /** Where the copy of the newest version is. */
  readonly sidecarPath: LocalPath;
  /** Oldest first, never empty. */
  readonly shown: readonly ShownVersion[];
  /** How many looks in a row found the newest copy gone while the document was there. */
  readonly looksGone: number;
  readonly since: number;
};

/** The version that the conflict's copy shows. */
export function newestShown({ shown }: Pick<Conflict, "shown">): ShownVersion {
  return shown.at(-1)!;
}

/**
 * Whether the newest copy is known to be in the folder. If not, the mirror itself took it away or
 * could not finish writing it: its absence is then no choice of the user.
 */
export function hasCopy(conflict: Pick<Conflict, "shown">): boolean {
  return newestShown(conflict).ino !== 0;
}

/** The conflict once the mirror itself takes its newest copy away. */
export function withoutCopy(conflict: Conflict): Conflict {
  return {
    ...conflict,
    looksGone: 0,
    shown: [...conflict.shown.slice(0, -1), { ...newestShown(conflict), ino: 0, dev: 0 }],
  };
}

/**
 * A document or folder that is left alone on purpose. `key` is its id, or the local path where it
 * has none.
 */
export type Hold = {
  readonly key: string;
  readonly path: LocalPath;
  readonly reason: HoldReason;
  /** The service's code or the system's errno, where one was the cause. */
  readonly code: string | null;
  readonly detail: string;
  readonly requestId: string | null;
  /** The text the hold is about: another text ends it. null where the hold is not about a text. */
  readonly digest: Digest | null;
  /** The remote version the hold is about: another version ends it. */
  readonly changeId: ChangeId | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
};
