import type { Digest } from "../../../contract/digest.ts";
import type { DocumentRecord, Submission } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type KnownText, settleSubmissions, type SubmittedText } from "../../planner/settle-submissions.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import type { RemoteText } from "./effect.ts";
import { nameMergedContent } from "./text-name.ts";

/** Local content and submissions, after a merge with newly published content. */
type AfterPublication = {
  /** Merged local content; null if it does not merge with the published content. */
  readonly local: string | null;
  /** Submissions still in review: their content as sent, and as merged with published content. */
  readonly waiting: readonly Submission[];
  /** Common base of the local and the published content; null if unknown. */
  readonly commonBase: KnownText | null;
};

/**
 * Merges newly published content with the local content and with each submission. Stores the merged
 * submissions that are still in review.
 * @param baseDigest content that the submissions changed; null if unknown
 * @returns the merged contents
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
  const publishedText = { digest, text };
  const settledSubmissions = settleSubmissions(
    base,
    readSubmissions(ctx, record),
    local,
    publishedText,
    file.lastChangeId,
  );
  const name = nameMergedContent(localPath, record.id, "a change that is still in review");
  const waiting = settledSubmissions.waiting.map(({ text: sent, ...submission }): Submission => {
    return { ...submission, digest: ctx.world.state.putText(sent, name) };
  });
  return { ...settledSubmissions, waiting: withoutDuplicates(waiting) };
}

/**
 * Returns the submissions that are based on base's version. If no submission has base's change id,
 * the service has given base's content a new id, so all submissions are returned. Leaves out
 * submissions whose content the content store has lost.
 */
function readSubmissions(ctx: CycleContext, { submissions, changeId }: DocumentRecord): SubmittedText[] {
  const submissionsOnBase = submissions.filter((submission) => submission.baseChangeId === changeId);
  return (submissionsOnBase.length > 0 ? submissionsOnBase : submissions).flatMap((submission) => {
    const knownText = readText(ctx, submission.digest);
    return knownText === null ? [] : [{ ...submission, ...knownText }];
  });
}

function readText(ctx: CycleContext, digest: Digest): KnownText | null {
  const text = ctx.world.state.text(digest);
  return text === null ? null : { digest, text };
}

/** If the same content was sent twice, keeps only the later submission. */
function withoutDuplicates(submissions: readonly Submission[]): Submission[] {
  return [...new Map(submissions.map((submission) => [submission.digest, submission])).values()];
}

/**
 * Returns a clause that says that changes stay in review although the record no longer lists them;
 * "" if there are none.
 */
export function describeOpenReviews({ submissions }: DocumentRecord): string {
  return submissions.length === 0 ? "" : "; earlier changes stay in review until somebody decides in the app";
}
