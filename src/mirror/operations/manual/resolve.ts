/** Resolves one problem, or in one run several problems by paths, folders or patterns. */

import { toPaths } from "../../model/mirror-folder.ts";
import type { DocId } from "../../../contract/ids.ts";
import * as manual from "../../engine/manual/resolve.ts";
import { mergeText } from "../../../markdown/merge/merge.ts";
import type { StateAndDisk } from "../history/lookup.ts";
import { compareByPath } from "../../model/by-path.ts";
import { isReviewReason, type ResolutionKind } from "../../model/block.ts";
import { type Block, isAway } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import { plural } from "../../../common/quantities.ts";
import { ok, refusal, type Result } from "../../../common/trouble.ts";
import { runSync, USUAL_RUN } from "../../folder/run.ts";
import { RESOLVE, type ResolutionWay } from "../declared/writes.ts";
import type { Operation } from "../run-operation.ts";
import { judgeContent } from "./save.ts";
import {
  ITEMS_IN_PARALLEL,
  makeLeftRow,
  type ItemsPlan,
  type PlanItem,
  makePlannedRow,
  listRows,
  runItems,
  isDone,
  meansSeveral,
  selectPaths,
} from "./many.ts";
import {
  findProblem,
  findRecordProblem,
  isInConflict,
  needsDecision,
  NEXT_WITHOUT_PROBLEM,
  type OpenProblem,
  type ProblemVersions,
  readTheirs,
  readVersions,
} from "./problem.ts";
import { hasNewConflictMarkers } from "../../planner/decide/gates.ts";
import type { ManualEnd } from "../../engine/manual/run-manually.ts";
import type { CycleContext } from "../../engine/run/cycle-context.ts";

const WAYS_FOR_SEVERAL: readonly ResolutionWay[] = ["mine", "theirs", "merged-where-clean"];

function isForSeveral(way: ResolutionWay): boolean {
  return WAYS_FOR_SEVERAL.includes(way);
}

type ResolvePlan = ItemsPlan & {
  readonly way: ResolutionWay;
  /** Problem of the document that the user named; null in a plan for several problems. */
  readonly problem: OpenProblem | null;
};

export const resolve: Operation<typeof RESOLVE, ResolvePlan> = {
  declared: RESOLVE,
  plan({ world }, { paths, way, text, force = false, expected }) {
    if ((way === "merged") !== (text !== undefined))
      return refusal("the merged content belongs to merged alone", "give both, or neither");
    const [name, secondName] = paths ?? [];
    if (!isForSeveral(way) && (name === undefined || secondName !== undefined))
      return refusal(`${way} takes one path`, `for several: ${WAYS_FOR_SEVERAL.join(", ")}`);
    const isOne = name !== undefined && secondName === undefined && isOneProblem(world, name, way);
    if (expected !== undefined && !isOne)
      return refusal("expected names the versions of one document", "give one path");
    const choice = { way, text, force, seen: (expected as ProblemVersions | undefined) ?? null };
    if (isOne) return planOneProblem(world, name, choice);
    const items = planResolve(world, paths === undefined ? null : toPaths(paths), choice);
    return items.kind === "trouble" ? items : ok({ isOne, way, problem: null, items: items.value });
  },
  async seen(mirror, { problem }, isDry) {
    if (problem === null) return {};
    const { world } = mirror;
    const versions = readVersions(world, problem);
    const serviceDigest = await readTheirs(world, problem);
    // The service has a newer version than the version that the user saw. A sync downloads the
    // newer version, so that the user can choose again.
    if (!isDry && serviceDigest !== versions.theirs) await runSync(mirror, USUAL_RUN, "sync");
    return { ...versions, theirs: serviceDigest };
  },
  preview: (plan) => ({ way: plan.way, run: null, isOffline: false, items: listRows(plan) }),
  async run({ world }, plan, stop) {
    const runResult = await runItems(world, "resolve", plan, stop, ITEMS_IN_PARALLEL);
    return runResult.kind === "trouble" ? runResult : ok({ way: plan.way, ...runResult.value });
  },
};

/** Returns false if the name is a folder or a pattern, or if the choice is `merged-where-clean`. */
function isOneProblem(world: StateAndDisk, name: string, way: ResolutionWay): boolean {
  if (!isForSeveral(way)) return true;
  if (way === "merged-where-clean") return false;
  if (findProblem(world, name).kind === "ok") return true;
  return !meansSeveral(world.state.load(), name);
}

type ResolveChoice = {
  readonly way: ResolutionWay;
  readonly text: string | undefined;
  readonly force: boolean;
  readonly seen: manual.SeenVersions | null;
};

function planOneProblem(world: StateAndDisk, name: string, choice: ResolveChoice): Result<ResolvePlan> {
  const foundProblem = findProblem(world, name);
  if (foundProblem.kind === "trouble") return foundProblem;
  const problem = foundProblem.value;
  const contentResult = choice.text === undefined ? ok(null) : judgeContent(problem.path, choice.text);
  if (contentResult.kind === "trouble") return contentResult;
  const itemResult = planChoice(world, problem, choice);
  if (itemResult.kind === "ok") return ok({ isOne: true, way: choice.way, problem, items: [itemResult.value] });
  const { what, next } = itemResult.trouble;
  return refusal(`${problem.path}: ${what}`, next);
}

