import type { Outcome } from "../../model/action.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import { type Conflict, hasCopy, type Link, newestShown, type ShownVersion, type Stamp } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { moveBase } from "../../model/settle.ts";
import { type HandEnd, keepText, keptNote, type LandedByHand, landByHand, notDone } from "./by-hand.ts";
import { putText } from "../apply/put.ts";
import { runEffect } from "../apply/run-effect.ts";
import { ensureFolders } from "../apply/parents.ts";
import { DONE, ended, fetchText, type Got, got, outcomeOfDisk, stale } from "../apply/effect.ts";
import { commit } from "../apply/commit.ts";
import { dropCopies } from "../apply/conflict-copies.ts";
import { madeOfBoth } from "../apply/text-name.ts";
import type { EventFields } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * A linked document and where its file is now, which is elsewhere than the link says while a move
 * is held. That move is still to be sent, and is not touched here.
 */
export type Placed = { readonly link: Link; readonly at: LocalPath; readonly seen?: Seen };

/**
 * What the person saw who decides: where it is otherwise by now, nothing is done. null: anything.
 */
export type Seen = { readonly mine: Digest | null; readonly theirs: Digest | null };

/**
 * Ends conflicts, reviews and refused edits as a person decides. Effects come first and base
 * second, and no text is lost: what loses is in the store and, as a file, in the trash. A crash
 * between two effects leaves a state that an editor could have made, from which the next pass goes
 * on.
 */

/** Keeps the local text, which is sent on the version that the sidecar showed. */
export function keepMine(ctx: PassContext, placed: Placed, conflict: Conflict): HandEnd {
  const { disk } = ctx.world;
  const look = disk.look(placed.at);
  if (look.kind !== "file") return notDone(stale(`no file is at ${placed.at}`));
  if (isOther(placed.seen?.mine, look.digest)) return notDone(stale(`${placed.at} was edited meanwhile`));
  keepText(ctx, placed.at, placed.link.id);
  const dropped = dropCopies(ctx, conflict, placed.at);
  if (dropped.kind === "end") return notDone(dropped.outcome);
  const shown = versionSeen(conflict);
  const event = { detail: "mine, by your choice", before: shown.digest, after: look.digest };
  const outcome = endConflict(ctx, placed, shown, look.stamp, null, event);
  return { outcome, notes: copiesNotes(dropped.value) };
}

/**
 * A text that was merged by hand takes the document's place and is sent. Without a conflict it is
 * an edit.
 */
export function landMerged(ctx: PassContext, placed: Placed, conflict: Conflict | null, text: string): HandEnd {
  const { link, at, seen } = placed;
  const before = keepText(ctx, at, link.id);
  const shown = conflict === null ? null : versionSeen(conflict);
  const becomes = shown === null ? {} : { next: shown };
  const landed = landByHand(ctx, { id: link.id, path: at, text, link, seen: seen?.mine, ...becomes });
  if (landed.kind === "end") return notDone(landed.outcome);
  if (conflict === null || shown === null) {
    const { closes, keptAs } = landed.value;
    const after = ctx.world.state.putText(text, madeOfBoth(at, link.id, "merged by you"));
    const event = { kind: "restore", side: "local", id: link.id, path: at, before, after } as const;
    const outcome = commit(ctx, { ...closing(closes), event: { ...event, detail: "merged by you" } });
    return { outcome, notes: keptNote("your previous version", keptAs) };
  }
  const dropped = dropCopies(ctx, conflict, at);
  // The merged text is in place and the conflict is still open: trying again, or deleting the
  // sidecar, ends it.
  if (dropped.kind === "end") {
    closeLanded(ctx, landed.value);
    return notDone(dropped.outcome);
  }
  const after = ctx.world.state.putText(text, madeOfBoth(at, link.id, "merged by you"));
  const event = { detail: "merged by you", before: shown.digest, after };
  const outcome = endConflict(ctx, placed, shown, landed.value.stamp, landed.value.closes, event);
  const notes = [...keptNote("your previous version", landed.value.keptAs), ...copiesNotes(dropped.value)];
  return { outcome, notes };
}

function endConflict(
  ctx: PassContext,
  { link, at }: Placed,
  shown: ShownVersion,
  stamp: Stamp,
  closes: number | null,
  event: Pick<EventFields, "detail" | "before" | "after">,
): Outcome {
  const { changeId, digest } = shown;
  const base = { changeId, digest, localDigest: digest, stamp, stampTrusted: false, durable: closes === null };
  return commit(ctx, {
    link: moveBase(link, base),
    ...closing(closes),
    removes: { conflict: link.id, hold: link.id },
    event: { kind: "end-conflict", side: "local", id: link.id, path: at, ...event },
  });
}

/**
 * The outcome where the document is not there any more: its last text is in the sidecar alone, and
 * the next run sends the one that is here, as a new document.
 */
function goneThere(outcome: Outcome, conflict: Conflict | null): Outcome {
  if (outcome.kind !== "stale" || conflict === null) return outcome;
  return stale(
    `its document was deleted on the service; to take the conflict copy, first copy ${conflict.sidecarPath} over the file`,
  );
}

