import { shownName } from "../../common/shown-words.ts";
import { reviews, type PendingReview } from "../../mirror/operations/manual/problem-lists.ts";
import {
  PENDING_DELETION_TEXT,
  UNKNOWN_VERSION_TEXT,
  UNDELETABLE_PATHS_TEXT,
  explainReview,
} from "../../mirror/operations/results/reviews.ts";
import { formatLocalTime } from "../../mirror/operations/results/times.ts";
import type { Io } from "../command.ts";
import { EXIT } from "../exit.ts";
import { choosePaint } from "../text.ts";
import { ON_FOLDER, makeReadCommand } from "../operation-command.ts";
import { formatUnifiedDiff } from "../show-versions.ts";

export const command = makeReadCommand(reviews, {
  ...ON_FOLDER,
  examples: ["mdmirror reviews"],
  exit: (answer) => (answer.reviews.length === 0 ? EXIT.inSync : EXIT.attention),
  lines(io, answer) {
    if (answer.reviews.length === 0) return ["nothing is in review"];
    return answer.reviews.flatMap((item) => {
      const { path, live, submitted } = item;
      const isKnown = live !== null && submitted !== null;
      const names = { before: `service/${path}`, after: `sent/${path}` };
      return [
        ...formatReviewHead(io, item),
        ...(isKnown ? formatUnifiedDiff(io, names, live, submitted) : [`  ${UNKNOWN_VERSION_TEXT}`]),
      ];
    });
  },
});

function formatReviewHead(io: Io, review: PendingReview): string[] {
  const { path, changeId, since } = review;
  const paint = choosePaint(io);
  const idClause = changeId === null ? "" : ` ${changeId}`;
  const blockedNames = review.blocks.map(shownName).join(", ");
  const reason = explainReview(review);
  const pendingNote = review.deletionWaits ? `; ${PENDING_DELETION_TEXT}` : "";
  return [
    `${paint.strong(shownName(path))}: ${paint.asks("in review")}${idClause} since ${formatLocalTime(since)}${reason === null ? "" : `, because ${reason}`}`,
    `  ${UNDELETABLE_PATHS_TEXT}: ${blockedNames}${pendingNote}`,
  ];
}