/**
 * Plans one choice for several problems.
 * @param names paths, folders and patterns; null for all open problems
 * @returns items by path; trouble if the names select no open problem
 */
function planResolve(
  world: StateAndDisk,
  names: readonly string[] | null,
  choice: ResolveChoice,
): Result<readonly PlanItem[]> {
  const base = world.state.load();
  const chosenItems = names === null ? ok(listOpenItems(world, base)) : selectOpenItems(world, base, names);
  if (chosenItems.kind === "trouble") return chosenItems;
  const resolvableItems = chosenItems.value.filter(({ problem }) => {
    return choice.way !== "merged-where-clean" || (problem !== null && isInConflict(problem));
  });
  if (names !== null && resolvableItems.length === 0) return refuseWithoutOpenItem(names, choice.way);
  const items = resolvableItems.toSorted(compareByPath).map(({ path, problem, block }): PlanItem => {
    const itemResult =
      problem === null
        ? refusal(`blocked (${block?.reason ?? "not known"})`, "no choice resolves this")
        : planChoice(world, problem, choice);
    if (itemResult.kind === "ok") return itemResult.value;
    return { row: makeLeftRow(path, `${itemResult.trouble.what}; ${itemResult.trouble.next}`), act: null };
  });
  return ok(items);
}

function refuseWithoutOpenItem(names: readonly string[], way: ResolutionWay): Result<never> {
  const problemText =
    way === "merged-where-clean" ? "no document is in conflict" : "no document is in conflict or blocked";
  const placeClause = names.length === 1 ? `at ${names[0] === "" ? "all" : names[0]}` : "at any of these paths";
  return refusal(`${problemText} ${placeClause}`, NEXT_WITHOUT_PROBLEM);
}

/** An open problem that requires a person. `problem` is null if no choice resolves it. */
type OpenItem = { readonly path: LocalPath; readonly problem: OpenProblem | null; readonly block: Block | null };

function listOpenItems(world: StateAndDisk, base: BaseTree): OpenItem[] {
  const ids = new Set<string>([...base.conflicts.keys()]);
  for (const block of base.blocks.values()) if (needsDecision(block)) ids.add(block.key);
  return [...ids].flatMap((key): OpenItem[] => {
    const record = base.records.get(key as DocId);
    const block = base.blocks.get(key) ?? null;
    if (record !== undefined) return [makeOpenItem(findRecordProblem(world, base, record), block, record.localPath)];
    return block === null ? [] : [makeOpenItem(null, block, block.path)];
  });
}

function makeOpenItem(problem: OpenProblem | null, block: Block | null, path: LocalPath): OpenItem {
  return { path: problem?.path ?? path, problem, block };
}

function listPaths({ path, problem }: OpenItem): readonly LocalPath[] {
  const conflict = problem?.conflict ?? null;
  return conflict === null ? [path] : [path, conflict.newestCopyPath];
}

/** A single name may be the path of a conflict copy, or the document's path after a rename. */
function selectOpenItems(world: StateAndDisk, base: BaseTree, names: readonly string[]): Result<readonly OpenItem[]> {
  const namedProblem = names.length === 1 ? findProblem(world, names[0]!) : null;
  if (namedProblem?.kind === "ok")
    return ok([makeOpenItem(namedProblem.value, namedProblem.value.block, namedProblem.value.path)]);
  const openItems = listOpenItems(world, base);
  const recordedPaths = [...base.records.values()]
    .filter((record) => !isAway(record))
    .map(({ localPath }) => localPath);
  const selection = selectPaths(names, [...recordedPaths, ...openItems.flatMap(listPaths)], world.disk);
  if (selection.kind === "trouble") return selection;
  return ok(openItems.filter((open) => listPaths(open).some(selection.value)));
}

function planChoice(
  world: StateAndDisk,
  problem: OpenProblem,
  { way, text, force, seen }: ResolveChoice,
): Result<PlanItem> {
  const resolution = way === "merged-where-clean" ? mergeNow(world, problem) : ok({ kind: way, text, seen });
  if (resolution.kind === "trouble") return resolution;
  const { kind } = resolution.value;
  if (!problem.ways.includes(kind)) {
    const problemText = isInConflict(problem) ? "in conflict" : `blocked (${problem.block?.reason ?? "in review"})`;
    const nextStep = `choose ${problem.ways.map((way) => `--${way}`).join(" or ")}`;
    return refusal(`it is ${problemText}, and --${kind} does not resolve this`, nextStep);
  }
  if (!force && hasMarkers(world, problem, resolution.value))
    return refusal("its content has conflict markers (<<<<<<< ======= >>>>>>>)", FINISH_MERGE);
  return ok({ row: makePlannedRow(problem.path), act: (ctx) => carryOutChoice(ctx, problem, resolution.value) });
}

