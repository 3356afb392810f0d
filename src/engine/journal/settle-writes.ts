import type { DirId } from "../../contract/ids.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../model/digest.ts";
import type { Link } from "../../model/link.ts";
import type { Fault } from "../../ports/remote.ts";
import type { Intent } from "../../ports/state.ts";
import { moveBase, submit } from "../../model/settle.ts";
import { DONE, fetchText, isNotFound, readFacts, type RemoteText, stale } from "../apply/effect.ts";
import { commit, endLink } from "../apply/commit.ts";
import { codeOf } from "../apply/emptied.ts";
import { moveDocument } from "../apply/move-document.ts";
import { recoverEffect } from "../apply/run-effect.ts";
import { noteNotThere } from "../apply/sent-lately.ts";
import { readCreated } from "../apply/read-created.ts";
import { isMovedBack, noteFolderBack } from "../apply/moved-back.ts";
import { settlePost } from "./settle-post.ts";
import { didNotHappen, notSettledBy, type Settled, unsettled } from "../apply/unsettled.ts";
import { type EventFields, recordEvent, toService, type World } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * Settles writes whose outcome is not known by a read (I08): after no answer, a lost connection, a
 * 5xx or a crash. `Settled` says how each may end.
 */

type Put = Extract<Intent, { kind: "put" }>;
type RemoteIntent = Exclude<
  Intent,
  { kind: "replace" | "trash" | "move" | "move-folder" | "conflict-copy" | "set-aside" }
>;

export async function settlePut(
  ctx: PassContext,
  intentId: number,
  intent: Put,
  fault: Fault | null,
): Promise<Settled> {
  const { state } = ctx.world;
  const fetched = await fetchText(ctx, intent.id, intent.localPath);
  // ORDER: read after the request, because a rename made beside the PUT may have moved base's
  // change id.
  const link = state.link(intent.id);
  if (fetched.kind === "end") {
    const { outcome } = fetched;
    if (outcome.kind !== "stale") return unsettled(outcome, fault);
    // The document is gone, or not readable any more: there is nothing to settle, and the next pass
    // proves which.
    state.closeIntent(intentId);
    return outcome;
  }
  const { file, digest } = fetched.value;
  const mayBeInReview = isPerhapsInReview(link, intent, fetched.value);
  if (link === null || (link.changeId !== intent.baseChangeId && !mayBeInReview)) {
    state.closeIntent(intentId);
    return stale("its base moved meanwhile");
  }
  if (digest === intent.digest && file.lastChangeId !== intent.baseChangeId)
    return moveToSaved(ctx, intentId, intent, link, fetched.value);
  if (mayBeInReview) {
    // Whether it was taken for review cannot be read, so it counts as submitted: one save must not
    // become two reviews.
    return countAsSubmitted(ctx, intentId, intent, link);
  }
  // Not saved, or saved and edited since: base stays, and the next plan merges from it, and from
  // the sent text only if that text itself is there by then.
  noteNotThere(ctx, intentId, intent, fault);
  return file.lastChangeId === intent.baseChangeId
    ? didNotHappen("write", fault)
    : // If it met that version it may be in review, which no read shows.
      stale("the write may be part of a newer version");
}

/**
 * Whether the PUT may be in review: also where the document became protected only after the plan.
 * Where it was protected then and is, the live text may have moved on since, by the acceptance of
 * what was sent before.
 */
function isPerhapsInReview(link: Link | null, intent: Put, { file, digest }: RemoteText): boolean {
  if (!(intent.review || file.protected) || link?.digest !== intent.baseDigest) return false;
  // Compared by text as well, because a rename made beside the PUT may have moved the change id.
  const isAsItWas = file.lastChangeId === intent.baseChangeId || digest === intent.baseDigest;
  return isAsItWas || (intent.review && file.protected);
}

function moveToSaved(
  ctx: PassContext,
  intentId: number,
  intent: Put,
  link: Link,
  { file, text, digest }: RemoteText,
): Settled {
  const base = {
    changeId: file.lastChangeId,
    digest,
    localDigest: digest,
    stamp: intent.stamp ?? link.stamp,
    stampTrusted: false,
    durable: true,
  };
  ctx.notes.counts.uploaded++;
  return commit(ctx, {
    text: moveBase(link, base),
    version: { id: intent.id, changeId: file.lastChangeId, digest },
    closes: intentId,
    event: {
      ...lostPut(intent, "the answer was lost; the service has the content", digest),
      ...codeOf(ctx.world, intent.baseDigest, text),
    },
  });
}

