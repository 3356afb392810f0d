import type { Policy } from "../../model/policy.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { PassContext } from "../run/pass-context.ts";
import type { RemoteText } from "./effect.ts";
import { wasPosted } from "./unanswered-writes.ts";

/**
 * Decides which side wins if both are new at one path with different contents, and returns the
 * reason for the log. Without a common base, a document that is empty on the service has no content
 * to lose: no conflict is opened, whatever is preferred. An empty local file is different: somebody
 * may be about to write into it.
 */
export function chooseOfTwoNew(
  ctx: PassContext,
  path: LocalPath,
  { text: remote, digest }: Pick<RemoteText, "text" | "digest">,
): { readonly prefer: Policy["prefer"]; readonly why: string } {
  const { prefer } = ctx.settings;
  if (wasPosted(ctx, path, digest))
    return {
      prefer: "local",
      why: "mdmirror uploaded this version earlier, and the service saved it late; local changes since then are an edit of it",
    };
  if (isEmpty(remote)) return { prefer: "local", why: "new on both sides, empty on the service" };
  return { prefer, why: `new on both sides; --prefer ${prefer} decides` };
}

/** A byte order mark and white space do not count as content. */
function isEmpty(text: string): boolean {
  return text.trim() === "";
}