const FINISH_MERGE = "finish the merge; or use --force if the markers belong to the document";

/**
 * Merges the local content with the conflict copy, which the user may have edited. Without a
 * conflict copy, uses the last known version on the service.
 */
function mergeNow({ state, disk }: StateAndDisk, { path, conflict }: OpenProblem): Result<Resolution> {
  const localResult = disk.read(path);
  if (localResult.kind !== "done")
    return refusal(`it cannot be read: ${localResult.detail}`, "solve the named problem");
  const lastShown = conflict!.shown.at(-1)!;
  const conflictCopy = disk.read(conflict!.newestCopyPath);
  const otherText = conflictCopy.kind === "done" ? conflictCopy.value.text : state.text(lastShown.digest);
  const base = conflict!.baseDigest === null ? "" : state.text(conflict!.baseDigest);
  if (otherText === null || base === null)
    return refusal("a version that the merge needs is no longer in the history", "choose --mine or --theirs");
  const mergeResult = mergeText(base, localResult.value.text, otherText);
  if (mergeResult.kind === "conflict") {
    const problemText = `it does not merge: ${plural(mergeResult.hunks.length, "place")}`;
    return refusal(problemText, "mdmirror conflicts shows them");
  }
  return ok({
    kind: "merged",
    text: mergeResult.text,
    seen: { mine: localResult.value.digest, theirs: lastShown.digest },
  });
}

/** `seen`: versions that the user saw; null if unknown. */
export type Resolution = {
  readonly kind: ResolutionKind;
  /** Merged content; undefined for every choice but `merged`. */
  readonly text?: string | undefined;
  readonly seen?: manual.SeenVersions | null;
};

/** Carries out a choice. With `--force`, also sends content with conflict markers. */
async function carryOutChoice(ctx: CycleContext, problem: OpenProblem, way: Resolution): Promise<ManualEnd> {
  const hasConflictMarkers = hasMarkers(ctx.world, problem, way);
  const firstEnd = await resolveOne(ctx, problem, way);
  if (!isDone(firstEnd)) return firstEnd;
  const notes = [...firstEnd.notes, ...listReviewNotes(problem, way)];
  if (!hasConflictMarkers) return { ...firstEnd, notes };
  // The planner of a sync would take content with conflict markers for an unfinished merge, and
  // block the document.
  const sendEnd = await manual.sendWithMarkers(ctx, { record: problem.record, path: problem.path });
  return isDone(sendEnd) ? { outcome: sendEnd.outcome, notes: [...notes, ...sendEnd.notes] } : sendEnd;
}

/** Adds a note if a change is in review, because the API cannot withdraw the change. */
function listReviewNotes({ record }: OpenProblem, { kind }: Resolution): string[] {
  if (record.submissions.length === 0 || (kind !== "mine" && kind !== "theirs" && kind !== "merged")) return [];
  const ids = record.submissions.flatMap(({ changeId }) => changeId ?? []);
  const idText = ids.length === 0 ? "" : ` (${[...new Set(ids)].join(", ")})`;
  return [
    `its review on the service${idText} stays open: reject it in the web app if it is undecided, or it may replace this version`,
  ];
}

/** Returns true if the chosen content has conflict markers that base does not have. */
function hasMarkers(world: StateAndDisk, problem: OpenProblem, { kind, text }: Resolution): boolean {
  if (kind !== "mine" && kind !== "merged") return false;
  const base = world.state.text(problem.record.digest);
  if (text !== undefined) return hasNewConflictMarkers(text, base);
  const readResult = world.disk.read(problem.path);
  return readResult.kind === "done" && hasNewConflictMarkers(readResult.value.text, base);
}

async function resolveOne(
  ctx: CycleContext,
  { record, conflict, block, path }: OpenProblem,
  { kind, text, seen }: Resolution,
): Promise<ManualEnd> {
  const placedDocument: manual.PlacedDocument = { record, path, ...(seen ? { seen } : {}) };
  const leftMirror = block?.reason === "renamed-out-of-mirror";
  switch (kind) {
    case "mine":
      if (conflict !== null) return manual.keepMine(ctx, placedDocument, conflict);
      return block === null || isReviewReason(block.reason)
        ? manual.resubmit(ctx, record)
        : manual.forgetRefusal(ctx, record.id);
    case "theirs":
      return manual.takeTheirs(ctx, placedDocument, conflict);
    case "merged":
      return manual.writeMerged(ctx, placedDocument, conflict, ctx.world.disk.toServiceForm?.(path, text!) ?? text!);
    case "keep":
      return leftMirror ? manual.restoreOldName(ctx, record) : manual.keepAsNew(ctx, placedDocument, conflict);
    case "delete":
      return leftMirror ? manual.deleteOnService(ctx, record) : manual.dropLocalEdit(ctx, placedDocument, conflict);
    case "recreate":
      return manual.recreate(ctx, placedDocument);
  }
}
