import type { Digest } from "../../../contract/digest.ts";
import type { DocumentRecord, Submission } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type KnownText, type SubmittedText, settleSubmissions } from "../../planner/review.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import type { RemoteText } from "./effect.ts";
import { mergedContentName } from "./text-name.ts";

/** Local content and submissions after new content was published. */
type AfterPublication = {
  /** Local content after the step; null if it does not merge with the published content. */
  readonly local: string | null;
  /**
   * Submissions that are still in review. Each has the content as sent, and the content merged with
   * the published content.
   */
  readonly waiting: readonly Submission[];
  /** Common base of the local and the published content; null if unknown. */
  readonly commonBase: KnownText | null;
};

/**
 * Merges new published content with the local content and with each submission.
 * @param baseDigest content from which the submissions were made; null if unknown
 * @returns the result; the contents that are still in review are in the store
 */
export function mergeWithPublished(
  ctx: CycleContext,
  record: DocumentRecord,
  localPath: LocalPath,
  baseDigest: Digest | null,
  local: KnownText,
  { file, text, digest }: RemoteText,
): AfterPublication {
  const base = baseDigest === null ? null : readText(ctx, baseDigest);
  const live = { digest, text };
  const after = settleSubmissions(base, readSubmissions(ctx, record), local, live, file.lastChangeId);
  const name = mergedContentName(localPath, record.id, "a change that is still in review");
  const waiting = after.waiting.map(({ text: sent, ...submission }): Submission => {
    return { ...submission, digest: ctx.world.state.putText(sent, name) };
  });
  return { ...after, waiting: withoutDuplicates(waiting) };
}

/**
 * Returns the submissions that were made from the version in base. If there are none, the service
 * gave base's content a new change id, so all submissions count. Leaves out a submission whose
 * content the store lost.
 */
function readSubmissions(ctx: CycleContext, { submissions, changeId }: DocumentRecord): SubmittedText[] {
  const onBase = submissions.filter((submission) => submission.baseChangeId === changeId);
  return (onBase.length > 0 ? onBase : submissions).flatMap((submission) => {
    const known = readText(ctx, submission.digest);
    return known === null ? [] : [{ ...submission, ...known }];
  });
}

function readText(ctx: CycleContext, digest: Digest): KnownText | null {
  const text = ctx.world.state.text(digest);
  return text === null ? null : { digest, text };
}

/**
 * Returns submissions without duplicates. Of content that was sent twice, the later base version
 * counts.
 */
function withoutDuplicates(submissions: readonly Submission[]): Submission[] {
  return [...new Map(submissions.map((submission) => [submission.digest, submission])).values()];
}

/**
 * Returns a clause for the log about content that is still in review but no longer in the
 * document's record; "" if there is none.
 */
export function stillInReview({ submissions }: DocumentRecord): string {
  return submissions.length === 0 ? "" : "; earlier changes stay in review until somebody decides in the app";
}
