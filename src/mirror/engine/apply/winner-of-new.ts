import type { Policy } from "../../model/policy.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { digestOf } from "../../../contract/digest.ts";
import { isCutOff } from "./cut-off.ts";
import type { PassContext } from "../run/pass-context.ts";
import type { RemoteText } from "./effect.ts";
import { wasPosted } from "./unanswered-writes.ts";

/**
 * Decides which side wins if both are new at one path with different texts, and says why, for the
 * log. Without a common base, a document that is empty on the service has no text to lose, and is
 * no conflict, whatever is preferred. Neither is what a power loss has left locally of the
 * service's text: such a file was made from it, and base was lost with it. Without a restart,
 * somebody may be about to write into an empty local file.
 */
export function winnerOfNew(
  ctx: PassContext,
  path: LocalPath,
  local: string,
  { text: remote, digest }: Pick<RemoteText, "text" | "digest">,
): { readonly prefer: Policy["prefer"]; readonly why: string } {
  const { prefer } = ctx.settings;
  if (wasPosted(ctx, path, digest))
    return {
      prefer: "local",
      why: "mdmirror uploaded this version earlier, and the service saved it late; local changes since then are an edit of it",
    };
  if (isEmpty(remote)) return { prefer: "local", why: "new on both sides, empty on the service" };
  if (ctx.notes.mayHaveTorn && (isEmpty(local) || isCutOffOf(remote, local)))
    return { prefer: "remote", why: "new on both sides, and the local file is incomplete after a power loss" };
  return { prefer, why: `new on both sides; --prefer ${prefer} decides` };
}

/** A byte order mark and white space are no text. */
function isEmpty(text: string): boolean {
  return text.trim() === "";
}

function isCutOffOf(whole: string, left: string): boolean {
  return isCutOff(Buffer.from(whole), { size: Buffer.byteLength(left), digest: digestOf(left) });
}
