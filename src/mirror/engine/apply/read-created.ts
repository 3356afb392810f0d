import type { Outcome, OutcomeOf } from "../../model/action.ts";
import type { Link } from "../../model/link.ts";
import type { Intent } from "../../ports/state.ts";
import { STALE, DONE, fetchText, stale } from "./effect.ts";
import type { Phase } from "./run-effect.ts";
import { unsettled } from "./unsettled.ts";
import { updateFile } from "./write-file.ts";

type Row = Extract<Intent, { kind: "read-back" }>;
/** The version on the service, which could not be written to the file. */
type Seen = Pick<Link, "changeId" | "digest">;

/**
 * The second phase of a POST: reads the new document back, because a 201 shows no content. Content
 * that the service changed is written to the file, unless somebody is editing it. Until then base
 * has the sent content; after a crash or a lost answer the next cycle reads it (I12). Otherwise
 * mdmirror would send its own text as an edit (I10).
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
      // No file can have the service's content: the next listing leads to a block.
      if (outcome.kind === "refused" && outcome.hold !== null) return { kind: "over", outcome: DONE };
      return { kind: "open", outcome: unread(outcome) };
    }
    const { file, text, digest } = fetched.value;
    const { lastChangeId: changeId } = file;
    const sent = changeId === link.changeId ? state.text(link.digest) : null;
    if (sent !== null) remote.sawReadBack(sent, digest === link.digest);
    if (digest === link.digest) return { kind: "over", outcome: DONE };
    const next = { changeId, digest };
    const { id, localPath: path, localDigest: expect } = link;
    const outcome = updateFile(ctx, {
      id,
      path,
      text,
      writes: digest,
      expect,
      base: link,
      next,
      event: { ...NORMALISED, side: "both", before: row.digest },
    });
    if (outcome.kind === "done") return { kind: "over", outcome };
    if (changeId === link.changeId) return { kind: "seen", seen: next };
    // Edited on both sides since: base stays the sent content, from which both were made, and the
    // next cycle merges them.
    return {
      kind: "over",
      outcome: outcome.kind === "later" ? outcome : stale("it was edited on both sides after mdmirror uploaded it"),
    };
  },

  conclude(ctx, { id, digest: before }, { changeId, digest }) {
    const link = ctx.world.state.link(id);
    if (link === null) return { outcome: STALE.noRecord, change: null };
    const base = { changeId, digest, localDigest: digest, stampTrusted: false };
    // Base has the service's content. The local bytes are an edit of it, or differ only in form;
    // the next cycle shows which.
    return {
      outcome: stale("its file could not be updated to the version that the service saved"),
      change: {
        text: { ...link, ...base },
        version: { id, changeId, digest },
        event: { ...NORMALISED, side: "remote", id, path: link.localPath, before, after: digest },
      },
    };
  },
};

const NORMALISED = { kind: "create-remote", detail: "the service normalised the new content" } as const;

/**
 * Returns the outcome for a document that was created, if its content on the service is not known.
 * A 404 does not prove that the document is gone: the key may have lost its access.
 */
function unread(outcome: Outcome): OutcomeOf<"uncertain" | "later"> {
  if (outcome.kind !== "refused" && outcome.kind !== "stale") return unsettled(outcome, null);
  const { code, requestId } = outcome.kind === "refused" ? outcome : { code: "file_not_found", requestId: null };
  const detail = `uploaded, but the content on the service could not be read: ${outcome.detail}`;
  return { kind: "later", code, detail, unreachable: false, requestId };
}
