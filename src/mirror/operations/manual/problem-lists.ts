/** Lists the open problems and the changes in review. Reads only the state file. */

import { makeBlockProblem } from "../../engine/run/report.ts";
import type { World } from "../../engine/run/world.ts";
import { makeLocalLookup, type StateAndDisk } from "../history/lookup.ts";
import { ok } from "../../../common/trouble.ts";
import { compareByPath } from "../../model/by-path.ts";
import { CONFLICTS, REVIEWS } from "../declared/reads.ts";
import { needsDecision } from "./problem.ts";
import { findNextStep } from "../results/attention.ts";
import type { Answer } from "../define.ts";
import { defineLocalRead } from "../run-operation.ts";
import type { Block, Conflict, DocumentRecord, Submission } from "../../model/record.ts";
import { ancestorsOf } from "../../../contract/path.ts";
import { countLines } from "../../../markdown/merge/line-diff.ts";

type ConflictList = Answer<typeof CONFLICTS>;

function listConflicts({ state, disk }: StateAndDisk): ConflictList {
  const base = state.load();
  const conflicts = [...base.conflicts.values()].map((conflict): ConflictList["conflicts"][number] => {
    const path = base.records.get(conflict.id)?.localPath ?? conflict.newestCopyPath;
    const atPath = disk.look(path);
    const serviceText = makeLocalLookup({ state, disk }, path).text(conflict.shown.at(-1)!.digest);
    return {
      path,
      conflictCopy: conflict.newestCopyPath,
      since: conflict.since,
      mine: atPath.kind === "file" ? atPath.stamp.size : null,
      theirs: serviceText === null ? null : Buffer.byteLength(serviceText),
      inReview: base.blocks.get(conflict.id)?.reason === "review-conflict",
      renewed: conflict.shown.length - 1,
    };
  });
  const blockedRows = [...base.blocks.values()].filter(needsDecision).map((block): ConflictList["blocked"][number] => {
    const openBlock = makeBlockProblem(block);
    const { refused: _refused, ...shown } = openBlock;
    return { ...shown, next: findNextStep(openBlock), since: block.since };
  });
  return { conflicts: conflicts.toSorted(compareByPath), blocked: blockedRows.toSorted(compareByPath) };
}

export const conflicts = defineLocalRead(CONFLICTS, (mirror) => ok(listConflicts(mirror)));

export type PendingReview = Omit<Answer<typeof REVIEWS>["reviews"][number], "lines">;

export const reviews = defineLocalRead(REVIEWS, (mirror) => {
  const listedReviews = listReviews(mirror).map((review) => {
    const { live, submitted } = review;
    return { ...review, lines: live === null || submitted === null ? null : countLines(live, submitted) };
  });
  return ok({ reviews: listedReviews });
});

/** Returns the changes, ordered by path and, for one document, from the oldest to the newest. */
export function listReviews({ state, disk }: StateAndDisk): PendingReview[] {
  const { records, conflicts, blocks } = state.load();
  const allReviews = [...records.values()].flatMap((record) => {
    const block = blocks.get(record.id);
    const deletion = block?.reason === "delete-pending" ? block : null;
    return listDocumentReviews(
      makeLocalLookup({ state, disk }, record.localPath),
      record,
      conflicts.get(record.id) ?? null,
      deletion,
    );
  });
  return allReviews.toSorted((a, b) => compareByPath(a, b) || a.since - b.since);
}

function listDocumentReviews(
  texts: Pick<World["state"], "text">,
  record: DocumentRecord,
  conflict: Conflict | null,
  deletion: Block | null,
): readonly PendingReview[] {
  const lastShown = conflict?.shown.at(-1) ?? record;
  const commonFields = {
    path: record.localPath,
    liveChangeId: lastShown.changeId,
    live: texts.text(lastShown.digest),
    blocks: [
      record.localPath,
      ...ancestorsOf(record.localPath)
        .toReversed()
        .map((folder) => `${folder}/`),
    ],
    deletionWaits: deletion !== null,
  };
  const knownReviews = keepFirstSent(record.submissions).map(
    ({ changeId = null, reason = null, at, digest }): PendingReview => {
      return { ...commonFields, changeId, reason, since: at, submitted: texts.text(digest) };
    },
  );
  if (knownReviews.length > 0 || deletion === null) return knownReviews;
  return [{ ...commonFields, changeId: null, reason: null, since: deletion.since, submitted: null }];
}

/**
 * Returns the first content that mdmirror sent for each review. After a merge, mdmirror may send
 * more content for the same review.
 */
function keepFirstSent(submissions: readonly Submission[]): readonly Submission[] {
  const byReview = Map.groupBy(submissions, ({ changeId, at }) => changeId ?? at);
  return [...byReview.values()].map(([first]) => first!);
}
