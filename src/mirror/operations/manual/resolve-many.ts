import type { DocId } from "../../../contract/ids.ts";
import { isStopped, runManually } from "../../engine/manual/run-manually.ts";
import type { Seen } from "../../engine/manual/resolve.ts";
import type { World } from "../../engine/run/world.ts";
import { mergeText } from "../../../markdown/merge/merge.ts";
import { byPath } from "../../model/by-path.ts";
import { needsUser } from "../../model/hold.ts";
import { type Hold, isAway, type Link } from "../../model/link.ts";
import { isBelow, type LocalPath } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { endOfManual, forEachOf, leftAlone, type ManyEnds } from "./many.ts";
import { markersIn, resolveIn, type Resolution } from "./resolve.ts";
import { isPattern, selectPaths } from "./selection.ts";
import { findProblem, isInConflict, type OpenProblem, problemOf } from "./open-problem.ts";

/**
 * Ends what `conflicts` lists, or a part of it, by one choice, as one run. What waits in review is
 * not among it: a review is ended by its own path alone.
 */
export type BulkResolution = "mine" | "theirs" | "merged-where-clean";

export type ResolveItem =
  | {
      readonly kind: "end";
      readonly path: LocalPath;
      readonly subject: OpenProblem;
      readonly way: Resolution;
      readonly seen: Seen | null;
    }
  | { readonly kind: "left"; readonly path: LocalPath; readonly why: string };

type StateAndDisk = Pick<World, "state" | "disk">;

/** Whether a name is about one document, rather than a folder or a pattern. */
export function isOneProblem(world: StateAndDisk, name: string): boolean {
  if (findProblem(world, name).kind === "ok") return true;
  const below = ({ localPath }: Link) => isBelow(localPath, name);
  return name !== "" && !isPattern(name) && !world.state.load().links.values().some(below);
}

/**
 * @param names paths, folders and patterns; null: all that is open
 * @returns by path; a trouble where nothing is open at what was named
 */
export function planResolve(
  world: StateAndDisk,
  names: readonly string[] | null,
  way: BulkResolution,
  force: boolean,
): Result<readonly ResolveItem[]> {
  const base = world.state.load();
  const chosen = names === null ? ok(openThings(world, base)) : openAt(world, base, names);
  if (chosen.kind === "trouble") return chosen;
  const ofThisWay = chosen.value.filter(({ subject }) => {
    return way !== "merged-where-clean" || (subject !== null && isInConflict(subject));
  });
  if (names !== null && ofThisWay.length === 0) return nothingOpen(names, way);
  return ok(ofThisWay.map((open) => itemOf(world, open, way, force)).toSorted(byPath));
}

function nothingOpen(names: readonly string[], way: BulkResolution): Result<never> {
  const what = way === "merged-where-clean" ? "no document is in conflict" : "no document is in conflict or blocked";
  const where = names.length === 1 ? `at ${names[0] === "" ? "all" : names[0]}` : "at any of these paths";
  return trouble("usage", `${what} ${where}`, "mdmirror conflicts lists conflicts; mdmirror sync checks again");
}

/** Something that waits for a person. `subject` null: no choice ends it. */
type Open = {
  readonly path: LocalPath;
  readonly conflictCopy: LocalPath | null;
  readonly subject: OpenProblem | null;
  readonly hold: Hold | null;
};

function openThings(world: StateAndDisk, base: BaseTree): Open[] {
  const ids = new Set<string>([...base.conflicts.keys()]);
  for (const { key, reason } of base.holds.values()) if (reason !== "conflict" && needsUser(reason)) ids.add(key);
  return [...ids].flatMap((key): Open[] => {
    const link = base.links.get(key as DocId);
    const hold = base.holds.get(key) ?? null;
    if (link !== undefined) return [openOf(problemOf(world, base, link), hold, link.localPath)];
    return hold === null ? [] : [openOf(null, hold, hold.path)];
  });
}

function openOf(subject: OpenProblem | null, hold: Hold | null, path: LocalPath): Open {
  return { path: subject?.path ?? path, conflictCopy: subject?.conflict?.newestCopyPath ?? null, subject, hold };
}

