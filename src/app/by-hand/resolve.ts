import { hasNewMarkers } from "../../planner/decide/markers.ts";
import { HOLD_REASONS, type HoldReason, type WayKind } from "../../model/hold.ts";
import type { Conflict, Hold, Link } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import { type HandEnd, runByHand } from "../../engine/by-hand/by-hand.ts";
import { recreate } from "../../engine/by-hand/recreate.ts";
import { bringBack, deleteThere, dropHere, keepAsNew } from "../../engine/by-hand/resolve-hold.ts";
import {
  keepMine,
  landMerged,
  type Placed,
  resubmit,
  type Seen,
  sendNow,
  takeTheirs,
  tryAgain,
} from "../../engine/by-hand/resolve.ts";
import type { World } from "../../engine/run/world.ts";
import type { PassContext } from "../../engine/run/pass-context.ts";
import { linkAt } from "../history/find-document.ts";
import { ok, type Result, trouble } from "../mirror/trouble.ts";

export type Way = { readonly kind: Exclude<WayKind, "merged"> } | { readonly kind: "merged"; readonly text: string };

/** What is open at a path: a conflict, or a hold that a person can end. */
export type Subject = {
  /** Where its file is, or last was. */
  readonly path: LocalPath;
  readonly link: Link;
  readonly conflict: Conflict | null;
  readonly hold: Hold | null;
  readonly ways: readonly WayKind[];
};

const CONFLICT_WAYS: readonly WayKind[] = ["mine", "theirs", "merged"];

const REVIEW_WAYS: readonly WayKind[] = ["mine", "theirs"];

/**
 * @param path the path of the document, of its `(theirs)` file, or of its new name after a rename
 */
export function findSubject(world: Pick<World, "state" | "disk">, path: LocalPath): Result<Subject> {
  const base = world.state.load();
  const link = linkNamed(world, base, path);
  const hold = base.holds.get(link?.id ?? path) ?? null;
  if (link === null) return hold === null ? nothingOpen(path) : unfit(path, hold);
  const conflict = base.conflicts.get(link.id) ?? null;
  const ways = waysOf(link, conflict, hold);
  if (ways !== undefined) return ok({ path: placeNow(world, link, hold), link, conflict, hold, ways });
  return hold === null ? nothingOpen(link.localPath) : unfit(link.localPath, hold);
}

/** How a person may resolve it; undefined: nothing is open, or no choice resolves it. */
function waysOf(link: Link, conflict: Conflict | null, hold: Hold | null): readonly WayKind[] | undefined {
  // Neither version can be sent while the document is not there to take it.
  if (conflict !== null && hold?.reason !== "gone-or-unreadable") return CONFLICT_WAYS;
  if (hold !== null) return HOLD_REASONS[hold.reason].ways;
  return link.submissions.length > 0 ? REVIEW_WAYS : undefined;
}

function linkNamed(world: Pick<World, "disk">, base: BaseTree, path: LocalPath): Link | null {
  return (
    linkOfHold(base, path) ??
    linkAt(base, path) ??
    linkOfSidecar(base, path) ??
    linkOfRenamed(world, base, path) ??
    linkHeldFromRoot(base, path)
  );
}

function nothingOpen(path: LocalPath): Result<never> {
  return trouble("usage", `nothing is open at ${path}`, "mdmirror conflicts lists what is; mdmirror sync looks again");
}

/** A held move has not moved the link yet: the hold has the present path. */
function placeNow(world: Pick<World, "disk">, link: Link, hold: Hold | null): LocalPath {
  return hold !== null && world.disk.look(hold.path).kind === "file" ? hold.path : link.localPath;
}

function unfit(path: LocalPath, hold: Hold): Result<never> {
  return trouble(
    "usage",
    `${path} is held (${hold.reason}: ${hold.detail}), and no choice ends that`,
    `mdmirror why ${path}`,
    {
      code: hold.code,
      requestId: hold.requestId,
    },
  );
}

function linkOfSidecar(base: BaseTree, path: LocalPath): Link | null {
  for (const conflict of base.conflicts.values())
    if (conflict.sidecarPath === path) return base.links.get(conflict.id) ?? null;
  return null;
}

function linkOfHold(base: BaseTree, path: LocalPath): Link | null {
  for (const hold of base.holds.values())
    if (hold.path === path) for (const link of base.links.values()) if (link.id === hold.key) return link;
  return null;
}

/** Finds a document that the service cannot move to the root, by its path on the service. */
function linkHeldFromRoot(base: BaseTree, path: string): Link | null {
  for (const { key, reason } of base.holds.values()) {
    if (reason !== "no-move-to-root") continue;
    for (const link of base.links.values()) if (link.id === key && link.remotePath === path) return link;
  }
  return null;
}

/** Finds a document that was renamed to a name outside of the mirror, by its inode. */
function linkOfRenamed(world: Pick<World, "disk">, base: BaseTree, path: LocalPath): Link | null {
  const look = world.disk.look(path);
  if (look.kind !== "file") return null;
  const { ino, dev } = look.stamp;
  for (const hold of base.holds.values()) {
    if (hold.reason !== "renamed-out-of-mirror") continue;
    for (const link of base.links.values())
      if (link.id === hold.key && link.stamp?.ino === ino && link.stamp.dev === dev) return link;
  }
  return null;
}

