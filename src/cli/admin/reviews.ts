import { resolve } from "node:path";
import type { ReviewJson, ShownReviewJson } from "../../service/admin/operations.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import type { Io } from "../command.ts";
import { complain, EXIT } from "../exit.ts";
import { age, columns, jsonLine, paintFor } from "../text.ts";
import { plural } from "../../common/count.ts";
import { localTime } from "../../mirror/operations/results/when.ts";
import { ok } from "../../common/trouble.ts";
import { type Action, type Actions, askedWorkspaces, printDone } from "./action.ts";
import { diffLines } from "../../markdown/merge/line-diff.ts";
import { unifiedLines } from "../show-hunks.ts";
import { readNewText } from "../../service/admin/files.ts";
import { findReviewId, listReviews } from "../../service/admin/look.ts";

const WHY: Readonly<Record<string, string>> = {
  protected: "its document is protected",
  conflict: "it conflicts with another edit",
};

function whyOf({ reason }: ReviewJson): string {
  return WHY[reason] ?? shownWords(reason);
}

const list: Action = {
  takes: null,
  options: ["workspace"],
  async run(io, args, session) {
    const asked = await askedWorkspaces(session, args);
    if (asked.kind === "trouble") return asked;
    const { only, names } = asked.value;
    const reviews = await listReviews(session, only);
    if (reviews.kind === "trouble") return reviews;
    const nameOf = ({ workspaceId }: ReviewJson) => names.get(workspaceId) ?? workspaceId;
    const all = reviews.value;
    if (args.flag("json")) io.out(jsonLine({ reviews: all.map((one) => ({ ...one, workspace: nameOf(one) })) }));
    else if (all.length === 0) io.out("nothing is in review");
    else {
      const rows = all.map((one) => {
        const since = `since ${localTime(one.at)} (${age(io, one.at)})`;
        return [shownName(one.path), whyOf(one), since, shownName(nameOf(one)), shownName(one.id)];
      });
      for (const line of columns(rows)) io.out(line);
      io.out(`${plural(all.length, "review")}; next: mdmirror serve admin reviews show ID`);
    }
    return ok(all.length === 0 ? EXIT.inSync : EXIT.attention);
  },
};

const show: Action = {
  takes: "ID|PATH",
  options: [],
  async run(io, args, session, word) {
    const id = await findReviewId(session, word);
    if (id.kind === "trouble") return id;
    const review = await session.ask("showReview", { id: id.value });
    if (review.kind === "trouble") return review;
    if (args.flag("json")) io.out(jsonLine({ review: review.value }));
    else for (const line of await reviewLines(io, review.value)) io.out(line);
    return ok(EXIT.inSync);
  },
};

const STATES: Readonly<Record<string, string>> = { accepted: "it was accepted", rejected: "it was rejected" };

/**
 * Returns the lines for a review: its facts, changes published since the base of a conflict, and
 * the changes that an acceptance would make.
 */
async function reviewLines(io: Io, review: ShownReviewJson): Promise<string[]> {
  const { path, id, status, at, baseContent: base, liveContent: live, content: sent } = review;
  const diff = (before: string, after: string, names: readonly [string, string]) =>
    unifiedLines(io, { before: names[0] + path, after: names[1] + path }, diffLines(before, after));
  const state = STATES[status] ?? paintFor(io).asks("in review");
  return [
    `${shownName(path)}: ${state} ${shownName(id)} since ${localTime(at)}, because ${whyOf(review)}`,
    ...(review.reason === "conflict" && base !== null ? diff(base, live, ["base", "live"]) : []),
    ...(live === sent ? ["the submitted version is the published one"] : diff(live, sent, ["live", "sent"])),
  ];
}

const accept: Action = {
  takes: "ID|PATH",
  options: ["content"],
  async run(io, args, session, word) {
    const file = args.text("content");
    const content = file === null ? null : readNewText(file === "-" ? file : resolve(io.cwd, file));
    if (content?.kind === "trouble") return content;
    const id = await findReviewId(session, word);
    if (id.kind === "trouble") return id;
    const sent = content === null ? {} : { body: { content: content.value } };
    const settled = await session.ask("acceptReview", { id: id.value, ...sent });
    if (settled.kind === "trouble") {
      const exit = complain(io, settled.trouble);
      return ok(settled.trouble.code === "edit_conflict" ? EXIT.attention : exit);
    }
    const { path } = settled.value;
    const has = content === null ? "the submitted version" : "the new version";
    const line = `accepted: ${shownName(path)} has ${has}`;
    return printDone(io, args, { accepted: id.value, path }, line);
  },
};

const reject: Action = {
  takes: "ID|PATH",
  options: [],
  async run(io, args, session, word) {
    const id = await findReviewId(session, word);
    if (id.kind === "trouble") return id;
    const settled = await session.ask("rejectReview", { id: id.value });
    if (settled.kind === "trouble") return settled;
    const { path } = settled.value;
    const line = `rejected: ${shownName(path)} is unchanged; the submitted version stays in its history`;
    return printDone(io, args, { rejected: id.value, path }, line);
  },
};

export const actions: Actions = { list, show, accept, reject };
