import type { ChangeId, DocId } from "../../contract/ids.ts";
import type { Digest } from "../../contract/digest.ts";
import type { Link, ReviewTold, Stamp, Tombstone } from "./link.ts";
import type { LocalPath, RemotePath } from "../../contract/path.ts";

/**
 * How base moves. Each function takes a link and what an effect was seen to do, and returns the
 * link that both sides were seen to hold (I12). It is called after the effect, and stored in one
 * transaction with the end of its intent.
 */

/**
 * A version that both sides hold. `localDigest` differs from `digest` only where line ends, BOM or
 * final newline do.
 */
type BaseVersion = {
  readonly changeId: ChangeId;
  readonly digest: Digest;
  readonly localDigest: Digest;
  readonly stamp: Stamp | null;
  readonly stampTrusted: boolean;
  readonly durable: boolean;
};

/** The first link of a document: both sides were seen to hold this version at these places. */
export function newLink(
  id: DocId,
  localPath: LocalPath,
  remotePath: RemotePath,
  isProtected: boolean,
  version: BaseVersion,
): Link {
  return {
    id,
    localPath,
    remotePath,
    protected: isProtected,
    ...version,
    echoDigest: null,
    submissions: [],
    standing: "linked",
  };
}

/**
 * Both sides hold another version. This also settles what was in review, unless the version says
 * otherwise.
 */
export function moveBase(link: Link, version: BaseVersion): Link {
  return { ...link, ...version, echoDigest: null, submissions: [] };
}

/**
 * Local text now descends from a newer remote version, merged: the base moves to that version
 * although the local bytes differ from it, so that what is left to send is the local side's own
 * change. What is in review stays noted, and the merged text with it.
 */
export function moveBaseUnderEdit(link: Link, changeId: ChangeId, digest: Digest, stamp: Stamp | null): Link {
  return { ...link, changeId, digest, localDigest: digest, stamp, stampTrusted: false, echoDigest: null };
}

/** The same text under another change id (a deployment whose change id moves on a rename). */
export function renameVersion(link: Link, changeId: ChangeId): Link {
  return { ...link, changeId };
}

/**
 * A text was sent to review. Base stays; the file holds the text that was sent, or what its user
 * wrote since.
 * @param stamp the file's when it was read; null where that is not known
 * @param told what the service said of the review; nothing where its answer was lost
 */
export function submit(link: Link, digest: Digest, at: number, stamp: Stamp | null, told: ReviewTold = {}): Link {
  const others = link.submissions.filter((submission) => submission.digest !== digest);
  const submissions = [...others, { digest, baseChangeId: link.changeId, at, ...told }];
  // ORDER: the stamp is not trusted, because it belongs to another text than base's.
  return { ...link, ...(stamp === null ? {} : { stamp, stampTrusted: false, durable: true }), submissions };
}

/**
 * The service answered a PUT with the base's own text: it normalised the local text to that. The
 * local text is not sent again.
 */
export function noteEcho(link: Link, changeId: ChangeId, sent: Digest): Link {
  return { ...link, changeId, localDigest: sent, echoDigest: sent };
}

export function movePlace(
  link: Link,
  place: { readonly localPath?: LocalPath; readonly remotePath?: RemotePath },
): Link {
  return { ...link, ...place };
}

/** The document is gone from both sides; `trashPath`: where its local text was put, if it was. */
export function bury(link: Link, trashPath: string | null, at: number): Tombstone {
  const { id, localPath, remotePath, changeId, digest } = link;
  return { id, localPath, remotePath, changeId, digest, trashPath, at };
}
