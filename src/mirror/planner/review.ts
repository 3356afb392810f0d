/**
 * Decides which submissions remain in review, and what the local content becomes, after new content
 * of the document was published. Pure.
 */

import type { Digest } from "../../contract/digest.ts";
import { sameExceptTextForm } from "../model/text-form.ts";
import type { Submission } from "../model/record.ts";
import { mergeText } from "../../markdown/merge/merge.ts";

export type KnownText = { readonly digest: Digest; readonly text: string };

/** Submitted content; or its merge with published content, which counts as submitted too. */
export type SubmittedText = KnownText & Omit<Submission, "digest">;

type AfterReview = {
  /** Local content after this decision; null if it does not merge with the published content. */
  readonly local: string | null;
  /**
   * Content that is still in review, oldest first: the content that was sent, and then its merge
   * with the new published content.
   */
  readonly waiting: readonly Omit<SubmittedText, "digest">[];
  /**
   * The common base of local and published content: the submitted content that was published,
   * otherwise base; null if the store does not have it.
   */
  readonly commonBase: KnownText | null;
};

/**
 * Finds the latest submission that the published content contains; its review is over, like those
 * before it. The local content was made from that submission, so its differences are later edits,
 * which were never sent. If the published content contains no submission, another user wrote it. It
 * is then merged into the local content and into each submission: local content that was sent still
 * counts as sent, and later edits do not.
 * @param base content that the submissions were based on; null if unknown
 * @param sent submissions, oldest first
 * @param publishedChangeId change id of `published`
 */
export function settleSubmissions(
  base: KnownText | null,
  sent: readonly SubmittedText[],
  local: KnownText,
  published: KnownText,
  publishedChangeId: Submission["baseChangeId"],
): AfterReview {
  const lastPublished = sent.findLastIndex((submission) => isPublished(base, submission, published));
  const settled = sent[lastPublished] ?? null;
  const commonBase = settled ?? base;
  // Both sides have the same content, which contains the sent content, so the review is over.
  if (settled === null && local.digest === published.digest) return { local: published.text, waiting: [], commonBase };
  // If a review is over, the second base for the merge is the one from before that review.
  const bases = [commonBase, settled === null ? null : base];
  const pending = sent.slice(lastPublished + 1);
  const rebased = pending.flatMap((submission) => {
    const merged = mergeOnFirstBase(bases, submission.text, published);
    return merged === null ? [] : [{ ...submission, text: merged, baseChangeId: publishedChangeId }];
  });
  return { local: mergeOnFirstBase(bases, local.text, published), waiting: [...pending, ...rebased], commonBase };
}

/**
 * Merges content with the published content, by the first of these bases that gives a merge.
 * Returns null if none does.
 */
function mergeOnFirstBase(bases: readonly (KnownText | null)[], text: string, published: KnownText): string | null {
  for (const base of bases) {
    const merged = base === null ? null : mergeClean(base, text, published);
    if (merged !== null) return merged;
  }
  return null;
}

function isPublished(base: KnownText | null, sent: SubmittedText, published: KnownText): boolean {
  if (sent.digest === published.digest) return true;
  const merged = base === null ? null : mergeClean(base, sent.text, published);
  return merged !== null && sameExceptTextForm(merged, published.text);
}

function mergeClean(base: KnownText, text: string, published: KnownText): string | null {
  const merged = mergeText(base.text, text, published.text);
  return merged.kind === "clean" ? merged.text : null;
}
