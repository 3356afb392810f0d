import { resolve } from "node:path";
import type { ReviewJson, ShownReviewJson } from "../../service/admin/operations.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import type { Io } from "../command.ts";
import { EXIT } from "../exit.ts";
import { age, columns, paintFor } from "../text.ts";
import { plural } from "../../common/count.ts";
import { REVIEW_REASONS } from "../../mirror/operations/results/reviews.ts";
import { localTime } from "../../mirror/operations/results/when.ts";
import { unwrap } from "../../common/trouble.ts";
import { type Action, type Actions, wantedWorkspaces } from "./action.ts";
import { unifiedLines } from "../show-hunks.ts";
import { readNewText } from "../../service/admin/files.ts";
import { findReviewId, listReviews } from "../../service/admin/look.ts";

/** Returns why a change is in review. A service of a later version may have more reasons. */
function reviewReasonText({ reason }: ReviewJson): string {
  return Object.hasOwn(REVIEW_REASONS, reason)
    ? REVIEW_REASONS[reason as keyof typeof REVIEW_REASONS]
    : shownWords(reason);
}

const list: Action = {
  takes: null,
  options: ["workspace"],
  async run(io, args, session) {
    const { only, names } = await wantedWorkspaces(session, args);
    const all = unwrap(await listReviews(session, only));
    const nameOf = ({ workspaceId }: ReviewJson) => names.get(workspaceId) ?? workspaceId;
    const rows = all.map((one) => {
      const since = `since ${localTime(one.at)} (${age(io, one.at)})`;
      return [shownName(one.path), reviewReasonText(one), since, shownName(nameOf(one)), shownName(one.id)];
    });
    const json = { reviews: all.map((one) => ({ ...one, workspace: nameOf(one) })) };
    if (all.length === 0) return { json, lines: ["nothing is in review"] };
    const sum = `${plural(all.length, "review")}; next: mdmirror serve admin reviews show ID`;
    return { json, lines: [...columns(rows), sum], exit: EXIT.attention };
  },
};

const show: Action = {
  takes: "ID|PATH",
  options: [],
  async run(io, _args, session, word) {
    const id = unwrap(await findReviewId(session, word));
    const review = unwrap(await session.ask("showReview", { id }));
    return { json: { review }, lines: reviewLines(io, review) };
  },
};

const STATES: Readonly<Record<string, string>> = { accepted: "it was accepted", rejected: "it was rejected" };

/**
 * Returns the lines for a review: its facts, changes published since the base of a conflict, and
 * the changes that an acceptance would make.
 */
function reviewLines(io: Io, review: ShownReviewJson): string[] {
  const { path, id, status, at, baseContent: base, liveContent: live, content: sent } = review;
  const diff = (before: string, after: string, names: readonly [string, string]) =>
    unifiedLines(io, { before: names[0] + path, after: names[1] + path }, before, after);
  const state = STATES[status] ?? paintFor(io).asks("in review");
  return [
    `${shownName(path)}: ${state} ${shownName(id)} since ${localTime(at)}, because ${reviewReasonText(review)}`,
    ...(review.reason === "conflict" && base !== null ? diff(base, live, ["base", "live"]) : []),
    ...(live === sent ? ["the submitted version is the published one"] : diff(live, sent, ["live", "sent"])),
  ];
}

const accept: Action = {
  takes: "ID|PATH",
  options: ["content"],
  async run(io, args, session, word) {
    const file = args.text("content");
    const content = file === null ? null : unwrap(readNewText(file === "-" ? file : resolve(io.cwd, file)));
    const id = unwrap(await findReviewId(session, word));
    const sent = content === null ? {} : { body: { content } };
    const { path } = unwrap(await session.ask("acceptReview", { id, ...sent }));
    const has = content === null ? "the submitted version" : "the new version";
    return { json: { accepted: id, path }, lines: [`accepted: ${shownName(path)} has ${has}`] };
  },
};

const reject: Action = {
  takes: "ID|PATH",
  options: [],
  async run(_io, _args, session, word) {
    const id = unwrap(await findReviewId(session, word));
    const { path } = unwrap(await session.ask("rejectReview", { id }));
    const line = `rejected: ${shownName(path)} is unchanged; the submitted version stays in its history`;
    return { json: { rejected: id, path }, lines: [line] };
  },
};

export const actions: Actions = { list, show, accept, reject };
