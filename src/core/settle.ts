import type { ChangeId, DirId, DocId } from "../contract/ids.ts";
import type { Digest } from "./digest.ts";
import type { Conflict, DirLink, Link, ShownVersion, Stamp, Submission, Tombstone } from "./link.ts";
import type { LocalPath, RemotePath } from "./path.ts";

/**
 * How base moves: after an effect that was seen to hold on both sides (I12), and by these functions alone. Each takes the row as
 * it was and what the effect found, and gives the row to store.
 */

/** Where a document was seen to stand on both sides. */
export type Places = { readonly localPath: LocalPath; readonly remotePath: RemotePath };

/** A version that both sides were seen to hold. `localDigest`: the bytes on disk, where they differ in form only. */
export type HeldVersion = {
  readonly changeId: ChangeId;
  readonly digest: Digest;
  readonly localDigest: Digest;
  readonly stamp: Stamp | null;
  readonly stampTrusted: boolean;
  readonly durable: boolean;
};

/** A first link: after `create-local`, `create-remote`, or a `meet` of equal texts. */
export function newLink(id: DocId, places: Places, version: HeldVersion, isProtected: boolean): Link {
  return { id, ...places, ...version, protected: isProtected, echoDigest: null, submissions: [], standing: "linked" };
}

/** After `write-local`, `put`, `merge`, `settle-review` and `end-conflict`: what was submitted or echoed on the old base is over. */
export function withVersion(link: Link, version: HeldVersion): Link {
  return { ...link, ...version, echoDigest: null, submissions: [], standing: "linked" };
}

/** After a 202: base stays; the text is not sent again until it changes. */
export function withSubmission(link: Link, submission: Submission): Link {
  const others = link.submissions.filter(({ digest }) => digest !== submission.digest);
  return { ...link, submissions: [...others, submission] };
}

/**
 * A new live version was merged under local text that is still in review: base moves to the live version, the merged text counts
 * as submitted.
 */
export function withReviewGoingOn(link: Link, version: HeldVersion, submission: Submission): Link {
  const { localDigest: _, ...base } = version;
  return { ...withSubmission(link, submission), ...base, localDigest: version.digest, echoDigest: null };
}

/** After a PUT whose saved text is the base's own (a service that normalises): this local text is not sent again on this base. */
export function withEcho(link: Link, changeId: ChangeId, localDigest: Digest): Link {
  return { ...link, changeId, echoDigest: localDigest };
}

/** After `rename-remote`, `reparent-remote` (remote), `move-local` (local) and `relink` (both). A temporary place is a place too. */
export function withPlaces(link: Link, places: Partial<Places>): Link {
  return { ...link, ...places };
}

/** After `note-facts`. */
export function withFacts(link: Link, facts: Pick<Link, "protected" | "standing">): Link {
  return { ...link, ...facts };
}

/** The file was looked at and is as linked: a newer stamp saves the next re-hash. No decision depends on it. */
export function withStamp(link: Link, stamp: Stamp, stampTrusted: boolean): Link {
  return { ...link, stamp, stampTrusted };
}

/** After `delete-remote`, `trash-local`, `forget`, and for the old id after a `create-remote` that names it as its tombstone. */
export function tombstoneOf(link: Link, trashPath: string | null, at: number): Tombstone {
  const { id, localPath, remotePath, changeId, digest } = link;
  return { id, localPath, remotePath, changeId, digest, trashPath, at };
}

/** After `make-folder-local`, `make-folder-remote` and `link-folder`. */
export function dirLinkOf(
  id: DirId,
  places: Places,
  folder: { readonly dev: number; readonly ino: number; readonly birthMs: number },
): DirLink {
  const { dev, ino, birthMs } = folder;
  return { id, ...places, dev, ino, birthMs };
}

/**
 * After a `meet` whose texts differ: the remote version is taken as base, so that the local text counts as an edit of it and nothing is lost
 * sight of; the conflict that is opened with it keeps it from being sent.
 */
export function linkInConflict(
  id: DocId,
  places: Places,
  shown: ShownVersion,
  stamp: Stamp,
  isProtected: boolean,
): Link {
  const version = { changeId: shown.changeId, digest: shown.digest, localDigest: shown.digest };
  return newLink(id, places, { ...version, stamp, stampTrusted: false, durable: true }, isProtected);
}

export type Sidecar = { readonly path: LocalPath; readonly ino: number; readonly dev: number };

/** `base` null: both were new at one path. */
export function openConflict(
  id: DocId,
  base: { readonly digest: Digest; readonly changeId: ChangeId } | null,
  sidecar: Sidecar,
  shown: ShownVersion,
): Conflict {
  return {
    id,
    baseDigest: base?.digest ?? null,
    baseChangeId: base?.changeId ?? null,
    sidecarPath: sidecar.path,
    sidecarIno: sidecar.ino,
    sidecarDev: sidecar.dev,
    shown: [shown],
    looksGone: 0,
    since: shown.at,
  };
}

/** After `renew-conflict` that ended in a conflict again. `sidecar` null: the user edited it, and it was left. */
export function withShown(conflict: Conflict, shown: ShownVersion, sidecar: Sidecar | null): Conflict {
  const now = sidecar === null ? {} : { sidecarPath: sidecar.path, sidecarIno: sidecar.ino, sidecarDev: sidecar.dev };
  return { ...conflict, ...now, shown: [...conflict.shown, shown], looksGone: 0 };
}

/** After `look-again`: `true`; when a look found the sidecar there: `false`. */
export function withLook(conflict: Conflict, gone: boolean): Conflict {
  return { ...conflict, looksGone: gone ? conflict.looksGone + 1 : 0 };
}

/** After `move-sidecar`. */
export function withSidecarAt(conflict: Conflict, sidecarPath: LocalPath): Conflict {
  return { ...conflict, sidecarPath };
}
