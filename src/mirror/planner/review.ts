/**
 * Decides which submitted contents remain in review after a new version of the document was
 * published, and what the local content becomes. Pure.
 */

import type { Digest } from "../../contract/digest.ts";
import { sameExceptTextForm } from "../model/text-form.ts";
import type { Submission } from "../model/record.ts";
import { mergeText } from "../../markdown/merge/merge.ts";

export type KnownText = { readonly digest: Digest; readonly text: string };

/**
 * Content that was sent to review; or the merge of such content with a published version, which
 * counts as sent too.
 */
export type SubmittedText = KnownText & Omit<Submission, "digest">;

type SettledSubmissions = {
  /** Local content merged with the published content; null if the two do not merge. */
  readonly local: string | null;
  /**
   * Contents that are still in review: first the contents that were sent, oldest first, and then
   * their merges with the published content.
   */
  readonly waiting: readonly Omit<SubmittedText, "digest">[];
  /**
   * Common base of the local and the published content: the submitted content that was published,
   * or base if none was. Null if the content store does not have base's content.
   */
  readonly commonBase: KnownText | null;
};

/**
 * Merges the published content into the local content and into the contents in review. If the
 * published content contains a submission, the review of this submission and of all earlier ones is
 * over. The local content was made from that submission, so every difference is a later edit that
 * was never sent. If it contains no submission, another user wrote the published content. In both
 * cases, local content that was sent still counts as sent after the merge.
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
): SettledSubmissions {
  const lastPublishedIndex = sent.findLastIndex((submission) => isPublished(base, submission, published));
  const publishedSubmission = sent[lastPublishedIndex] ?? null;
  const commonBase = publishedSubmission ?? base;
  // Both sides have the same content, and it contains the submitted content, so the review is over.
  if (publishedSubmission === null && local.digest === published.digest)
    return { local: published.text, waiting: [], commonBase };
  // If a submission was published, the second base to try is the base from before that submission.
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
 * Merges content with the published content, using the first of the bases that allows a clean
 * merge. Returns null if no base does.
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
