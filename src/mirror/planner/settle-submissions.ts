/**
 * Decides which changes stay in review after a new version of the document was published, and what
 * the local content becomes. Pure.
 */
import type { Digest } from "../../contract/digest.ts";
import { sameExceptTextForm } from "../model/text-form.ts";
import type { Submission } from "../model/record.ts";
import { mergeText } from "../../markdown/merge/merge.ts";

export type KnownText = { readonly digest: Digest; readonly text: string };

/** Content that was sent to review, or the merge of such content with a published version. */
export type SubmittedText = KnownText & Omit<Submission, "digest">;

type SettledSubmissions = {
  /** Merge of the local and the published content; null if the two do not merge. */
  readonly local: string | null;
  /**
   * Contents that stay in review: first each content as it was sent, oldest first; then the merges
   * of these contents with the published content.
   */
  readonly waiting: readonly Omit<SubmittedText, "digest">[];
  /**
   * Common base of the local and the published content: the last content in review that was
   * published; without such content, base. Null if the content store lacks base's content.
   */
  readonly commonBase: KnownText | null;
};

/**
 * Merges the published content into the local content and into the contents in review.
 * - If the published content contains a change that was sent to review, this change and all earlier
 *   changes are no longer in review. Local content that differs from this change is then a later
 *   edit.
 * - Otherwise another user wrote the published content, and all changes stay in review.
 *
 * If the local content was sent to review, its merge with the published content also counts as sent
 * to review.
 * @param base content on which the changes in review are based; null if unknown
 * @param sent changes sent to review, oldest first
 */
export function settleSubmissions(
  base: KnownText | null,
  sent: readonly SubmittedText[],
  local: KnownText,
  published: KnownText,
  publishedChangeId: Submission["baseChangeId"],
): SettledSubmissions {
  const lastPublishedIndex = sent.findLastIndex((submission) => isPublished(base, submission, published));
  const publishedSubmission = sent[lastPublishedIndex] ?? null;
  const commonBase = publishedSubmission ?? base;
  // No content in review was published, but another user published the local content. Nothing is
  // left to review.
  if (publishedSubmission === null && local.digest === published.digest)
    return { local: published.text, waiting: [], commonBase };
  // If a reviewed change was published, the base of the changes in review is tried as a second
  // base.
  const mergeBases = [commonBase, publishedSubmission === null ? null : base];
  const pendingSubmissions = sent.slice(lastPublishedIndex + 1);
  const rebasedSubmissions = pendingSubmissions.flatMap((submission) => {
    const mergedText = mergeOnFirstBase(mergeBases, submission.text, published);
    return mergedText === null ? [] : [{ ...submission, text: mergedText, baseChangeId: publishedChangeId }];
  });
  return {
    local: mergeOnFirstBase(mergeBases, local.text, published),
    waiting: [...pendingSubmissions, ...rebasedSubmissions],
    commonBase,
  };
}

/**
 * Merges content with the published content on the first base that gives a merge without a
 * conflict. Returns null if no base does.
 */
function mergeOnFirstBase(bases: readonly (KnownText | null)[], text: string, published: KnownText): string | null {
  for (const base of bases) {
    const mergedText = base === null ? null : mergeCleanly(base, text, published);
    if (mergedText !== null) return mergedText;
  }
  return null;
}

function isPublished(base: KnownText | null, sent: SubmittedText, published: KnownText): boolean {
  if (sent.digest === published.digest) return true;
  const mergedText = base === null ? null : mergeCleanly(base, sent.text, published);
  return mergedText !== null && sameExceptTextForm(mergedText, published.text);
}

function mergeCleanly(base: KnownText, text: string, published: KnownText): string | null {
  const mergeResult = mergeText(base.text, text, published.text);
  return mergeResult.kind === "clean" ? mergeResult.text : null;
}
