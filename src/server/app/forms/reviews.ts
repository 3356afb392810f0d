import { isRefused } from "../../answer.ts";
import { readContent } from "../../input.ts";
import { REVIEWS, reviewAddress } from "../addresses.ts";
import { go, type PageResult, refusedForm } from "../answer.ts";
import type { PageCall } from "../call.ts";
import { textFrom } from "../form.ts";

export function acceptReview({ core, params, form }: PageCall): PageResult {
  const [id = ""] = params;
  const { reviews } = core.admin;
  const review = reviews.show(id);
  if (isRefused(review)) return refusedForm(REVIEWS, review);
  if (review.liveChangeId !== form.get("live")) return movedOn(id);
  const content = form.has("edited") ? readContent(textFrom(form, "content", review.content)) : null;
  if (isRefused(content)) return refusedForm(reviewAddress(id), content);
  const accepted = reviews.accept(id, content);
  if (isRefused(accepted)) return refusedForm(reviewAddress(id), accepted);
  return go(reviewAddress(id), content === null ? "Accepted: it is live." : "Accepted: your text is live.");
}

export function rejectReview({ core, params }: PageCall): PageResult {
  const [id = ""] = params;
  const rejected = core.admin.reviews.reject(id);
  if (isRefused(rejected)) return refusedForm(reviewAddress(id), rejected);
  return go(reviewAddress(id), "Rejected: what is live stays.");
}

/** ORDER: compared and accepted in one turn, in which nobody else writes. */
function movedOn(id: string): PageResult {
  const what =
    "Somebody changed what is live since this page was shown; nothing was done. This is what would change now.";
  return go(reviewAddress(id), what, "asks");
}
