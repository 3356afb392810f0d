import type { Action, Outcome } from "../../core/action.ts";
import type { Digest } from "../../core/digest.ts";
import type { Link } from "../../core/link.ts";
import { mergeText } from "../../core/merge.ts";
import { moveBase, moveBaseUnderEdit, submit } from "../../core/settle.ts";
import { commit, fetchText, landText, type RemoteText, readLocal, stale } from "../effect.ts";
import type { PassContext } from "../world.ts";
import { keepBeside, openConflict } from "./conflict.ts";

type Of<Kind extends Action["kind"]> = Extract<Action, { kind: Kind }>;
type Both = { readonly link: Link; readonly local: string; readonly localDigest: Digest; readonly remote: RemoteText };

/**
 * Both sides edited the document. Clean: the merged text goes to disk and the remote version becomes the base under it; what is left to send is an ordinary
 * edit, which the next pass sends on the remote's change id. Not clean: the policy decides, by default a conflict. A base text that the store lost counts as
 * no base: equal texts are fine, all else is a conflict.
 */
export async function merge(ctx: PassContext, action: Of<"merge">): Promise<Outcome> {
  const both = await readBoth(ctx, action);
  if (both.kind === "end") return both.outcome;
  const { link, local, remote } = both.value;
  const base = ctx.world.state.text(link.digest);
  if (remote.digest === action.expect)
    return landMerged(ctx, action, both.value, remote.text, "both sides made the same edit");
  if (remote.digest === link.digest) {
    // The change id moved without a new text: the local edit is based on it now.
    return landMerged(ctx, action, both.value, local, "the service's version has another id and the same text");
  }
  if (base !== null) {
    const merged = mergeText(base, local, remote.text);
    if (merged.kind === "clean") return landMerged(ctx, action, both.value, merged.text, action.why);
  }
  return disagree(ctx, action, both.value);
}

/** A protected document whose live text moved while local text is in review, or waits for it. */
export async function settleReview(ctx: PassContext, action: Of<"settle-review">): Promise<Outcome> {
  const both = await readBoth(ctx, action);
  if (both.kind === "end") return both.outcome;
  const { link, local, remote } = both.value;
  const base = ctx.world.state.text(link.digest);
  const merged =
    remote.digest === action.expect
      ? { kind: "clean" as const, text: remote.text }
      : base === null
        ? null
        : mergeText(base, local, remote.text);
  if (merged?.kind !== "clean") return disagree(ctx, action, both.value);
  if (merged.text !== remote.text)
    return landMerged(
      ctx,
      action,
      both.value,
      merged.text,
      "the live text moved on; merged under the text in review",
      true,
    );
  return landMerged(ctx, action, both.value, remote.text, "what was in review is in the live text");
}

async function readBoth(
  ctx: PassContext,
  action: Of<"merge" | "settle-review">,
): Promise<{ kind: "got"; value: Both } | { kind: "end"; outcome: Outcome }> {
  const link = ctx.world.state.link(action.id);
  if (link === null) return { kind: "end", outcome: stale("its link went meanwhile") };
  const local = readLocal(ctx, action.localPath, action.expect);
  if (local.kind === "end") return local;
  const remote = await fetchText(ctx, action.id, action.localPath);
  if (remote.kind === "end") return remote;
  return { kind: "got", value: { link, local: local.value.text, localDigest: action.expect, remote: remote.value } };
}

function landMerged(
  ctx: PassContext,
  action: Of<"merge" | "settle-review">,
  both: Both,
  text: string,
  detail: string,
  submitted = false,
): Outcome {
  const { state, clock } = ctx.world;
  const { link, remote } = both;
  const writes = state.putText(text);
  const landed = landText(ctx, action.id, action.localPath, text, writes, action.expect, link);
  if (landed.kind === "end") return landed.outcome;
  ctx.counts.merged++;
  const { lastChangeId } = remote.file;
  const settled = {
    changeId: lastChangeId,
    digest: remote.digest,
    localDigest: remote.digest,
    stamp: landed.value.stamp,
    stampTrusted: false,
  };
  const under = moveBaseUnderEdit(link, lastChangeId, remote.digest, landed.value.stamp);
  const next = writes === remote.digest ? moveBase(link, { ...settled, durable: landed.value.parked === null }) : under;
  return commit(ctx, {
    // Our own merge of a text in review counts as submitted with it: it is not a new edit of the user's.
    text: submitted ? submit(next, writes, clock.now()) : next,
    version: { id: action.id, changeId: lastChangeId, digest: remote.digest },
    landed: landed.value,
    event: {
      kind: action.kind,
      side: "both",
      id: action.id,
      path: action.localPath,
      detail,
      before: action.expect,
      after: writes,
    },
  });
}

/** The two texts do not merge. The loser of a policy is in the text store, as is every text that was ever read. */
async function disagree(ctx: PassContext, action: Of<"merge" | "settle-review">, both: Both): Promise<Outcome> {
  const { link, local, remote } = both;
  const { localPath } = action;
  const policy = ctx.settings.conflicts(localPath);
  if (policy === "sidecar") return openConflict(ctx, link, localPath, remote, link, "the two edits do not merge");
  if (policy === "local")
    return landMerged(ctx, action, both, local, "the two edits do not merge; the policy keeps the local text");
  if (policy === "copy") {
    const kept = keepBeside(ctx, link, localPath, local, action.expect);
    if (kept.kind === "end") return kept.outcome;
  }
  return landMerged(
    ctx,
    action,
    both,
    remote.text,
    `the two edits do not merge; the policy takes the service's text${policy === "copy" ? ", yours is beside it" : ""}`,
  );
}