/**
 * The live text takes the document's place: ends a conflict, a review, or an edit that the service
 * refuses.
 */
export async function takeTheirs(ctx: PassContext, placed: Placed, conflict: Conflict | null): Promise<HandEnd> {
  const { link, at: path, seen } = placed;
  const fetched = await fetchText(ctx, link.id, path);
  if (fetched.kind === "end") return notDone(goneThere(fetched.outcome, conflict));
  const { file, text, digest } = fetched.value;
  if (isOther(seen?.theirs, digest)) return notDone(stale(`${path} was edited on the service meanwhile`));
  const before = keepText(ctx, path, link.id);
  const version = { changeId: file.lastChangeId, digest };
  const landed =
    before === null
      ? createFile(ctx, placed, text)
      : landByHand(ctx, { id: link.id, path, text, link, seen: seen?.mine, next: version });
  if (landed.kind === "end") return notDone(landed.outcome);
  const dropped: Got<readonly string[]> = conflict === null ? got([]) : dropCopies(ctx, conflict, path);
  if (dropped.kind === "end") {
    closeLanded(ctx, landed.value);
    return notDone(dropped.outcome);
  }
  const { stamp, closes, keptAs } = landed.value;
  const base = { ...version, localDigest: digest, stamp, stampTrusted: false, durable: before === digest };
  const outcome = commit(ctx, {
    link: { ...moveBase(link, base), protected: file.protected },
    version: { id: link.id, ...version },
    ...closing(closes),
    removes: { conflict: link.id, hold: link.id },
    event: {
      kind: conflict === null ? "write-local" : "end-conflict",
      side: "local",
      id: link.id,
      path,
      detail: "theirs, by your choice",
      before,
      after: digest,
    },
  });
  return { outcome, notes: [...keptNote("your version", keptAs), ...copiesNotes(dropped.value)] };
}

/** Whether what is found is not what the person saw. */
export function isOther(seen: Digest | null | undefined, found: Digest): boolean {
  return seen !== undefined && seen !== null && seen !== found;
}

/** The file is not there, so nothing is replaced. */
function createFile(ctx: PassContext, { link, at }: Placed, text: string): Got<LandedByHand> {
  const parents = ensureFolders(ctx, at);
  if (parents !== null) return ended(parents);
  const made = ctx.world.disk.create(at, text);
  if (made.kind !== "done") return ended(outcomeOfDisk(made));
  ctx.notes.toFlush.set(link.id, at);
  return got({ stamp: made.value.stamp, closes: null, keptAs: null, writes: digestOf(text) });
}

/** Only the replace is done: the replaced text stays in the trash. */
function closeLanded(ctx: PassContext, landed: LandedByHand): void {
  if (landed.closes !== null) ctx.world.state.closeIntent(landed.closes);
}

/** @param places of the copies, below `.mdmirror/` */
export function copiesNotes(places: readonly string[]): string[] {
  return places.flatMap((place) => keptNote("the other version", place));
}

/** Forgets what was sent to review: the next run submits the local text again. */
export function resubmit(ctx: PassContext, link: Link): HandEnd {
  const outcome = commit(ctx, {
    link: { ...link, submissions: [] },
    removes: { hold: link.id },
    event: {
      kind: "note-facts",
      side: "local",
      id: link.id,
      path: link.localPath,
      detail: "to be submitted again, by your choice",
    },
  });
  return { outcome, notes: [] };
}

/** Forgets a refusal: the next run tries again. */
export function tryAgain(ctx: PassContext, key: string): HandEnd {
  ctx.world.state.removeHold(key);
  return { outcome: DONE, notes: [] };
}

/**
 * Sends a text that the planner holds because of conflict markers, which are intended in this one.
 * On the base, as any PUT.
 */
export async function sendNow(ctx: PassContext, { link: { id }, at: localPath }: Placed): Promise<HandEnd> {
  const { disk, state } = ctx.world;
  const link = state.link(id);
  if (link === null) return notDone(stale("its record was removed meanwhile"));
  const look = disk.look(localPath);
  if (look.kind !== "file") return notDone(stale(`no file is at ${localPath}`));
  const expect: Digest = look.digest;
  const { changeId: baseChangeId } = link;
  const why = "uploaded by a command, with its conflict markers";
  const action = { kind: "put", why, id, localPath, baseChangeId, expect, review: link.protected } as const;
  const outcome = await runEffect(ctx, putText, action);
  if (outcome.kind === "done" || outcome.kind === "submitted") state.removeHold(id);
  return { outcome, notes: [] };
}

function closing(closes: number | null): { readonly closes: number } | Record<never, never> {
  return closes === null ? {} : { closes };
}

/**
 * The version that the conflict copy shows; the one before if it is not certain that the newest
 * copy was written. What the newest version alone holds is then merged like a newer edit.
 */
function versionSeen(conflict: Conflict): ShownVersion {
  const before = hasCopy(conflict) ? undefined : conflict.shown.at(-2);
  return before ?? newestShown(conflict);
}
