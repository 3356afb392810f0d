import type { ActionOf, Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { DocumentRecord, Submission } from "../../model/record.ts";
import { mergeText } from "../../../markdown/merge/merge.ts";
import {
  chooseEventCode,
  explainWrite,
  fetchText,
  makeEvent,
  makeMergedOrigin,
  readLocal,
  type RemoteText,
  STALE,
  type ValueOrOutcome,
  withOutcome,
  withValue,
} from "./effect.ts";
import { hasNewChangeId } from "./commit.ts";
import { adoptOwnVersion, findCommonSentVersion } from "./unanswered-writes.ts";
import type { CycleContext } from "../run/cycle-context.ts";
import { keepMineBeside, openConflict } from "./conflict.ts";
import { updateFile } from "./write-file.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { type KnownText, settleSubmissions, type SubmittedText } from "../../planner/settle-submissions.ts";

type BothVersions = { readonly record: DocumentRecord; readonly local: string; readonly remote: RemoteText };

/**
 * Merges a document that both sides edited. If the merge is clean, writes the merged content to the
 * file. Base becomes the version on the service, and the next cycle sends the merged content as an
 * edit of that version. If the merge is not clean, or if base's content is lost, the conflict
 * policy decides. By default, the policy opens a conflict.
 */
export async function merge(ctx: CycleContext, action: ActionOf<"merge">): Promise<Outcome> {
  const versionsResult = await readBoth(ctx, action);
  if (versionsResult.kind === "end") return versionsResult.outcome;
  const { record, local, remote } = versionsResult.value;
  if (remote.digest === action.expect)
    return writeMergedFile(ctx, action, versionsResult.value, {
      text: remote.text,
      detail: "both sides made the same edit",
      counts: "merged",
    });
  if (remote.digest === record.digest) {
    // The service has base's content under a new change id, so the local edit is based on the new
    // id.
    const detail = "the service has a newer version id with the same content";
    return writeMergedFile(ctx, action, versionsResult.value, { text: local, detail, counts: "merged" });
  }
  const adoptionOutcome = adoptOwnVersion(ctx, record, remote, "lately");
  if (adoptionOutcome !== null) return adoptionOutcome;
  const commonVersion = findCommonSentVersion(ctx, record, remote.text, "lately");
  const mergeBase = commonVersion ?? record.digest;
  const base = ctx.world.state.text(mergeBase);
  if (base !== null) {
    const mergeResult = mergeText(base, local, remote.text);
    if (mergeResult.kind === "clean")
      return writeMergedFile(ctx, action, versionsResult.value, {
        text: mergeResult.text,
        detail:
          commonVersion === null
            ? action.why
            : `${action.why}; the edit on the service was based on an earlier local version, which the service saved late`,
        counts: "merged",
        mergedFrom: mergeBase,
      });
  }
  return applyPolicy(ctx, action, versionsResult.value, { digest: mergeBase });
}

/** Ends a review. The next cycle sends later local changes as an edit. */
export async function settleReview(ctx: CycleContext, action: ActionOf<"settle-review">): Promise<Outcome> {
  const versionsResult = await readBoth(ctx, action);
  if (versionsResult.kind === "end") return versionsResult.outcome;
  const { record, local, remote } = versionsResult.value;
  const localVersion = { digest: action.expect, text: local };
  const mergeResult = mergeWithPublished(ctx, record, action.localPath, record.digest, localVersion, remote);
  if (mergeResult.local === null) return applyPolicy(ctx, action, versionsResult.value, mergeResult.commonBase);
  const { waiting } = mergeResult;
  const detail =
    waiting.length > 0
      ? "the published version changed; the change in review was merged with it"
      : mergeResult.local === remote.text
        ? "the published version has the change that was in review"
        : "the published version has the change that was in review; later local edits are uploaded next";
  const counts = waiting.length > 0 ? "merged" : "accepted";
  const mergeBase = mergeResult.local === remote.text ? null : (mergeResult.commonBase?.digest ?? null);
  return writeMergedFile(ctx, action, versionsResult.value, {
    text: mergeResult.local,
    detail,
    counts,
    waiting,
    mergedFrom: mergeBase,
  });
}

async function readBoth(
  ctx: CycleContext,
  action: ActionOf<"merge" | "settle-review">,
): Promise<ValueOrOutcome<BothVersions>> {
  const record = ctx.world.state.record(action.id);
  if (record === null) return withOutcome(STALE.noRecord);
  const localResult = readLocal(ctx, action.id, action.localPath, action.expect);
  if (localResult.kind === "end") return localResult;
  const remoteResult = await fetchText(ctx, action.id, action.localPath);
  if (remoteResult.kind === "end") return remoteResult;
  if (remoteResult.value.digest === record.digest && hasNewChangeId(ctx, record)) return withOutcome(STALE.baseMoved);
  return withValue({ record, local: localResult.value.text, remote: remoteResult.value });
}

type MergedVersion = {
  readonly text: string;
  readonly detail: string;
  readonly counts: "merged" | "accepted" | "byPolicy";
  /** Submissions that are still in review; undefined if they did not change. */
  readonly waiting?: readonly Submission[];
  /** Digest of the common base of the merged contents; undefined or null if nothing was merged. */
  readonly mergedFrom?: Digest | null;
};

/** Writes merged content to the document's file, and ends the document's conflict. */
export function writeMergedFile(
  ctx: CycleContext,
  action: ActionOf<"merge" | "settle-review" | "renew-conflict" | "end-conflict">,
  { record, remote }: Pick<BothVersions, "record" | "remote">,
  { text, detail, counts, waiting, mergedFrom = null }: MergedVersion,
): Outcome {
  const { id, localPath: path, expect } = action;
  return updateFile(ctx, {
    id,
    path,
    text,
    expect,
    base: record,
    next: { changeId: remote.file.lastChangeId, digest: remote.digest },
    waiting,
    counts,
    event: makeEvent(action, "both", {
      detail: explainWrite(ctx, { why: detail, localPath: path }),
      code: chooseEventCode(ctx.world, expect, text),
      merged: mergedFrom === null ? null : { base: mergedFrom, theirs: remote.digest },
    }),
  });
}

/** Applies the conflict policy. The content that loses stays in the content store. */
async function applyPolicy(
  ctx: CycleContext,
  action: ActionOf<"merge" | "settle-review">,
  both: BothVersions,
  commonBase: Pick<DocumentRecord, "digest"> | null,
): Promise<Outcome> {
  const { record, local, remote } = both;
  const { localPath } = action;
  const policy = ctx.settings.conflicts(localPath);
  const base = commonBase === null ? record : { digest: commonBase.digest, changeId: record.changeId };
  if (policy === "conflict-copy")
    return openConflict(ctx, record, localPath, remote, base, "the two edits do not merge");
  const counts = "byPolicy";
  if (policy === "local") {
    const detail = "the two edits do not merge; the conflict policy keeps the local version";
    return writeMergedFile(ctx, action, both, { text: local, detail, counts });
  }
  if (policy === "copy") {
    const copyFailure = await keepMineBeside(ctx, record, localPath, local, action.expect);
    if (copyFailure !== null) return copyFailure;
  }
  const note = policy === "copy" ? "; your version is beside it" : "";
  const detail = `the two edits do not merge; the conflict policy takes the version on the service${note}`;
  return writeMergedFile(ctx, action, both, { text: remote.text, detail, counts });
}

/** Local content and submissions, after a merge with newly published content. */
type AfterPublication = {
  /** Merged local content; null if the local content does not merge with the published content. */
  readonly local: string | null;
  /**
   * Submissions still in review, each with the content that was sent and its merge with the
   * published content.
   */
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
  const origin = makeMergedOrigin(localPath, record.id, "a change that is still in review");
  const waitingSubmissions = settledSubmissions.waiting.map(({ text: sent, ...submission }): Submission => {
    return { ...submission, digest: ctx.world.state.putText(sent, origin) };
  });
  // If the same content was sent twice, only the later submission is kept.
  const waitingByDigest = new Map(waitingSubmissions.map((submission) => [submission.digest, submission]));
  return { ...settledSubmissions, waiting: [...waitingByDigest.values()] };
}

/**
 * Returns the submissions that are based on base's change id. If there are none, base's content has
 * a new change id on the service, and all submissions are returned. Leaves out submissions with
 * content that the content store has lost.
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

/**
 * Returns a clause for the log: mdmirror drops the submissions, but the changes stay in review.
 * Returns "" without submissions.
 */
export function describeOpenReviews({ submissions }: DocumentRecord): string {
  return submissions.length === 0 ? "" : "; earlier changes stay in review until somebody decides in the app";
}
