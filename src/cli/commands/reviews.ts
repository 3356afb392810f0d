import { shownName } from "../../common/shown-name.ts";
import { reviews, type WaitingReview } from "../../mirror/operations/manual/reviews.ts";
import {
  PENDING_DELETION_TEXT,
  SENT_UNKNOWN,
  KEEPS_TEXT,
  whyInReview,
} from "../../mirror/operations/results/reviews.ts";
import { localTime } from "../../mirror/operations/results/when.ts";
import type { Io } from "../command.ts";
import { EXIT } from "../exit.ts";
import { paintFor } from "../text.ts";
import { FOLDER_OPERAND, readCommand } from "../operation-command.ts";
import { unifiedLines } from "../show-versions.ts";

export const command = readCommand(reviews, {
  ...FOLDER_OPERAND,
  examples: ["mdmirror reviews"],
  exit: (answer) => (answer.reviews.length === 0 ? EXIT.inSync : EXIT.attention),
  lines(io, answer) {
    if (answer.reviews.length === 0) return ["nothing is in review"];
    return answer.reviews.flatMap((item) => {
      const { path, live, submitted } = item;
      const isKnown = live !== null && submitted !== null;
      const names = { before: `service/${path}`, after: `sent/${path}` };
      return [...headLines(io, item), ...(isKnown ? unifiedLines(io, names, live, submitted) : [`  ${SENT_UNKNOWN}`])];
    });
  },
});

function headLines(io: Io, review: WaitingReview): string[] {
  const { path, changeId, since } = review;
  const paint = paintFor(io);
  const named = changeId === null ? "" : ` ${changeId}`;
  const stops = review.blocks.map(shownName).join(", ");
  const why = whyInReview(review);
  const pendingNote = review.deletionWaits ? `; ${PENDING_DELETION_TEXT}` : "";
  return [
    `${paint.strong(shownName(path))}: ${paint.asks("in review")}${named} since ${localTime(since)}${why === null ? "" : `, because ${why}`}`,
    `  ${KEEPS_TEXT}: ${stops}${pendingNote}`,
  ];
}
