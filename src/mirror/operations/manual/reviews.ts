import type { ChangeId } from "../../../contract/ids.ts";
import type { ReviewReason } from "../../../contract/resources.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { Conflict, Hold, Link, Submission } from "../../model/link.ts";
import { ancestorsOf, type LocalPath } from "../../../contract/path.ts";
import type { World } from "../../engine/run/world.ts";
import { asOnDisk } from "../history/as-on-disk.ts";
import { byPath } from "../../model/by-path.ts";

/** What waits in review, as far as the state knows: no network, no look at the files. */

export type WaitingReview = {
  /** Where its document is here, or last was. */
  readonly path: LocalPath;
  /** The change in review; null: the service did not name it, or somebody else sent it. */
  readonly changeId: ChangeId | null;
  /** null: the service did not say. */
  readonly reason: ReviewReason | null;
  /** When it was first known to wait, in milliseconds since the epoch. */
  readonly since: number;
  /** The live version as it was last seen. */
  readonly liveChangeId: ChangeId;
  /**
   * The live text as last seen, and what was sent, as on disk; null: not kept, or not sent from
   * here.
   */
  readonly live: string | null;
  readonly submitted: string | null;
  /**
   * What cannot be deleted before the review is decided: its document, and the folders around it.
   */
  readonly blocks: readonly LocalPath[];
  /** Its document was deleted locally, and that deletion waits for the review. */
  readonly deletionWaits: boolean;
};

/** Sorted by path; of one document the oldest first. */
export function listReviews({ state, disk }: Pick<World, "state" | "disk">): WaitingReview[] {
  const { links, conflicts, holds } = state.load();
  const found = [...links.values()].flatMap((link) => {
    const hold = holds.get(link.id);
    const pinned = hold?.reason === "delete-pending" ? hold : null;
    return reviewsOf(asOnDisk({ state, disk }, link.localPath), link, conflicts.get(link.id) ?? null, pinned);
  });
  return found.toSorted((a, b) => byPath(a, b) || a.since - b.since);
}

function reviewsOf(
  texts: Pick<World["state"], "text">,
  link: Link,
  conflict: Conflict | null,
  pinned: Hold | null,
): readonly WaitingReview[] {
  const shown = conflict?.shown.at(-1) ?? link;
  const common = {
    path: link.localPath,
    liveChangeId: shown.changeId,
    live: texts.text(shown.digest),
    blocks: [
      link.localPath,
      ...ancestorsOf(link.localPath)
        .toReversed()
        .map((folder) => `${folder}/`),
    ],
    deletionWaits: pinned !== null,
  };
  const known = asSent(link.submissions).map(({ changeId = null, reason = null, at, digest }): WaitingReview => {
    return { ...common, changeId, reason, since: at, submitted: texts.text(digest) };
  });
  if (known.length > 0 || pinned === null) return known;
  return [{ ...common, changeId: null, reason: null, since: pinned.since, submitted: null }];
}

/**
 * Leaves out our own merges that count as sent with a submission: the first of each is the text
 * that was sent.
 */
function asSent(submissions: readonly Submission[]): readonly Submission[] {
  const first = new Map<ChangeId | Digest | number, Submission>();
  for (const one of submissions) {
    const key = one.changeId ?? one.at;
    if (!first.has(key)) first.set(key, one);
  }
  return [...first.values()];
}
