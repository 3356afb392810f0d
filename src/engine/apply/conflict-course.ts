import type { ActionOf, Outcome } from "../../model/action.ts";
import type { Digest } from "../../model/digest.ts";
import { type Conflict, displayedIndex, type Link, type ShownVersion, type Submission } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import { sidecarPath } from "../../model/sidecar-path.ts";
import { moveBase, moveBaseUnderEdit } from "../../model/settle.ts";
import { DONE, eventOf, fetchText, leftAlone, outcomeOfDisk, readLocal, type RemoteText, stale } from "./effect.ts";
import { commit } from "./commit.ts";
import { landText } from "./land-text.ts";
import { dropSidecar, showVersion } from "./conflict.ts";
import { meetLiveText, stillInReview } from "./in-review.ts";
import { madeOfBoth } from "./text-name.ts";
import { recordEvent } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

const MERGES = "the newer version merges: the conflict ended by itself";
const ACCEPTED = "what was in review is in the live text: the conflict ended by itself";
/**
 * Milliseconds. If a sidecar disappears this soon after it was renewed, whoever deleted it had seen
 * the version before.
 */
const JUST_SHOWN_MS = 60_000;

/**
 * The document changed on the service during its conflict. If the texts merge now, the conflict
 * ends; else the sidecar shows the new version, unless the user edited it.
 */
export async function renewConflict(ctx: PassContext, action: ActionOf<"renew-conflict">): Promise<Outcome> {
  const { state } = ctx.world;
  const local = readLocal(ctx, action.id, action.localPath, action.expect);
  if (local.kind === "end") return local.outcome;
  const fetched = await fetchText(ctx, action.id, action.localPath);
  if (fetched.kind === "end") return fetched.outcome;
  const { file, digest } = fetched.value;
  // ORDER: read after the wait, because the sidecar may have moved along with its document
  // meanwhile.
  const link = state.link(action.id);
  const conflict = state.conflict(action.id);
  if (link === null || conflict === null) return stale("the conflict ended meanwhile");
  const here = { text: local.value.text, digest: action.expect };
  const after = meetLiveText(ctx, link, action.localPath, conflict.baseDigest, here, fetched.value);
  if (after.local !== null) {
    const { local: merged, waiting, parted } = after;
    return endByMerge(ctx, action, { link, conflict, merged, waiting, parted, remote: fetched.value });
  }
  const shown = conflict.shown.at(-1)!;
  const renewed = await showVersion(ctx, conflict, fetched.value, action.localPath);
  if (renewed.kind === "end") return renewed.outcome;
  // Accepted, and edited here since where it does not merge: what is settled waits no more.
  const submissions = after.waiting.filter(({ baseChangeId }) => baseChangeId !== file.lastChangeId);
  return commit(ctx, {
    ...(submissions.length === link.submissions.length ? {} : { text: { ...link, submissions } }),
    version: { id: action.id, changeId: file.lastChangeId, digest },
    conflict: renewed.value,
    event: eventOf(action, "local", { path: renewed.value.sidecarPath, before: shown.digest, after: digest }),
  });
}

type Merging = {
  readonly link: Link;
  readonly conflict: Conflict;
  readonly merged: string;
  /** What still waits in review. */
  readonly waiting: readonly Submission[];
  /** The text that both were made from; null: not known. */
  readonly parted: { readonly digest: Digest } | null;
  readonly remote: RemoteText;
};

function endByMerge(
  ctx: PassContext,
  action: ActionOf<"renew-conflict">,
  { link, conflict, merged, waiting, parted, remote: { file, digest } }: Merging,
): Outcome {
  const { id, localPath, expect } = action;
  const accepted = link.submissions.length > 0 && waiting.length === 0;
  const detail = accepted ? ACCEPTED : MERGES;
  const writes = digest === expect ? digest : ctx.world.state.putText(merged, madeOfBoth(localPath, id, detail));
  const inUse = writes === expect ? null : leftAlone(ctx, action);
  if (inUse !== null) return inUse;
  const version = { changeId: file.lastChangeId, digest };
  const landed = landText(ctx, id, localPath, merged, writes, expect, link, version);
  if (landed.kind === "end") return landed.outcome;
  ctx.notes.counts[accepted ? "accepted" : "merged"]++;
  const dropped = dropSidecar(ctx, conflict, conflict.shown.at(-1)!.digest);
  if (dropped !== null) return dropped;
  const under = moveBaseUnderEdit(link, file.lastChangeId, digest, landed.value.stamp);
  return commit(ctx, {
    text: { ...under, submissions: waiting },
    version: { id, ...version },
    landed: landed.value,
    removes: { conflict: id },
    event: eventOf(action, "both", {
      detail,
      before: expect,
      after: writes,
      merged: parted === null || writes === digest ? null : { base: parted.digest, theirs: digest },
    }),
  });
}

