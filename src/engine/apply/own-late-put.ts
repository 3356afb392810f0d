import { moveBaseUnderEdit } from "../../model/settle.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../model/digest.ts";
import type { Link } from "../../model/link.ts";
import type { FileWithContent } from "../../contract/resources.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { recordEvent } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";
import { commit } from "./commit.ts";
import { stale } from "./effect.ts";

/**
 * A PUT whose answer was lost, and which a read did not find, may still be carried out later: a
 * gateway ended the request, and the service works on. Its text then looks like somebody else's
 * edit of base, while the local text descends from it. Merged from base it would bring back what
 * was taken out since, or take out what was written since.
 */

/** The outcome of an event that tells of such a PUT. Part of the state file's format. */
const NOT_THERE = "not-there";

/** How many events of a document are looked through at most. */
const MOST_EVENTS = 64;

/** Closes the intent, and remembers what was sent. */
export function noteNotThere(
  ctx: PassContext,
  intentId: number,
  { id, localPath: path, baseDigest: before, digest: after }: Extract<Intent, { kind: "put" }>,
  fault: Fault | null,
): void {
  const { state } = ctx.world;
  state.transact(() => {
    state.closeIntent(intentId);
    recordEvent(ctx.world, ctx.run, {
      kind: "fault",
      side: "remote",
      id,
      path,
      detail: "put: no answer told that it was saved, and the service does not have it; it is sent again",
      outcome: NOT_THERE,
      requestId: fault?.kind === "uncertain" ? fault.requestId : null,
      before,
      after,
    });
  });
}

/**
 * Whether the service's text was sent from this document's file, on its present base: none of its
 * texts was written on either side since.
 */
function wasSentFromHere(ctx: PassContext, { id, digest: base }: Link, text: Digest): boolean {
  const events = ctx.world.state.events({ id, limit: MOST_EVENTS });
  const written = events.findIndex(({ kind, after }) => kind !== "fault" && after !== null);
  const since = written < 0 ? events : events.slice(0, written);
  return since.some(({ outcome, before, after }) => outcome === NOT_THERE && before === base && after === text);
}

/**
 * Where the service's version is a text that was sent from here, it becomes the base of what the
 * file holds, which is then an ordinary edit of it.
 * @param read the version as it was read
 * @returns null where it is not such a text; else the file is left alone, and is to be planned anew
 */
export function takeAsOwn(
  ctx: PassContext,
  link: Link,
  read: { readonly file: FileWithContent; readonly digest: Digest },
): Outcome | null {
  if (!wasSentFromHere(ctx, link, read.digest)) return null;
  const { lastChangeId: changeId } = read.file;
  ctx.notes.counts.uploaded++;
  commit(ctx, {
    text: moveBaseUnderEdit(link, changeId, read.digest, link.stamp),
    version: { id: link.id, changeId, digest: read.digest },
    // Not told as a `put`: whoever waits for a text takes that for the text of the file.
    event: {
      kind: "recover",
      side: "remote",
      id: link.id,
      path: link.localPath,
      detail: "sent from here before, and saved late; what was written since is an edit of it",
      before: link.digest,
      after: read.digest,
    },
  });
  return stale("its version on the service was sent from here");
}
