import type { DocId } from "../../../contract/ids.ts";
import type { Seen } from "../../engine/manual/resolve.ts";
import type { World } from "../../engine/run/world.ts";
import { mergeText } from "../../../markdown/merge/merge.ts";
import { byPath } from "../../model/by-path.ts";
import { needsUser } from "../../model/block.ts";
import { type Block, isAway, type Link } from "../../model/link.ts";
import { isBelow, type LocalPath } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import { ok, type Result, trouble } from "../../../common/trouble.ts";
import { runSync, USUAL_RUN } from "../../folder/run.ts";
import { RESOLVE, type Way } from "../declared/resolve.ts";
import type { ResultOf } from "../define.ts";
import type { Operation } from "../run-operation.ts";
import { leftAsIs, runEach } from "./many.ts";
import { manualResult, markersIn, misfitOf, resolveIn, type Resolution } from "./resolve.ts";
import { theirsNow, type Versions, versionsOf } from "./problem-view.ts";
import { isPattern, namesOf, selectPaths, WHOLE_FOLDER } from "./selection.ts";
import { findProblem, isInConflict, type OpenProblem, problemOf } from "./open-problem.ts";

/** Resolves one problem, or several by their paths, a folder or a pattern, as one run. */

type BulkResolution = "mine" | "theirs" | "merged-where-clean";
const MANY_WAYS: readonly Way[] = ["mine", "theirs", "merged-where-clean"] satisfies BulkResolution[];

function isManyWay(way: Way): way is BulkResolution {
  return MANY_WAYS.includes(way);
}

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

export type ResolvePlan = {
  /** True if one document was named: a reason that prevents the choice then ends the whole call. */
  readonly isOne: boolean;
  readonly way: Way;
  readonly items: readonly ResolveItem[];
};

export const resolve: Operation<typeof RESOLVE, ResolvePlan> = {
  declared: RESOLVE,
  plan({ world }, { paths, way, text, force = false, expected }) {
    if ((way === "merged") !== (text !== undefined))
      return trouble("usage", "the merged content belongs to merged alone", "give both, or neither");
    const [name, second] = paths ?? [];
    if (!isManyWay(way) && (name === undefined || second !== undefined))
      return trouble("usage", `${way} takes one path`, `for several: ${MANY_WAYS.join(", ")}`);
    const isOne = name !== undefined && second === undefined && isOneProblem(world, name, way);
    if (expected !== undefined && !isOne)
      return trouble("usage", "expected names the versions of one document", "give one path");
    const resolution: Resolution = text === undefined ? { kind: way as AloneWay } : { kind: "merged", text };
    const items = isOne
      ? planOne(world, name, { way: resolution, force, seen: (expected as Versions | undefined) ?? null })
      : planResolve(world, paths === undefined ? null : namesOf(paths), way as BulkResolution, force);
    return items.kind === "trouble" ? items : ok({ isOne, way, items: items.value });
  },
  async seen(mirror, { items: [item] }, isDry) {
    if (item?.kind !== "end") return {};
    const { world } = mirror;
    const versions = versionsOf(world, item.subject);
    const theirs = await theirsNow(world, item.subject);
    // The version on the service is newer than the one that the user saw: downloads it, so that the
    // user can read it.
    if (!isDry && theirs !== versions.theirs) await runSync(mirror, USUAL_RUN, "sync");
    return { ...versions, theirs };
  },
  preview: ({ way, items }) => ({ way, run: null, isOffline: false, items: items.map(plannedItem) }),
  run: ({ world }, plan, stop) => resolvePlanned(world, plan, stop),
};

type AloneWay = Exclude<Way, "merged" | "merged-where-clean">;

function plannedItem(item: ResolveItem): ResultOf<typeof RESOLVE>["items"][number] {
  if (item.kind === "left") return leftAsIs(item.path, item.why);
  return { path: item.path, end: "planned", why: "", notes: [] };
}

/** Returns true if a name is about one document, rather than a folder or a pattern. */
function isOneProblem(world: StateAndDisk, name: string, way: Way): boolean {
  if (!isManyWay(way)) return true;
  if (way === "merged-where-clean") return false;
  if (findProblem(world, name).kind === "ok") return true;
  const below = ({ localPath }: Link) => isBelow(localPath, name);
  return name !== WHOLE_FOLDER && !isPattern(name) && !world.state.load().links.values().some(below);
}

