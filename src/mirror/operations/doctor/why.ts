import type { Conflict, DirLink, Block, Link } from "../../model/link.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { Disk, Look } from "../../ports/disk.ts";
import type { Fault } from "../../ports/remote.ts";
import type { MirrorEvent, State } from "../../ports/state.ts";
import type { BaseTree } from "../../model/tree.ts";
import { type Attention, attentionOfBlock } from "../../engine/run/report.ts";
import { readEvents } from "../history/events.ts";
import { findDocument, linkAt } from "../history/find-document.ts";
import { linkOfCopy } from "../manual/open-problem.ts";
import type { OpenedMirror } from "../../folder/open-mirror.ts";
import { type MergeFacts, mergeFacts, mergeOf, readOrigins } from "../history/origins.ts";
import { previewSync, USUAL_RUN } from "../../folder/run.ts";
import { factsOfPlan, isWithin, type PlanFacts, type ExplainedPath, UNPLANNED } from "./why-plan.ts";

/** All facts about one path: its state, the reason and the next step. Nothing is written (I23). */
export type Why = PlanFacts & {
  readonly path: LocalPath;
  readonly link: Link | null;
  readonly folder: DirLink | null;
  /** Entry that is at the path on disk now. */
  readonly look: Look;
  readonly conflict: Conflict | null;
  readonly blocked: Block | null;
  /** Open block, as reports show it; null if the path is not blocked. */
  readonly open: Attention | null;
  /** Blocked paths below a folder. */
  readonly blockedBelow: readonly Pick<Block, "path" | "reason">[];
  readonly lastError: MirrorEvent | null;
  /**
   * Versions that the current content was merged from, and the side of each changed line; null if
   * the content is no merge.
   */
  readonly merge: MergeFacts | null;
  /** Events about the path, oldest first. */
  readonly events: readonly MirrorEvent[];
  /**
   * Reason why the service could not be asked. All members except `look` then come from the state
   * alone. Null: the service answered.
   */
  readonly offline: Fault | null;
};

const EVENTS = 8;

export async function explain(mirror: OpenedMirror, asked: LocalPath): Promise<Why> {
  const { state, disk } = mirror.world;
  const preview = await previewSync(mirror, USUAL_RUN);
  const planned = preview.kind === "planned" ? preview : null;
  const base = planned?.trees.base ?? state.load();
  const subject = explainedPathAt(base, planned?.plan ?? null, asked);
  const { link } = subject;
  const { stays, remote, steps, safetyStops } = planned === null ? UNPLANNED : factsOfPlan(planned, subject);
  const block = blockOf(base, planned?.plan ?? null, subject.keys);
  const events = eventsOf(state, subject.path);
  const look = lookAt(disk, asked);
  return {
    path: asked,
    link,
    folder: folderAt(base, asked),
    look,
    stays,
    remote,
    conflict: conflictOf(base, link),
    blocked: block,
    merge: lastMerge(state, events, look),
    open: block === null ? null : attentionOfBlock(block),
    steps,
    blockedBelow: blockedBelow(planned?.plan.blocks ?? [...base.blocks.values()], asked),
    safetyStops,
    lastError: lastErrorOf(events),
    events: events.slice(-EVENTS),
    offline: preview.kind === "offline" ? preview.fault : null,
  };
}

function folderAt(base: BaseTree, path: LocalPath): DirLink | null {
  return [...base.dirs.values()].find(({ localPath }) => localPath === path) ?? null;
}

function conflictOf(base: BaseTree, link: Link | null): Conflict | null {
  return link === null ? null : (base.conflicts.get(link.id) ?? null);
}

const GOOD_ENDS: ReadonlySet<MirrorEvent["outcome"]> = new Set(["done", "submitted", "conflict"]);

function lastErrorOf(events: readonly MirrorEvent[]): MirrorEvent | null {
  return events.findLast(({ outcome }) => !GOOD_ENDS.has(outcome)) ?? null;
}

function explainedPathAt(base: BaseTree, plan: Plan | null, asked: LocalPath): ExplainedPath {
  const link = linkMovedTo(base, plan, asked) ?? linkAt(base, asked) ?? linkOfCopy(base, asked);
  const path = link?.localPath ?? asked;
  return { asked, link, path, keys: new Set([link?.id, asked, path]) };
}

/** Returns the record of the document that was moved locally to a path since the last sync. */
function linkMovedTo(base: BaseTree, plan: Plan | null, asked: LocalPath): Link | null {
  for (const { action } of plan?.steps ?? [])
    if ("to" in action && action.to === asked && "id" in action) return base.links.get(action.id) ?? null;
  return null;
}

/**
 * Returns the entry at a path. The empty path is the linked folder itself, whose state only the
 * disk as a whole knows.
 */
function lookAt(disk: Disk, path: LocalPath): Look {
  if (path !== "") return disk.look(path);
  const root = disk.identify();
  if (root === null) return { kind: "unknown", why: "the linked folder does not exist" };
  const { dev, ino, birthMs } = root;
  return { kind: "folder", dev, ino, birthMs };
}

function blockedBelow(blocks: readonly Block[], folder: LocalPath): Why["blockedBelow"] {
  return blocks.filter(({ path }) => isWithin(folder, path)).map(({ path, reason }) => ({ path, reason }));
}

/**
 * Returns the block of a path. A remembered refusal explains more than the block of a plan that
 * would try the refused request again.
 */
function blockOf(base: BaseTree, plan: Plan | null, keys: ReadonlySet<string | undefined>): Block | null {
  const remembered = [...base.blocks.values()].filter((block) => isAbout(block, keys));
  return (
    remembered.find(({ code }) => code !== null) ??
    plan?.blocks.find((block) => isAbout(block, keys)) ??
    remembered[0] ??
    null
  );
}

function isAbout({ key, path }: Block, keys: ReadonlySet<string | undefined>): boolean {
  return keys.has(key) || keys.has(path);
}

function eventsOf(state: State, path: LocalPath): MirrorEvent[] {
  return readEvents(state, { limit: 200, run: null, path });
}

/** Returns the last merge if its result is the current local content. */
function lastMerge(state: State, events: readonly MirrorEvent[], look: Look): MergeFacts | null {
  const merge = events.map(mergeOf).findLast((one) => one !== null) ?? null;
  if (merge === null || look.kind !== "file" || look.digest !== merge.result) return null;
  return mergeFacts(merge, readOrigins(state, merge));
}

/** Returns an earlier path of a document, for callers of `findDocument`. */
export function formerPath(state: State, asked: LocalPath): LocalPath | null {
  const found = findDocument(state, state.load(), asked);
  return found === null || found.path === asked ? null : found.path;
}