function countAsSubmitted(ctx: PassContext, intentId: number, intent: Put, link: Link): Settled {
  const { digest, stamp } = intent;
  ctx.notes.counts.submitted++;
  commit(ctx, {
    text: submit(link, digest, ctx.world.clock.now(), stamp ?? null),
    closes: intentId,
    event: { ...lostPut(intent, "the answer was lost; counted as sent to review", digest), outcome: "submitted" },
  });
  return { kind: "submitted" };
}

function lostPut({ id, localPath: path, baseDigest: before }: Put, detail: string, after: Digest): EventFields {
  return { kind: "put", side: "remote", id, path, detail, before, after };
}

async function settleDelete(
  ctx: PassContext,
  intentId: number,
  intent: Extract<Intent, { kind: "delete" }>,
  fault: Fault | null,
): Promise<Settled> {
  const { state } = ctx.world;
  const answer = await readFacts(ctx, intent.id, intent.localPath);
  const gone = isNotFound(answer);
  if (!answer.ok && !gone) return notSettledBy(answer.fault);
  state.transact(() => {
    const link = state.link(intent.id);
    if (gone && link !== null) {
      ctx.notes.counts.deletedRemote++;
      endLink(ctx, link, null);
      recordEvent(ctx.world, ctx.run, {
        kind: "delete-remote",
        side: "remote",
        id: intent.id,
        path: intent.localPath,
        detail: "the answer was lost; the document is deleted",
        before: link.digest,
      });
    }
    state.closeIntent(intentId);
  });
  return gone ? DONE : didNotHappen("deletion", fault);
}

type FolderIntent = Extract<Intent, { kind: "patch-folder" | "delete-folder" | "post-folder" }>;

/**
 * Asks for the folder itself: this pass's listing may fail, and base would move only by a listing.
 */
async function settleFolder(
  ctx: PassContext,
  intentId: number,
  intent: FolderIntent,
  fault: Fault | null,
): Promise<Settled> {
  const { remote, state } = ctx.world;
  const path = intent.kind === "patch-folder" ? intent.to : intent.remotePath;
  const found = await remote.findFolder(toService(ctx.world, path));
  if (!found.ok) return notSettledBy(found.fault);
  const isBack = intent.kind === "patch-folder" && isMovedBack(ctx.world, intent);
  return state.transact(() => {
    state.closeIntent(intentId);
    const hasHappened = learnFolder(state, intent, found.value?.id ?? null);
    if (isBack) noteFolderBack(ctx.world, intent);
    return hasHappened ? DONE : didNotHappen(FOLDER_WRITES[intent.kind], fault);
  });
}

const FOLDER_WRITES = { "patch-folder": "move", "delete-folder": "deletion", "post-folder": "write" } as const;

/**
 * Moves base if the write has happened.
 * @param found what is now at the place that the intent names
 * @returns whether it has; of a new folder, the next list tells base
 */
function learnFolder(state: World["state"], intent: FolderIntent, found: DirId | null): boolean {
  switch (intent.kind) {
    case "patch-folder":
      if (found !== intent.dirId) return false;
      state.moveSubtree("remote", intent.from, intent.to);
      return true;
    case "delete-folder":
      if (found === intent.dirId) return false;
      state.removeDir(intent.dirId);
      return true;
    case "post-folder":
      return found !== null;
  }
}

async function settleReadBack(
  ctx: PassContext,
  intentId: number,
  { id, changeId, digest }: Extract<Intent, { kind: "read-back" }>,
): Promise<Settled> {
  const link = ctx.world.state.link(id);
  if (link?.changeId === changeId && link.digest === digest) return readCreated(ctx, intentId, link);
  // Base has moved on to what was seen.
  ctx.world.state.closeIntent(intentId);
  return DONE;
}

/**
 * Settles one open intent.
 * @param fault of its request; null: it is of an earlier run, or of a crash
 */
export async function settleIntent(
  ctx: PassContext,
  intentId: number,
  intent: RemoteIntent,
  fault: Fault | null,
): Promise<Outcome> {
  switch (intent.kind) {
    case "put":
      return settlePut(ctx, intentId, intent, fault);
    case "post":
      return settlePost(ctx, intentId, intent, fault);
    case "read-back":
      return settleReadBack(ctx, intentId, intent);
    case "patch":
      return recoverEffect(ctx, moveDocument, intentId, intent, fault);
    case "delete":
      return settleDelete(ctx, intentId, intent, fault);
    case "patch-folder":
    case "delete-folder":
    case "post-folder":
      return settleFolder(ctx, intentId, intent, fault);
  }
}
