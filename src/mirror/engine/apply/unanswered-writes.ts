import { moveBaseUnderEdit } from "../../model/settle.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { Link } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { FileWithContent } from "../../../contract/resources.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent, MirrorEvent, State } from "../../ports/state.ts";
import { agreedRun } from "../run/run-state.ts";
import type { PassContext } from "../run/pass-context.ts";
import { type Change, commit } from "./commit.ts";
import { stale } from "./effect.ts";
import { holdsChanges } from "./set-aside.ts";

/**
 * Handles content that was sent without an answer, and that a read did not find. The service may
 * still save it later: a gateway ended the request, and the service works on. The content then
 * looks like another user's, while the local content descends from it. Merged from base, it would
 * restore lines that were removed since, or remove lines that were added since. But if the content
 * was never saved, another user may write the same content much later, and that edit must not be
 * reverted. So content counts as sent from this folder only under three conditions: it was sent on
 * the present base; that was in this run or in the one before; and since then nothing was written
 * and the sides were not seen to agree. The service may also answer a PUT with another version,
 * which combines it with another edit. If the local file changes before that version is written to
 * it, base stays. Then the sent content is certainly part of the service's version, and needs no
 * proof.
 */

type Sent = Extract<Intent, { kind: "put" | "post" }>;

/**
 * Outcomes of an event that remembers sent content: a read did not find it, or the service combined
 * it. Part of the state file's format.
 */
const ABSENT = "absent";
const COMBINED = "combined";

/** LIMIT: events of a document that are read. */
const MOST_EVENTS = 64;

/**
 * Returns the event for a write that no read found. It is stored in the transaction that closes the
 * row.
 */
export function notFoundEvent(ctx: PassContext, row: Sent, fault: Fault | null): Pick<Change, "event"> {
  const requestId = fault?.kind === "uncertain" ? fault.requestId : null;
  const detail = `${row.kind}: no answer confirmed the upload and the service does not have it; uploaded again`;
  return remember(ctx, row, ABSENT, { detail, requestId });
}

/** Returns the event of a PUT that the service combined, while the local file changed. */
export function combinedAside(ctx: PassContext, row: Sent): Pick<Change, "event"> {
  const detail = "the service combined the upload with another edit, while the local file changed";
  return remember(ctx, row, COMBINED, { detail, requestId: null });
}

function remember(
  ctx: PassContext,
  row: Sent,
  outcome: typeof ABSENT | typeof COMBINED,
  told: Pick<MirrorEvent, "detail" | "requestId">,
): Pick<Change, "event"> {
  ctx.notes.tally.hasUnfound = true;
  const { localPath: path, digest: after } = row;
  const of = row.kind === "put" ? { id: row.id, before: row.baseDigest } : { id: null, before: null };
  return { event: { kind: "fault", side: "remote", ...of, path, ...told, outcome, after } };
}

/**
 * Lists sent content, as long as nothing was written on either side since. Content that no read
 * found counts in this run and the next, until both sides were seen to agree: then somebody had
 * reverted it.
 */
function notesOf(ctx: PassContext, of: Pick<Parameters<State["events"]>[0], "id" | "path">) {
  const { state } = ctx.world;
  // ORDER: this access gives a daemon's run its number, so it comes before the log is read.
  const { run: current } = ctx;
  const oldest = state.runs(2).at(-1)?.run ?? current;
  const agreed = agreedRun(state);
  const events = state.events({ ...of, limit: MOST_EVENTS });
  const written = events.findIndex(({ kind, after }) => kind !== "fault" && after !== null);
  const since = written < 0 ? events : events.slice(0, written);
  const mayBeLate = ({ run, outcome }: MirrorEvent) => outcome === ABSENT && run >= oldest && run > agreed;
  return since.filter((one) => isCombined(one) || mayBeLate(one));
}

function isCombined({ outcome }: MirrorEvent): boolean {
  return outcome === COMBINED;
}

function sentOf(ctx: PassContext, { id, digest: base }: Link): readonly MirrorEvent[] {
  return notesOf(ctx, { id }).filter(({ before }) => before === base);
}

export function hasSent(ctx: PassContext, link: Link): boolean {
  return sentOf(ctx, link).length > 0;
}

/**
 * Returns true if content was lately sent as a new document at this path, and not found on the
 * service.
 */
export function wasPosted(ctx: PassContext, path: LocalPath, text: Digest): boolean {
  return notesOf(ctx, { path }).some(({ id, after }) => id === null && after === text);
}

/**
 * `this-run`: only content that this run has sent counts. If the file has base's content again, the
 * edit is no longer wanted.
 */
type Since = "this-run" | "lately";

/**
 * Returns the content from which the local and the remote version were made, if it is not base:
 * content that was sent from this folder, and that another user has edited since.
 * @returns null: it is base
 */
export function partedFrom(ctx: PassContext, link: Link, remote: string, since: Since): Digest | null {
  const sent = sentSince(ctx, link, since).find(
    (one) => isCombined(one) || holdsChanges(ctx, link.digest, one.after, remote),
  );
  return sent?.after ?? null;
}

function sentSince(ctx: PassContext, link: Link, since: Since): readonly MirrorEvent[] {
  if (since === "lately") return sentOf(ctx, link);
  // Nearly every run has sent no such content, and its downloads need not read the log.
  return ctx.notes.tally.hasUnfound ? sentOf(ctx, link).filter(({ run }) => ctx.isThisRun(run)) : [];
}

/**
 * If the service's version was sent from this folder, makes it the base of the local content, which
 * is then an ordinary edit.
 * @param read the version that was read
 * @returns null if the version was not sent from this folder; otherwise the file is unchanged, and
 * must be planned again
 */
export function takeAsOwn(
  ctx: PassContext,
  link: Link,
  { file, digest }: { readonly file: FileWithContent; readonly digest: Digest },
  since: Since,
): Outcome | null {
  if (!sentSince(ctx, link, since).some(({ after }) => after === digest)) return null;
  const { lastChangeId: changeId } = file;
  commit(ctx, {
    text: moveBaseUnderEdit(link, changeId, digest, link.stamp),
    version: { id: link.id, changeId, digest },
    // Not logged as `put`: a caller that waits for an upload would take the version for the file's
    // content.
    event: {
      kind: "recover",
      side: "remote",
      id: link.id,
      path: link.localPath,
      detail:
        "mdmirror uploaded this version earlier, and the service saved it late; local changes since then are an edit of it",
      before: link.digest,
      after: digest,
    },
  });
  return stale("its version on the service was uploaded by this folder");
}