type ResolveOptions = {
  /** Takes, and sends, a text that holds conflict markers. */
  readonly force: boolean;
  /** What the person saw; left out: whatever is there. */
  readonly seen?: Seen;
};

/** Resolves it here; the next run sends what the service has to know. */
export async function resolveSubject(
  world: World,
  subject: Subject,
  way: Way,
  options: ResolveOptions,
): Promise<Result<readonly string[]>> {
  const { path, ways } = subject;
  if (!ways.includes(way.kind)) {
    const what = ways === CONFLICT_WAYS ? "in conflict" : `held (${subject.hold?.reason ?? "in review"})`;
    return trouble(
      "usage",
      `${path} is ${what}: --${way.kind} does not end that`,
      `choose ${ways.map((one) => `--${one}`).join(" or ")}`,
    );
  }
  const marked = markersIn(world, subject, way);
  if (marked && !options.force) {
    const next = "finish the merge, or, if they belong to the text: --force";
    return trouble("usage", `the text for ${path} holds conflict markers (<<<<<<< ======= >>>>>>>)`, next);
  }
  const [end] = await runByHand(world, "resolve", async (ctx) => {
    const first = await resolveOne(ctx, subject, way, options.seen);
    const sends = marked && isDone(first);
    if (!sends) return [first];
    // The planner holds back what looks like an unfinished merge; here the user meant it.
    const sent = await sendNow(ctx, { link: subject.link, at: path });
    return [{ outcome: sent.outcome, notes: [...first.notes, ...sent.notes] }];
  });
  return handResult(path, isDone(end!) ? { ...end!, notes: [...end!.notes, ...reviewNotes(subject, way)] } : end!);
}

/** No endpoint withdraws a review, so a decision here leaves it waiting. */
function reviewNotes({ link }: Subject, { kind }: Way): string[] {
  if (link.submissions.length === 0 || (kind !== "mine" && kind !== "theirs" && kind !== "merged")) return [];
  const ids = link.submissions.flatMap(({ changeId }) => changeId ?? []);
  const named = ids.length === 0 ? "" : ` (${[...new Set(ids)].join(", ")})`;
  return [
    `its review on the service${named} is not taken back by this: unless it is decided already, reject it in the app, or it may replace this text`,
  ];
}

function markersIn(world: World, subject: Subject, way: Way): boolean {
  if (way.kind !== "mine" && way.kind !== "merged") return false;
  const base = world.state.text(subject.link.digest);
  if (way.kind === "merged") return hasNewMarkers(way.text, base);
  const read = world.disk.read(subject.path);
  return read.kind === "done" && hasNewMarkers(read.value.text, base);
}

const IN_REVIEW: ReadonlySet<HoldReason> = new Set(["in-review", "review-conflict", "review-quiet", "review-unknown"]);

async function resolveOne(ctx: PassContext, subject: Subject, way: Way, seen?: Seen): Promise<HandEnd> {
  const { link, conflict, hold, path } = subject;
  const placed: Placed = { link, at: path, ...(seen === undefined ? {} : { seen }) };
  const leftMirror = hold?.reason === "renamed-out-of-mirror";
  switch (way.kind) {
    case "mine":
      return conflict === null ? sendMine(ctx, subject) : keepMine(ctx, placed, conflict);
    case "theirs":
      return takeTheirs(ctx, placed, conflict);
    case "merged":
      return landMerged(ctx, placed, conflict, ctx.world.disk.meant?.(path, way.text) ?? way.text);
    case "keep":
      return leftMirror ? bringBack(ctx, link) : keepAsNew(ctx, placed, conflict);
    case "delete":
      return leftMirror ? deleteThere(ctx, link) : dropHere(ctx, placed, conflict);
    case "recreate":
      return recreate(ctx, placed);
  }
}

function sendMine(ctx: PassContext, { link, hold }: Subject): Promise<HandEnd> | HandEnd {
  const isInReview = hold === null || IN_REVIEW.has(hold.reason);
  return isInReview ? resubmit(ctx, link) : tryAgain(ctx, link.id);
}

export function isDone({ outcome }: HandEnd): boolean {
  return outcome.kind === "done" || outcome.kind === "submitted";
}

/** The notes on what was done, or why it was not. */
export function handResult(path: LocalPath, end: HandEnd): Result<readonly string[]> {
  const { outcome, notes } = end;
  switch (outcome.kind) {
    case "done":
    case "submitted":
      return ok(notes);
    case "stale":
      return trouble("fault", `${path}: nothing was done: ${outcome.detail}`, "mdmirror sync, then try again");
    case "refused":
      return trouble("fault", `${path}: the service refused: ${outcome.detail}`, `mdmirror why ${path}`, {
        code: outcome.code,
        requestId: outcome.requestId,
      });
    case "uncertain":
      return trouble(
        "offline",
        `${path}: ${outcome.detail}; it may have happened`,
        "mdmirror sync settles it by reading",
        {
          requestId: outcome.requestId,
        },
      );
    case "later":
      return trouble(
        outcome.unreachable ? "offline" : "fault",
        `${path}: ${outcome.detail}`,
        "nothing is lost; try again later",
        {
          requestId: outcome.requestId,
        },
      );
  }
}
