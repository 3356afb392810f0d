import type { Outcome } from "../../model/action.ts";
import type { Link } from "../../model/link.ts";
import { moveBase } from "../../model/settle.ts";
import { DONE, fetchText } from "./effect.ts";
import { commit, landText } from "./commit.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * A 201 shows no text: it is read back, and a text that the service changed goes to disk. Until it
 * was read, base has what was sent, and `intentId` says so: where a crash or a lost answer comes
 * between, the next pass reads it (I12), or what the mirror itself put on the disk would go up as
 * an edit (I10).
 */
export async function readCreated(ctx: PassContext, intentId: number, link: Link): Promise<Outcome> {
  const { state, remote } = ctx.world;
  const fetched = await fetchText(ctx, link.id, link.localPath);
  if (fetched.kind === "end") {
    const { outcome } = fetched;
    if (outcome.kind === "later") return outcome;
    // Refused for a reason that is not the text's: nothing is known of the text yet.
    if (outcome.kind === "refused" && outcome.hold === null) {
      const detail = `sent, and what the service holds could not be read: ${outcome.code}: ${outcome.detail}`;
      return { kind: "later", code: outcome.code, detail, unreachable: false, requestId: outcome.requestId };
    }
    // Gone, or nothing that could be on disk: the next listing tells.
    state.closeIntent(intentId);
    return DONE;
  }
  const { file, text, digest } = fetched.value;
  const sent = file.lastChangeId === link.changeId ? state.text(link.digest) : null;
  if (sent !== null) remote.sawReadBack(sent, digest === link.digest);
  if (digest === link.digest) {
    await ctx.group.commit(() => state.closeIntent(intentId), "late");
    return DONE;
  }
  const landed = landText(ctx, link.id, link.localPath, text, digest, link.localDigest, link);
  const version = { changeId: file.lastChangeId, digest };
  const event = {
    kind: "create-remote",
    side: "both",
    id: link.id,
    path: link.localPath,
    detail: "the service normalised the new text",
    before: link.digest,
    after: digest,
  } as const;
  if (landed.kind === "end") {
    // Edited there since, and saved here: base stays what was sent, which both texts were made of,
    // and the next pass merges them.
    if (file.lastChangeId !== link.changeId) {
      state.closeIntent(intentId);
      return landed.outcome;
    }
    // The base is what the service holds; the local bytes are an edit of it, or the same in another
    // text form.
    return commit(ctx, {
      text: { ...link, ...version, localDigest: digest, stampTrusted: false },
      version: { id: link.id, ...version },
      closes: intentId,
      event,
    });
  }
  const base = { ...version, localDigest: digest, stamp: landed.value.stamp, stampTrusted: false, durable: false };
  return commit(ctx, {
    text: moveBase(link, base),
    version: { id: link.id, ...version },
    landed: landed.value,
    closes: intentId,
    event,
  });
}
