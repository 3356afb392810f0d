import { plural } from "../../../common/count.ts";
import { html, type Html } from "../../../page/html.ts";
import { ageOf, badgeOf, nameOf } from "../../../page/parts.ts";
import { isRefused } from "../../requests/answer.ts";
import type { ReviewInfo } from "../../reviews/reviews.ts";
import { REVIEWS, reviewAddress, withQuery } from "../addresses.ts";
import { page, type PageResult, refusedPage } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { titled } from "../title.ts";
import { workspaceNames } from "../workspaces.ts";

/** LIMIT: reviews on one page. */
const MOST = 100;
const STATES = { in_review: "waiting", accepted: "accepted", rejected: "rejected" } as const;
type State = keyof typeof STATES;

export const WHY: Readonly<Record<string, string>> = {
  protected: "its document is protected",
  conflict: "it conflicts with another edit",
};

/** Shows the pending reviews, or the decided ones. */
export async function showReviews({ core, query, now }: PageCall): Promise<PageResult> {
  const workspaceId = query.get("workspace") ?? undefined;
  const status = (Object.keys(STATES) as State[]).find((one) => one === query.get("status")) ?? "in_review";
  const cursor = query.get("cursor") ?? "";
  const after = /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0;
  const listed = await core.admin.reviews.page({ workspaceId, status, after, limit: MOST });
  if (isRefused(listed)) return refusedPage(listed);
  const names = await workspaceNames(core);
  const common = { workspace: workspaceId ?? null };
  const { data, nextCursor } = listed;
  return page({
    title: titled("Reviews"),
    here: REVIEWS,
    main: html`<h1>Reviews${workspaceId !== undefined && html` of ${nameOf(names.get(workspaceId) ?? workspaceId)}`}</h1>
<p class="row">${(Object.keys(STATES) as State[]).map((one) => stateLink(one, status, common))}</p>
${
  data.length === 0
    ? html`<p class="notice quiet">${after === 0 ? `Nothing is ${STATES[status]}.` : "There are no more."}</p>`
    : html`<ul class="cards">${data.map((one) => reviewCard(one, names.get(one.workspaceId) ?? "", now))}</ul>`
}
<nav aria-label="Parts of the list" class="row">${
      after > 0 && html`<a class="button" href="${withQuery(REVIEWS, { ...common, status })}">First page</a>`
    }${
      nextCursor !== null &&
      html`<a class="button" href="${withQuery(REVIEWS, { ...common, status, cursor: nextCursor })}">Next ${plural(MOST, "review")}</a>`
    }</nav>`,
  });
}

function stateLink(one: State, now: State, common: { readonly workspace: string | null }): Html {
  const href = withQuery(REVIEWS, { ...common, status: one });
  return html`<a class="button" href="${href}"${one === now && html` aria-current="true"`}>${STATES[one]}</a>`;
}

function reviewCard({ id, path, reason, at, status }: ReviewInfo, workspace: string, now: number): Html {
  return html`<li class="card"><h2><a href="${reviewAddress(id)}">${nameOf(path)}</a></h2>
<p>${status === "in_review" && badgeOf("asks", "waits")} since ${ageOf(at, now)}, because ${WHY[reason] ?? reason}; in ${nameOf(workspace)}</p></li>`;
}
