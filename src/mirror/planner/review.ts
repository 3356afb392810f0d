import type { Digest } from "../../contract/digest.ts";
import { sameExceptTextForm } from "../model/text-form.ts";
import type { Submission } from "../model/link.ts";
import { mergeText } from "../../markdown/merge/merge.ts";

/** What a new live text means while texts of the document wait for review. Pure. */

export type KnownText = { readonly digest: Digest; readonly text: string };

/** A submitted text, or our merge of one with a live text, which counts as submitted too. */
export type Sent = KnownText & Omit<Submission, "digest">;

type AfterReview = {
  /** The local text from now on; null: it does not merge with the live one. */
  readonly local: string | null;
  /**
   * What still waits, oldest first: each text as it was sent, then as merged with the new live
   * text.
   */
  readonly waiting: readonly Omit<Sent, "digest">[];
  /**
   * The text from which local and live text both came: the submitted text that is live by now, else
   * base; null where that is not known.
   */
  readonly parted: KnownText | null;
};

/**
 * The latest submission that the live text holds is settled, and those before it. The local text
 * was made of it: what differs from it there was written here since, was never sent, and stays an
 * edit on the live version. Where the live text holds none, it is somebody else's edit; it comes
 * under the local text and under each submission alike, so that a local text that was sent counts
 * as sent, and one that was edited since does not.
 * @param base the text that the submissions were based on; null where it is not known
 * @param sent oldest first
 * @param liveChangeId what `live` is called
 */
export function settleSubmissions(
  base: KnownText | null,
  sent: readonly Sent[],
  local: KnownText,
  live: KnownText,
  liveChangeId: Submission["baseChangeId"],
): AfterReview {
  const last = sent.findLastIndex((one) => isLive(base, one, live));
  const settled = sent[last] ?? null;
  const parted = settled ?? base;
  // Whoever wrote it: both sides hold the same text, and what was sent is part of it in some form.
  if (settled === null && local.digest === live.digest) return { local: live.text, waiting: [], parted };
  // Where a submission is settled, base may still help to merge.
  const bases = [parted, settled === null ? null : base];
  const waits = sent.slice(last + 1);
  const rebased = waits.flatMap((one) => {
    const merged = mergeOnFirst(bases, one.text, live);
    return merged === null ? [] : [{ ...one, text: merged, baseChangeId: liveChangeId }];
  });
  return { local: mergeOnFirst(bases, local.text, live), waiting: [...waits, ...rebased], parted };
}

/** The text merged with the live one, by the first of these bases with which that works. */
function mergeOnFirst(bases: readonly (KnownText | null)[], text: string, live: KnownText): string | null {
  for (const base of bases) {
    const merged = base === null ? null : mergeClean(base, text, live);
    if (merged !== null) return merged;
  }
  return null;
}

function isLive(base: KnownText | null, sent: Sent, live: KnownText): boolean {
  if (sent.digest === live.digest) return true;
  const merged = base === null ? null : mergeClean(base, sent.text, live);
  return merged !== null && sameExceptTextForm(merged, live.text);
}

function mergeClean(base: KnownText, text: string, live: KnownText): string | null {
  const merged = mergeText(base.text, text, live.text);
  return merged.kind === "clean" ? merged.text : null;
}
