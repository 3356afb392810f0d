import type { Digest } from "../../contract/digest.ts";
import { sameExceptTextForm } from "../model/text-form.ts";
import type { Submission } from "../model/link.ts";
import { mergeText } from "../../markdown/merge/merge.ts";

/** Decides what new published content means while content of the document is in review. Pure. */

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
   * The common base of local and published content: the submitted content that was published, or
   * else base; null if the store does not have it.
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
 * @param sent oldest first
 * @param liveChangeId change id of `live`
 */
export function settleSubmissions(
  base: KnownText | null,
  sent: readonly SubmittedText[],
  local: KnownText,
  live: KnownText,
  liveChangeId: Submission["baseChangeId"],
): AfterReview {
  const last = sent.findLastIndex((one) => isLive(base, one, live));
  const settled = sent[last] ?? null;
  const commonBase = settled ?? base;
  // Both sides have the same content. It does not matter who wrote it: the sent content is part of
  // it.
  if (settled === null && local.digest === live.digest) return { local: live.text, waiting: [], commonBase };
  // If a review is over, base may still help with the merge.
  const bases = [commonBase, settled === null ? null : base];
  const pending = sent.slice(last + 1);
  const rebased = pending.flatMap((one) => {
    const merged = mergeOnFirst(bases, one.text, live);
    return merged === null ? [] : [{ ...one, text: merged, baseChangeId: liveChangeId }];
  });
  return { local: mergeOnFirst(bases, local.text, live), waiting: [...pending, ...rebased], commonBase };
}

/**
 * Returns the content merged with the published content, with the first of these bases that gives a
 * merge; null if none does.
 */
function mergeOnFirst(bases: readonly (KnownText | null)[], text: string, live: KnownText): string | null {
  for (const base of bases) {
    const merged = base === null ? null : mergeClean(base, text, live);
    if (merged !== null) return merged;
  }
  return null;
}

function isLive(base: KnownText | null, sent: SubmittedText, live: KnownText): boolean {
  if (sent.digest === live.digest) return true;
  const merged = base === null ? null : mergeClean(base, sent.text, live);
  return merged !== null && sameExceptTextForm(merged, live.text);
}

function mergeClean(base: KnownText, text: string, live: KnownText): string | null {
  const merged = mergeText(base.text, text, live.text);
  return merged.kind === "clean" ? merged.text : null;
}
