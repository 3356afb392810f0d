import { hasNewMarkers } from "../../planner/decide/gates.ts";
import { isReview, type ResolutionKind } from "../../model/block.ts";
import type { ManualEnd } from "../../engine/manual/run-manually.ts";
import { recreate } from "../../engine/manual/recreate.ts";
import {
  keepMine,
  writeMerged,
  type Placed,
  resubmit,
  type Seen,
  sendWithMarkers,
  takeTheirs,
  forgetRefusal,
  restoreOldName,
  deleteOnService,
  dropLocalEdit,
  keepAsNew,
} from "../../engine/manual/resolve.ts";
import type { World } from "../../engine/run/world.ts";
import type { CycleContext } from "../../engine/run/cycle-context.ts";
import { isDone } from "./many.ts";
import type { OpenProblem } from "./open-problem.ts";

export type Resolution =
  | { readonly kind: Exclude<ResolutionKind, "merged"> }
  | { readonly kind: "merged"; readonly text: string };

/**
 * Resolves a problem within a manual run. The caller has already checked for conflict markers,
 * which need `--force`.
 */
export async function resolveIn(
  ctx: CycleContext,
  subject: OpenProblem,
  way: Resolution,
  seen?: Seen,
): Promise<ManualEnd> {
  const marked = markersIn(ctx.world, subject, way);
  const first = await resolveOne(ctx, subject, way, seen);
  if (!isDone(first)) return first;
  const notes = [...first.notes, ...reviewNotes(subject, way)];
  if (!marked) return { ...first, notes };
  // The planner blocks content that looks like an unfinished merge, but the user chose this
  // content.
  const sent = await sendWithMarkers(ctx, { link: subject.link, at: subject.path });
  return isDone(sent) ? { outcome: sent.outcome, notes: [...notes, ...sent.notes] } : sent;
}

/**
 * Returns notes about a review. No endpoint withdraws a review, so a change in review stays in
 * review after a choice.
 */
function reviewNotes({ link }: OpenProblem, { kind }: Resolution): string[] {
  if (link.submissions.length === 0 || (kind !== "mine" && kind !== "theirs" && kind !== "merged")) return [];
  const ids = link.submissions.flatMap(({ changeId }) => changeId ?? []);
  const named = ids.length === 0 ? "" : ` (${[...new Set(ids)].join(", ")})`;
  return [
    `its review on the service${named} stays open: reject it in the web app if it is undecided, or it may replace this version`,
  ];
}

/** Returns true if the chosen content looks like an unfinished merge. */
export function markersIn(world: Pick<World, "state" | "disk">, subject: OpenProblem, way: Resolution): boolean {
  if (way.kind !== "mine" && way.kind !== "merged") return false;
  const base = world.state.text(subject.link.digest);
  if (way.kind === "merged") return hasNewMarkers(way.text, base);
  const read = world.disk.read(subject.path);
  return read.kind === "done" && hasNewMarkers(read.value.text, base);
}

async function resolveOne(ctx: CycleContext, subject: OpenProblem, way: Resolution, seen?: Seen): Promise<ManualEnd> {
  const { link, conflict, block, path } = subject;
  const placed: Placed = { link, at: path, ...(seen === undefined ? {} : { seen }) };
  const leftMirror = block?.reason === "renamed-out-of-mirror";
  switch (way.kind) {
    case "mine":
      return conflict === null ? sendMine(ctx, subject) : keepMine(ctx, placed, conflict);
    case "theirs":
      return takeTheirs(ctx, placed, conflict);
    case "merged":
      return writeMerged(ctx, placed, conflict, ctx.world.disk.meant?.(path, way.text) ?? way.text);
    case "keep":
      return leftMirror ? restoreOldName(ctx, link) : keepAsNew(ctx, placed, conflict);
    case "delete":
      return leftMirror ? deleteOnService(ctx, link) : dropLocalEdit(ctx, placed, conflict);
    case "recreate":
      return recreate(ctx, placed);
  }
}

function sendMine(ctx: CycleContext, { link, block }: OpenProblem): Promise<ManualEnd> | ManualEnd {
  const isInReview = block === null || isReview(block.reason);
  return isInReview ? resubmit(ctx, link) : forgetRefusal(ctx, link.id);
}
