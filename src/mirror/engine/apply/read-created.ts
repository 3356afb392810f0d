import type { ChangeId } from "../../../contract/ids.ts";
import type { Outcome, OutcomeOf } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import { moveBase } from "../../model/settle.ts";
import type { Intent } from "../../ports/state.ts";
import { DONE, ended, fetchText, leftAlone, stale } from "./effect.ts";
import { type Landed, landText } from "./land-text.ts";
import type { Phase } from "./run-effect.ts";
import { unsettled } from "./unsettled.ts";

type Row = Extract<Intent, { kind: "read-back" }>;
type Seen = {
  readonly changeId: ChangeId;
  readonly digest: Digest;
  /** The file with the content that was read; null: it could not be given it. */
  readonly landed: Landed | null;
};

/**
 * The second phase of a POST: reads the new document back, because a 201 shows no text. Content
 * that the service changed is written to the file, unless somebody is editing it. Until then base
 * has what was sent; after a crash or a lost answer the next cycle reads it (I12). Otherwise a text
 * that mdmirror wrote itself would be sent as an edit (I10).
 */
export const readCreated: Phase<Row, Seen> = {
  async observe(ctx, row) {
    const { state, remote } = ctx.world;
    const link = state.link(row.id);
    // Base has moved on to what was seen.
    if (link?.changeId !== row.changeId || link.digest !== row.digest) return { kind: "over", outcome: DONE };
    const fetched = await fetchText(ctx, link.id, link.localPath);
    if (fetched.kind === "end") {
      const { outcome } = fetched;
      // No file can hold the content that the service has: the next listing leads to a block.
      if (outcome.kind === "refused" && outcome.hold !== null) return { kind: "over", outcome: DONE };
      return { kind: "open", outcome: unread(outcome) };
    }
    const { file, text, digest } = fetched.value;
    const { lastChangeId: changeId } = file;
    const sent = changeId === link.changeId ? state.text(link.digest) : null;
    if (sent !== null) remote.sawReadBack(sent, digest === link.digest);
    if (digest === link.digest) return { kind: "over", outcome: DONE };
    const inUse = leftAlone(ctx, link);
    const next = { changeId, digest };
    const landed =
      inUse === null
        ? landText(ctx, link.id, link.localPath, text, digest, link.localDigest, link, next)
        : ended(inUse);
    if (landed.kind === "got") return { kind: "seen", seen: { ...next, landed: landed.value } };
    if (changeId === link.changeId) return { kind: "seen", seen: { ...next, landed: null } };
    // Edited on both sides since: base stays the sent content, from which both came, and the next
    // cycle merges them.
    const { outcome } = landed;
    return {
      kind: "over",
      outcome: outcome.kind === "later" ? outcome : stale("it was edited on both sides since it was sent"),
    };
  },

  conclude(ctx, { id, digest: before }, { changeId, digest, landed }) {
    const link = ctx.world.state.link(id);
    if (link === null) return { outcome: stale("its record was removed meanwhile"), change: null };
    const version = { id, changeId, digest };
    const base = { changeId, digest, localDigest: digest, stampTrusted: false };
    const detail = "the service normalised the new content";
    const event = { kind: "create-remote", id, path: link.localPath, detail, before, after: digest } as const;
    if (landed === null)
      // Base is what the service has. The local bytes are an edit of it, or differ in form only;
      // the next cycle shows which.
      return {
        outcome: stale("its file could not be updated to the version that the service saved"),
        change: { text: { ...link, ...base }, version, event: { ...event, side: "remote" } },
      };
    const text = moveBase(link, { ...base, stamp: landed.stamp, durable: false });
    return { outcome: DONE, change: { text, version, landed, event: { ...event, side: "both" } } };
  },
};

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
