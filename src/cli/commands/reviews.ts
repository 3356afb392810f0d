import type { WaitingReview } from "../../mirror/operations/manual/reviews.ts";
import type { Command, Io } from "../command.ts";
import { complain } from "../complain.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { jsonLine } from "../json-line.ts";
import { paintFor } from "../paint.ts";
import { useLocal } from "../use-mirror.ts";
import { DELETION_WAITS, SENT_UNKNOWN, STOPS, whyInReview } from "../../mirror/operations/results/reviews.ts";
import { localTime } from "../../mirror/operations/results/when.ts";
import { shownName } from "../../common/shown-name.ts";
import { listReviews } from "../../mirror/operations/manual/reviews.ts";
import { countLines, diffLines } from "../../markdown/merge/line-diff.ts";
import { unifiedLines } from "../show-hunks.ts";

export const command: Command = {
  usage: "reviews [DIR] [--json]",
  about: [
    "Lists each change in review: since when, why, its lines (- on the service when last seen, + sent), and the deletions that it blocks.",
    "Reviews are decided in the web app. mdmirror cannot see a rejection. Reads only local data.",
    "Exit codes: 0 if nothing is in review, 3 if something is.",
  ],
  examples: ["mdmirror reviews"],
  options: { json: { help: "print one JSON object, without content" } },
  operands: { least: 0, most: 1 },
  async run(io, args): Promise<ExitCode> {
    const root = findMirror(io, args.operands[0]);
    if (root.kind === "trouble") return complain(io, root.trouble);
    const changed = ({ path, live, submitted }: WaitingReview): string[] => {
      if (live === null || submitted === null) return [`  ${SENT_UNKNOWN}`];
      return unifiedLines(io, { before: `service/${path}`, after: `sent/${path}` }, diffLines(live, submitted));
    };
    return useLocal(io, root.value, (mirror) => {
      const reviews = listReviews(mirror);
      if (args.flag("json")) io.out(jsonLine({ reviews: reviews.map((one) => reviewJson(one, countLines)) }));
      else tell(io, reviews, changed);
      return reviews.length === 0 ? EXIT.inSync : EXIT.attention;
    });
  },
};

function tell(io: Io, reviews: readonly WaitingReview[], changed: (one: WaitingReview) => string[]): void {
  if (reviews.length === 0) io.out("nothing is in review");
  for (const line of reviews.flatMap((one) => [...headLines(io, one), ...changed(one)])) io.out(line);
}

function headLines(io: Io, one: WaitingReview): string[] {
  const { path, changeId, since } = one;
  const paint = paintFor(io);
  const named = changeId === null ? "" : ` ${changeId}`;
  const stops = one.blocks.map(shownName).join(", ");
  const why = whyInReview(one);
  const waits = one.deletionWaits ? `; ${DELETION_WAITS}` : "";
  return [
    `${paint.strong(shownName(path))}: ${paint.asks("in review")}${named} since ${localTime(since)}${why === null ? "" : `, because ${why}`}`,
    `  ${STOPS}: ${stops}${waits}`,
  ];
}

function reviewJson(one: WaitingReview, countLines: (before: string, after: string) => object): object {
  const { live, submitted, ...facts } = one;
  return { ...facts, lines: live === null || submitted === null ? null : countLines(live, submitted) };
}
