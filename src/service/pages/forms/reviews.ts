import { isRefused } from "../../requests/answer.ts";
import { content as contentSchema } from "../../../contract/api/fields.ts";
import { validate } from "../../requests/validate.ts";
import { REVIEWS, reviewAddress } from "../addresses.ts";
import { go, type PageResult, refusedForm } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { textFrom } from "../form.ts";

export async function acceptReview({ core, params, form }: PageCall): Promise<PageResult> {
  const [id = ""] = params;
  const { reviews } = core.admin;
  const review = await reviews.show(id);
  if (isRefused(review)) return refusedForm(REVIEWS, review);
  if (review.liveChangeId !== form.get("live")) return movedOn(id);
  const content = form.has("edited") ? validate(contentSchema, textFrom(form, "content", review.content)) : null;
  if (isRefused(content)) return refusedForm(reviewAddress(id), content);
  const accepted = await reviews.accept(id, content, review.liveChangeId);
  if (isRefused(accepted)) return refusedForm(reviewAddress(id), accepted);
  return go(reviewAddress(id), content === null ? "Accepted and published." : "Accepted: your version is published.");
}

export async function rejectReview({ core, params }: PageCall): Promise<PageResult> {
  const [id = ""] = params;
  const rejected = await core.admin.reviews.reject(id);
  if (isRefused(rejected)) return refusedForm(reviewAddress(id), rejected);
  return go(reviewAddress(id), "Rejected: the published version stays.");
}

function movedOn(id: string): PageResult {
  const what =
    "Somebody changed the published version since this page was shown; nothing was done. This page shows the present difference.";
  return go(reviewAddress(id), what, "asks");
}