type Choice = { readonly way: Resolution; readonly force: boolean; readonly seen: Seen | null };

function planOne(world: StateAndDisk, name: string, { way, force, seen }: Choice): Result<readonly ResolveItem[]> {
  const found = findProblem(world, name);
  if (found.kind === "trouble") return found;
  const subject = found.value;
  const misfit = misfitOf(world, subject, way, force);
  if (misfit !== null) return { kind: "trouble", trouble: misfit };
  return ok([{ kind: "end", path: subject.path, subject, way, seen }]);
}

/**
 * Plans a choice for several problems.
 * @param names paths, folders and patterns; null: all open problems
 * @returns items by path; trouble if a name has no open problem
 */
function planResolve(
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

/** A problem that a person has to solve. `subject`: null if no choice resolves it. */
type Open = {
  readonly path: LocalPath;
  readonly conflictCopy: LocalPath | null;
  readonly subject: OpenProblem | null;
  readonly block: Block | null;
};

function openThings(world: StateAndDisk, base: BaseTree): Open[] {
  const ids = new Set<string>([...base.conflicts.keys()]);
  for (const { key, reason } of base.blocks.values()) if (reason !== "conflict" && needsUser(reason)) ids.add(key);
  return [...ids].flatMap((key): Open[] => {
    const link = base.links.get(key as DocId);
    const block = base.blocks.get(key) ?? null;
    if (link !== undefined) return [openOf(problemOf(world, base, link), block, link.localPath)];
    return block === null ? [] : [openOf(null, block, block.path)];
  });
}

function openOf(subject: OpenProblem | null, block: Block | null, path: LocalPath): Open {
  return { path: subject?.path ?? path, conflictCopy: subject?.conflict?.newestCopyPath ?? null, subject, block };
}

/** Returns the open problems at the names. One path alone means the same as in `resolve PATH`. */
function openAt(world: StateAndDisk, base: BaseTree, names: readonly string[]): Result<readonly Open[]> {
  const one = names.length === 1 ? findProblem(world, names[0]!) : null;
  if (one?.kind === "ok") return ok([openOf(one.value, one.value.block, one.value.path)]);
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

function itemOf(world: StateAndDisk, { path, subject, block }: Open, way: BulkResolution, force: boolean): ResolveItem {
  if (subject === null)
    return { kind: "left", path, why: `blocked (${block?.reason ?? "not known"}): no choice resolves this` };
  if (way === "merged-where-clean") return mergedItem(world, subject, force);
  if (!subject.ways.includes(way)) {
    const ways = subject.ways.map((one) => `--${one}`).join(" or ");
    return { kind: "left", path, why: `blocked (${block?.reason ?? "in review"}): resolve it with ${ways}` };
  }
  if (!force && markersIn(world, subject, { kind: way })) return { kind: "left", path, why: MARKERS };
  return { kind: "end", path, subject, way: { kind: way }, seen: null };
}

const MARKERS = "the file has conflict markers: finish the merge; or use --force if they belong to the document";

/**
 * Plans a choice of the merged content: merges the present files. The other version is the content
 * of the `(theirs)` file, which its user may have edited. Without that file, it is the version that
 * the service showed last.
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

async function resolvePlanned(
  world: World,
  { isOne, way, items }: ResolvePlan,
  stop: AbortSignal,
): Promise<Result<ResultOf<typeof RESOLVE>>> {
  const chosen = items.filter((item) => item.kind === "end");
  const left = items.filter(({ kind }) => kind === "left").map(plannedItem);
  if (chosen.length === 0) return ok({ way, run: null, isOffline: false, items: left });
  const { run, ends, first, isOffline } = await runEach(
    world,
    "resolve",
    chosen,
    (ctx, { subject, way: one, seen }) => resolveIn(ctx, subject, one, seen ?? undefined),
    stop,
  );
  const failed = isOne && first !== null ? manualResult(chosen[0]!.path, first) : null;
  if (failed?.kind === "trouble") return failed;
  return ok({ way, run, isOffline, items: [...ends, ...left].toSorted(byPath) });
}
