import type { Outcome, OutcomeOf } from "../../model/action.ts";
import type { Digest } from "../../model/digest.ts";
import type { Link } from "../../model/link.ts";
import { moveBase } from "../../model/settle.ts";
import { DONE, ended, fetchText, leftAlone, stale } from "./effect.ts";
import { commit } from "./commit.ts";
import { landText } from "./land-text.ts";
import { type Settled, unsettled } from "./unsettled.ts";
import type { PassContext } from "../run/pass-context.ts";
import type { EventFields } from "../run/world.ts";

/**
 * Reads a new document back, because a 201 shows no text; a text that the service changed is
 * written to the disk, unless somebody has the file in hand. Until then base has what was sent, and
 * `intentId` stays open: after a crash or a lost answer the next pass reads it (I12). Without that,
 * a text that the mirror wrote itself would be sent as an edit (I10).
 */
export async function readCreated(ctx: PassContext, intentId: number, link: Link): Promise<Settled> {
  const { state, remote } = ctx.world;
  const fetched = await fetchText(ctx, link.id, link.localPath);
  if (fetched.kind === "end") {
    const { outcome } = fetched;
    if (outcome.kind !== "refused" || outcome.hold === null) return unread(outcome);
    // No file can hold the text that the service has: the next listing leads to a hold.
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
  const inUse = leftAlone(ctx, link);
  const version = { changeId: file.lastChangeId, digest };
  const landed =
    inUse === null
      ? landText(ctx, link.id, link.localPath, text, digest, link.localDigest, link, version)
      : ended(inUse);
  const event = normalised(link, digest);
  if (landed.kind === "end") {
    // Edited on the service and here since: base stays the sent text, from which both came, and the
    // next pass merges them.
    if (file.lastChangeId !== link.changeId) {
      state.closeIntent(intentId);
      return landed.outcome.kind === "later" ? landed.outcome : stale("it was edited on both sides since it was sent");
    }
    // Base is what the service has; the local bytes are an edit of it, or differ in form only: the
    // next pass tells which.
    commit(ctx, {
      text: { ...link, ...version, localDigest: digest, stampTrusted: false },
      version: { id: link.id, ...version },
      closes: intentId,
      event: { ...event, side: "remote" },
    });
    return stale("its file could not be given the text that the service saved");
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

/**
 * Returns the end where the document was made, and what the service holds is not known. A 404 is no
 * proof that the document is gone: the key may have lost its access.
 */
function unread(outcome: Outcome): OutcomeOf<"uncertain" | "later"> {
  if (outcome.kind !== "refused" && outcome.kind !== "stale") return unsettled(outcome, null);
  const { code, requestId } = outcome.kind === "refused" ? outcome : { code: "file_not_found", requestId: null };
  const detail = `uploaded, but the content on the service could not be read: ${outcome.detail}`;
  return { kind: "later", code, detail, unreachable: false, requestId };
}

function normalised({ id, localPath: path, digest: before }: Link, after: Digest): EventFields {
  return {
    kind: "create-remote",
    side: "both",
    id,
    path,
    detail: "the service normalised the new content",
    before,
    after,
  };
}