/** One path alone is taken as `resolve PATH` takes it. */
function openAt(world: StateAndDisk, base: BaseTree, names: readonly string[]): Result<readonly Open[]> {
  const one = names.length === 1 ? findProblem(world, names[0]!) : null;
  if (one?.kind === "ok") return ok([openOf(one.value, one.value.hold, one.value.path)]);
  const things = openThings(world, base);
  const selection = selectPaths(names, knownPaths(base, things), world.disk);
  if (selection.kind === "trouble") return selection;
  const { takes } = selection.value;
  return ok(things.filter(({ path, conflictCopy }) => takes(path) || (conflictCopy !== null && takes(conflictCopy))));
}

function* knownPaths({ links }: BaseTree, things: readonly Open[]): Generator<LocalPath> {
  for (const link of links.values()) if (!isAway(link)) yield link.localPath;
  for (const { path, conflictCopy } of things) {
    yield path;
    if (conflictCopy !== null) yield conflictCopy;
  }
}

function itemOf(world: StateAndDisk, { path, subject, hold }: Open, way: BulkResolution, force: boolean): ResolveItem {
  if (subject === null)
    return { kind: "left", path, why: `blocked (${hold?.reason ?? "not known"}): no choice resolves this` };
  if (way === "merged-where-clean") return mergedItem(world, subject, force);
  if (!subject.ways.includes(way)) {
    const ways = subject.ways.map((one) => `--${one}`).join(" or ");
    return { kind: "left", path, why: `blocked (${hold?.reason ?? "in review"}): resolve it with ${ways}` };
  }
  if (!force && markersIn(world, subject, { kind: way })) return { kind: "left", path, why: MARKERS };
  return { kind: "end", path, subject, way: { kind: way }, seen: null };
}

const MARKERS = "the file has conflict markers: finish the merge; or use --force if they belong to the document";

/**
 * Merges what is in the files now. The other text is that of the `(theirs)` file, which its user
 * may have edited; else the one that the service showed last.
 */
function mergedItem({ state, disk }: StateAndDisk, subject: OpenProblem, force: boolean): ResolveItem {
  const { path, conflict } = subject;
  const left = (why: string): ResolveItem => ({ kind: "left", path, why });
  if (conflict === null) return left("it is not in conflict");
  const mine = disk.read(path);
  if (mine.kind !== "done") return left(`it cannot be read: ${mine.detail}`);
  const shown = conflict.shown.at(-1)!;
  const conflictCopy = disk.read(conflict.newestCopyPath);
  const theirs = conflictCopy.kind === "done" ? conflictCopy.value.text : state.text(shown.digest);
  const base = conflict.baseDigest === null ? "" : state.text(conflict.baseDigest);
  if (theirs === null || base === null) return left("a version that the merge needs is no longer in the history");
  const merged = mergeText(base, mine.value.text, theirs);
  if (merged.kind === "conflict") {
    const places = merged.hunks.length;
    return left(`it does not merge: ${places === 1 ? "1 place" : `${places} places`}, mdmirror conflicts show`);
  }
  const way = { kind: "merged", text: merged.text } as const;
  if (!force && markersIn({ state, disk }, subject, way)) return left(MARKERS);
  return { kind: "end", path, subject, way, seen: { mine: mine.value.digest, theirs: shown.digest } };
}

/** Ends each by itself, as one run: what fails does not keep the others. */
export async function resolveMany(world: World, items: readonly ResolveItem[], stop?: AbortSignal): Promise<ManyEnds> {
  const chosen = items.filter((item) => item.kind === "end");
  const left = items.flatMap((item) => (item.kind === "left" ? [leftAlone(item.path, item.why)] : []));
  if (chosen.length === 0) return { run: null, ends: left, isOffline: false };
  let run: number | null = null;
  let done: Omit<ManyEnds, "run"> = { ends: [], isOffline: false };
  const refused = await runManually(world, "resolve", async (ctx) => {
    run = ctx.run;
    done = await forEachOf(
      chosen,
      ({ subject, way, seen }) => resolveIn(ctx, subject, way, seen ?? undefined),
      (n) => world.progress.report("apply", n, chosen.length),
      () => isStopped(world, stop),
    );
    return [];
  });
  // Where the folder is another one now, nothing was begun.
  const [why] = refused;
  const ends = why === undefined ? done.ends : chosen.map(({ path }) => endOfManual(path, why));
  return { run, ends: [...ends, ...left].toSorted(byPath), isOffline: done.isOffline };
}