/**
 * The user ended the conflict. The text at the document's path is sent, based on the version that
 * the sidecar showed, or on the one before it if the last was shown only just now. The next pass
 * sends it; if the document has changed on the service meanwhile, it is merged first.
 */
export function endConflict(ctx: PassContext, action: ActionOf<"end-conflict">): Outcome {
  const { state, clock, disk } = ctx.world;
  const link = state.link(action.id);
  const conflict = state.conflict(action.id);
  if (link === null || conflict === null) return stale("the conflict ended meanwhile");
  const look = disk.look(action.localPath);
  if (look.kind !== "file" || look.digest !== action.expect)
    return stale("the file was changed since it was looked at");
  const shown = versionJudged(conflict, action.how, clock.now());
  if (action.how !== "theirs") {
    const dropped = dropSidecar(ctx, conflict, conflict.shown.at(-1)!.digest);
    if (dropped !== null) return dropped;
  }
  const base = {
    changeId: shown.changeId,
    digest: shown.digest,
    localDigest: shown.digest,
    stamp: look.stamp,
    stampTrusted: false,
    durable: true,
  };
  return commit(ctx, {
    link: moveBase(link, base),
    removes: { conflict: action.id },
    event: eventOf(action, "local", {
      detail: `${action.how}: ${action.why}${stillInReview(link)}`,
      before: shown.digest,
      after: action.expect,
    }),
  });
}

/** The version that the user had seen when the conflict was ended in this way. */
function versionJudged(conflict: Conflict, how: ActionOf<"end-conflict">["how"], now: number): ShownVersion {
  const index = how === "equal" ? conflict.shown.length - 1 : displayedIndex(conflict);
  const last = conflict.shown[index]!;
  const previous = conflict.shown[index - 1];
  const wasJustShown = how === "mine" && now - last.at < JUST_SHOWN_MS;
  return wasJustShown && previous !== undefined ? previous : last;
}

export function lookAgain(ctx: PassContext, action: ActionOf<"look-again">): Outcome {
  const conflict = ctx.world.state.conflict(action.id);
  if (conflict === null) return stale("the conflict ended meanwhile");
  ctx.world.state.putConflict({ ...conflict, looksGone: conflict.looksGone + 1 });
  return DONE;
}

export function moveSidecar(ctx: PassContext, action: ActionOf<"move-sidecar">): Outcome {
  const { disk, state } = ctx.world;
  const conflict = state.conflict(action.id);
  if (conflict === null) return stale("the conflict ended meanwhile");
  // `from` = `to`: the sidecar is there already, and only the record has to learn it.
  if (action.from !== action.to && disk.look(action.from).kind !== "absent") {
    const moved = disk.move(action.from, action.to, null);
    if (moved.kind !== "done") return outcomeOfDisk(moved);
  }
  state.putConflict({ ...conflict, sidecarPath: action.to });
  return DONE;
}

/**
 * Whether the sidecar at a place that the plan did not name is this conflict's: another one may be
 * there by now.
 */
function isOwnSidecar({ world }: PassContext, { sidecarIno, sidecarDev, shown }: Conflict, at: LocalPath): boolean {
  const look = world.disk.look(at);
  if (look.kind !== "file") return false;
  return (look.stamp.ino === sidecarIno && look.stamp.dev === sidecarDev) || look.digest === shown.at(-1)!.digest;
}

export function dropConflict(ctx: PassContext, action: ActionOf<"drop-conflict">): Outcome {
  const { state } = ctx.world;
  const conflict = state.conflict(action.id);
  if (conflict === null) return DONE;
  // ORDER: recorded before the sidecar is taken away: if this is interrupted, or the service's text
  // cannot come back, another file may stand in the document's place by the next look, and nobody
  // has removed the sidecar in its favour.
  state.putConflict({ ...conflict, sidecarIno: 0, looksGone: 0 });
  // By its inode, as the plan knows it; by its record; and beside its document: a pass that was cut
  // off may have moved it without the record.
  const link = state.link(action.id);
  const beside = link === null ? [] : [sidecarPath(link.localPath)];
  for (const at of new Set([action.sidecarPath ?? conflict.sidecarPath, conflict.sidecarPath, ...beside])) {
    if (at !== action.sidecarPath && !isOwnSidecar(ctx, conflict, at)) continue;
    const dropped = dropSidecar(ctx, { ...conflict, sidecarPath: at }, conflict.shown.at(-1)!.digest);
    if (dropped !== null) return dropped;
  }
  // The document was deleted here during its conflict, and the service's text comes back. Until it
  // has, the record keeps the conflict: after a crash the deletion would look like a plain one.
  state.transact(() => {
    if (action.comesBack !== true) state.removeConflict(action.id);
    recordEvent(ctx.world, ctx.run, eventOf(action, "local", { path: conflict.sidecarPath }));
  });
  return DONE;
}
