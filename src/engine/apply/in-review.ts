import type { Digest } from "../../model/digest.ts";
import type { Link, Submission } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import { type KnownText, type Sent, settleSubmissions } from "../../planner/review.ts";
import type { PassContext } from "../run/pass-context.ts";
import type { RemoteText } from "./effect.ts";
import { madeOfBoth } from "./text-name.ts";

/** What becomes of the local text, and of what is in review, by a new live text. */
type AfterLive = {
  /** The local text from now on; null: it does not merge with the live one. */
  readonly local: string | null;
  /** What is in review still, with its merges of ours on the live text. */
  readonly waiting: readonly Submission[];
  /** Where local and live text parted; null: not known. */
  readonly parted: KnownText | null;
};

/**
 * @param baseDigest the text on which what is in review was made; null: not known
 * @returns with the texts of what waits in the store
 */
export function meetLiveText(
  ctx: PassContext,
  link: Link,
  localPath: LocalPath,
  baseDigest: Digest | null,
  local: KnownText,
  { file, text, digest }: RemoteText,
): AfterLive {
  const base = baseDigest === null ? null : readText(ctx, baseDigest);
  const live = { digest, text };
  const after = settleSubmissions(base, readSubmissions(ctx, link), local, live, file.lastChangeId);
  const name = madeOfBoth(localPath, link.id, "what still waits for review");
  const waiting = after.waiting.map(({ text: sent, ...one }): Submission => {
    return { ...one, digest: ctx.world.state.putText(sent, name) };
  });
  return { ...after, waiting: withoutDoubles(waiting) };
}

/**
 * Those that were made on base; where its change id moved without a new text, all. Of a text that
 * the store lost nothing can be said.
 */
function readSubmissions(ctx: PassContext, { submissions, changeId }: Link): Sent[] {
  const onBase = submissions.filter((one) => one.baseChangeId === changeId);
  return (onBase.length > 0 ? onBase : submissions).flatMap((one) => {
    const known = readText(ctx, one.digest);
    return known === null ? [] : [{ ...one, ...known }];
  });
}

function readText(ctx: PassContext, digest: Digest): KnownText | null {
  const text = ctx.world.state.text(digest);
  return text === null ? null : { digest, text };
}

/** A text that was sent on two versions counts as sent on the later. */
function withoutDoubles(submissions: readonly Submission[]): Submission[] {
  return [...new Map(submissions.map((one) => [one.digest, one])).values()];
}

/** For the log of what ends here while it waits there still; "" where nothing does. */
export function stillInReview({ submissions }: Link): string {
  return submissions.length === 0 ? "" : "; what is in review stays so until somebody decides in the app";
}
