import type { Plan, PlanInput, SafetySignals } from "../../planner/plan-types.ts";
import {
  type BaseTree,
  type LocalTree,
  makeUnreadable,
  type RemoteFile,
  type RemoteTree,
  type Trees,
} from "../../model/tree.ts";
import { flushNow } from "../apply/durability.ts";
import { applyPlan, orderByLinks } from "./apply-plan.ts";
import { rewriteLinks } from "../links/respell.ts";
import {
  NOTHING_SEEN,
  noteScan,
  observe,
  makeContentStore,
  resolveLinks,
  withReturnedPaths,
  withUnseen,
} from "../observe/both-sides.ts";
import { listConflictCopies } from "../../model/names.ts";
import { readDocument, storeConflictCopy } from "../apply/effect.ts";
import { hasSucceeded, type StepEnd } from "./execute.ts";
import {
  checkRoot,
  computeConflictBudget,
  gatherSignals,
  isRestored,
  rememberEmptied,
  type RootCheck,
} from "./guard-facts.ts";
import {
  CycleContext,
  type CycleEnd,
  type CycleInput,
  makePolicy,
  makeTextFinder,
  type PlannedCycle,
} from "./cycle-context.ts";
import { makeStoppable } from "../../model/stoppable.ts";
import type { World } from "./world.ts";
import type { DocId } from "../../../contract/ids.ts";
import { EXACT_DISK, type LocalPath } from "../../../contract/path.ts";
import { makePlan } from "../../planner/plan.ts";
import type { Reason } from "../../planner/verdict/stops.ts";
import { findFilesInUse, type UsedFile } from "./files-in-use.ts";
import { includeAllDocuments } from "../../model/left-out.ts";
import { observeLocal } from "../observe/observe.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";

export async function runCycle(world: World, input: CycleInput): Promise<CycleEnd> {
  const rootCheck = checkRoot(world);
  const ctx = new CycleContext(world, input);
  if (rootCheck.root !== "same" && rootCheck.root !== "moved-or-copied")
    return planWithoutScan(ctx, input, rootCheck.root);
  return observeAndAct(ctx, input, rootCheck);
}

async function observeAndAct(ctx: CycleContext, input: CycleInput, check: RootCheck): Promise<CycleEnd> {
  const { world } = ctx;
  let plannedCycle = await observeAndPlan(ctx, input, check);
  if (plannedCycle.kind === "offline") return plannedCycle;
  if (input.dry) return { ...plannedCycle, ends: [] };
  // ORDER: saves are redirected after the safety checks, because `redirectSaves` changes files.
  const mayRedirect = plannedCycle.plan.verdict.kind === "run";
  if (mayRedirect && input.observers?.redirectSaves(ctx, plannedCycle.trees) === true) {
    plannedCycle = await observeAndPlan(ctx, input, check);
    if (plannedCycle.kind === "offline") return plannedCycle;
  }
  notePlan(ctx, plannedCycle.plan, plannedCycle.trees);
  rememberEmptied(world, plannedCycle.plan, plannedCycle.trees);
  ctx.notes.conflictBudget = computeConflictBudget(world, plannedCycle.plan, plannedCycle.trees, input.settings.guards);
  ctx.notes.tally.readsOther = false;
  const { value: ends, isStopped } = await carryOutPlan(ctx, plannedCycle.plan);
  updateLinks(ctx, plannedCycle.plan, ends);
  await flushNow(ctx);
  return { ...plannedCycle, ends, isStopped };
}

/**
 * Runs a cycle for a few documents. Does nothing if the plan does more than transfer their content.
 * @param seen trees with these documents, and the folders above these documents
 * @returns null if a full cycle is needed; nothing was changed then
 */
export async function runNarrowCycle(world: World, input: CycleInput, seen: Trees): Promise<PlannedCycle | null> {
  const { root, inodesTrusted } = checkRoot(world);
  if (root !== "same" || !inodesTrusted || isEffectOpen(world, seen)) return null;
  if (isRestored(world.state, world.remote.generation())) return null;
  const ctx = new CycleContext(world, input);
  world.links?.forms.begin(false);
  const trees = { ...seen, local: resolveLinks(ctx, input, seen) };
  noteScan(ctx, trees.local, trees.remote);
  const plannedCycle = await planCycle(ctx, input, trees, root);
  if (!transfersContent(world, plannedCycle.plan)) return null;
  const { value: ends, isStopped } = await carryOutPlan(ctx, plannedCycle.plan);
  await flushNow(ctx);
  return { ...plannedCycle, kind: "planned", trees, ends, isStopped };
}

/**
 * Returns true if a full cycle must first recover an interrupted effect. Rows for a set-aside file,
 * and for content that was sent without an answer, matter only for these documents and for new
 * documents.
 */
function isEffectOpen({ state }: World, { base, remote }: Trees): boolean {
  return state.intents().some(({ intent }) => {
    if (intent.kind !== "set-aside" && intent.kind !== "sent") return true;
    return intent.id === null || base.records.has(intent.id) || remote.files.has(intent.id);
  });
}

/**
 * Returns true if each step of a plan only transfers content or updates a record. A step that
 * creates a local file counts only if the document's two paths are equal.
 */
function transfersContent({ links }: World, { steps, blocks, verdict, toRead }: Plan): boolean {
  if (verdict.kind !== "run" || blocks.length > 0 || toRead !== undefined) return false;
  return steps.every(({ action }) => {
    if (action.kind === "put") return !action.review;
    // If links are converted, a new document may change links in other documents, which needs a
    // full cycle.
    if (links !== undefined) return false;
    if (action.kind === "create-local") return action.localPath === action.remotePath;
    return action.kind === "write-local" || action.kind === "note-facts";
  });
}

async function observeAndPlan(
  ctx: CycleContext,
  input: CycleInput,
  { root, inodesTrusted }: RootCheck,
): Promise<Extract<CycleEnd, { kind: "offline" }> | Omit<PlannedCycle, "ends">> {
  const observation = await observe(ctx, input, inodesTrusted);
  return observation.kind === "offline"
    ? observation
    : { kind: "planned", ...(await planCycle(ctx, input, observation.trees, root)) };
}

/** Rewrites the links to documents that moved. Does nothing if a safety check stopped the plan. */
function updateLinks(ctx: CycleContext, { verdict, steps }: Plan, ends: readonly StepEnd[]): void {
  const { links } = ctx.world;
  if (links === undefined || verdict.kind !== "run") return;
  links.forms.begin(false);
  rewriteLinks(ctx);
  // ORDER: targets are checked after the rewrite of links, which reads the links of moved documents
  // at their new paths.
  ctx.notes.tally.linksOpen = steps.length > 0 && links.hasOpenTargets();
  // If a move failed, neither a record nor a block has the current path of the moved file. So its
  // spelling would count as unused.
  if (ends.every((end) => end.kind === "ran" && hasSucceeded(end.outcome))) links.tidy();
}

const WITHHELD_END: StepEnd = { kind: "skipped", why: "withheld" };

type StepResults = { readonly value: readonly StepEnd[]; readonly isStopped: boolean };

/** Carries out a plan. After a stop, nothing changes on either side until the user answers. */
async function carryOutPlan(ctx: CycleContext, plan: Plan): Promise<StepResults> {
  if (plan.steps.length === 0) return { value: [], isStopped: false };
  if (plan.verdict.kind === "safety-stop") return { value: plan.steps.map(() => WITHHELD_END), isStopped: false };
  for (const { from, to } of plan.renamedForOthers ?? []) ctx.notes.tally.renamedForOthers.set(from, to);
  const { links, stoppable = unstoppable } = ctx.world;
  links?.expect(plan);
  const orderedPlan = links === undefined ? plan : orderByLinks(plan, links);
  return stoppable((stop) => applyPlan(ctx, orderedPlan, stop));
}

const unstoppable = makeStoppable(new AbortController().signal);

/** Stores the blocks of the plan and the contents of conflict copies before any step starts. */
function notePlan(ctx: CycleContext, plan: Plan, trees: Trees): void {
  const { state, clock } = ctx.world;
  state.replaceBlocks(plan.blocks.map((block) => (block.since === 0 ? { ...block, since: clock.now() } : block)));
  const { oneWay } = ctx.notes.tally;
  oneWay.push(...plan.blocks.filter(({ reason, since }) => reason === "direction-off" && since === 0));
  const observedIds = new Set(
    plan.steps.flatMap(({ action }) => (OBSERVING_STEPS.has(action.kind) && "id" in action ? [action.id] : [])),
  );
  const { maxNameBytes } = trees.local.disk;
  for (const conflict of trees.base.conflicts.values()) {
    const document = trees.base.records.get(conflict.id)?.localPath ?? conflict.newestCopyPath;
    for (const { path } of listConflictCopies(conflict, document, maxNameBytes))
      if (trees.local.others.has(path)) storeConflictCopy(ctx.world, conflict.id, path);
  }
  // A conflict copy counts as removed only if two scans in a row do not find the copy. This scan
  // found the copy again.
  for (const conflict of trees.base.conflicts.values())
    if (conflict.looksGone > 0 && !observedIds.has(conflict.id)) state.putConflict({ ...conflict, looksGone: 0 });
}

const OBSERVING_STEPS: ReadonlySet<string> = new Set(["look-again", "end-conflict"]);

type DecidedPlan = PlanInput & { readonly plan: Plan };

function makeDecidedPlan(input: PlanInput): DecidedPlan {
  const { trees, policy, signals, texts } = input;
  return { ...input, plan: makePlan(trees, policy, signals, texts) };
}

type CyclePlan = DecidedPlan & { readonly expectedStopReasons?: readonly Reason[] };

/**
 * Makes the plan of a cycle. Before documents are deleted on the service, scans the local folder a
 * second time. Blocks writes to files that are in use, and reads contents that the safety checks
 * need.
 */
async function planCycle(
  ctx: CycleContext,
  input: CycleInput,
  trees: Trees,
  root: SafetySignals["root"],
): Promise<CyclePlan> {
  const signals = gatherSignals(ctx, trees.base, trees.remote, root);
  const decidedPlan = await planWithSecondScan(ctx, input, trees, signals);
  const unwritableFiles = await findUnwritableFiles(ctx, input, decidedPlan);
  const { toRead = [] } = decidedPlan.plan;
  ctx.notes.mayBeEmptied = null;
  const needsSecondScan = decidedPlan.plan.blocks.some(({ reason }) => reason === "second-scan");
  if (unwritableFiles.size === 0 && toRead.length === 0 && !needsSecondScan) return decidedPlan;
  const readTrees =
    toRead.length === 0 ? decidedPlan.trees : await readChanged(ctx, decidedPlan.trees, toRead, input.dry);
  const inUse = new Map([...unwritableFiles].map(([path, { why }]) => [path, why]));
  const secondPlan = makeDecidedPlan({ ...decidedPlan, trees: readTrees, policy: { ...decidedPlan.policy, inUse } });
  if (toRead.length > 0) ctx.notes.mayBeEmptied = findEmptiedDocuments(secondPlan.plan);
  if (!needsSecondScan || secondPlan.plan.verdict.kind === "safety-stop") return secondPlan;
  const { verdict } = makeDecidedPlan({ ...secondPlan, policy: { ...secondPlan.policy, absentTwice: null } }).plan;
  return { ...secondPlan, ...(verdict.kind === "safety-stop" ? { expectedStopReasons: verdict.reasons } : {}) };
}

function findEmptiedDocuments({ steps }: Plan): ReadonlySet<DocId> {
  const emptiedIds = new Set<DocId>();
  for (const { action } of steps) if ("empties" in action && action.empties === true) emptiedIds.add(action.id);
  return emptiedIds;
}

/**
 * Returns the files that the plan must not write yet, because somebody is editing them. If the run
 * may sleep, first waits until recently changed files have been unchanged for long enough.
 */
async function findUnwritableFiles(
  ctx: CycleContext,
  { dry, settings: { handsOff } }: CycleInput,
  { plan, trees }: DecidedPlan,
): Promise<ReadonlyMap<LocalPath, UsedFile>> {
  if (handsOff === undefined) return new Map();
  const usedFiles = findFilesInUse(ctx, plan, trees.base);
  const openFiles = new Map([...usedFiles].filter(([, { settledInMs }]) => settledInMs === null));
  if (dry) return openFiles;
  if (!handsOff.sleeps || openFiles.size === usedFiles.size) return usedFiles;
  await ctx.world.clock.sleep(Math.max(...[...usedFiles.values()].map(({ settledInMs }) => settledInMs ?? 0)));
  for (const path of usedFiles.keys()) if (!openFiles.has(path)) ctx.notes.waitedEnough.set(path, "");
  return openFiles;
}

/**
 * Makes a plan. If the plan would delete documents on the service, waits some seconds, scans the
 * local folder again, and makes the plan again. During the first scan, a program may have been
 * between the two steps of a save.
 */
export async function planWithSecondScan(
  ctx: CycleContext,
  input: CycleInput,
  trees: Trees,
  signals: SafetySignals,
): Promise<DecidedPlan> {
  const { world } = ctx;
  const { secondLookMs } = input.settings;
  world.progress.report("plan", 0, null);
  const absentOnce = secondLookMs === null ? (input.absentTwice ?? null) : new Set<LocalPath>();
  const firstPlan = makeDecidedPlan({
    trees,
    policy: makePolicy(ctx, input, absentOnce),
    signals,
    texts: makeTextFinder(ctx),
  });
  const waitingBlocks = firstPlan.plan.blocks.filter((block) => block.reason === "second-scan");
  if (secondLookMs === null || waitingBlocks.length === 0) return firstPlan;
  await world.clock.sleep(secondLookMs);
  const fullTrees = includeAllDocuments(trees);
  const secondScan = observeLocal(
    world,
    fullTrees.base,
    trees.local.inodesTrusted,
    makeContentStore(ctx, input, fullTrees.base),
  );
  const unseenPaths = new Map([...trees.local.unseen].filter(([path]) => !secondScan.unseen.has(path)));
  const localTree = resolveLinks(ctx, input, {
    ...fullTrees,
    local: withReturnedPaths(ctx, withUnseen(secondScan, unseenPaths)),
  });
  ctx.notes.local = localTree;
  // The second plan matches files and documents again, so it shows which documents are still
  // absent.
  const absentTwice = new Set(waitingBlocks.map((block) => block.path));
  return makeDecidedPlan({
    ...firstPlan,
    trees: { ...fullTrees, local: localTree },
    policy: makePolicy(ctx, input, absentTwice),
  });
}

/** Makes a plan without a scan. A safety check stops this plan, for the reason `root`. */
function planWithoutScan(ctx: CycleContext, input: CycleInput, root: SafetySignals["root"]): CycleEnd {
  const base: BaseTree = ctx.world.state.load();
  const reason = "the linked folder changed identity";
  const emptyTree: LocalTree = {
    files: new Map(),
    folders: new Map(),
    others: new Map(),
    unseen: new Map([["", makeUnreadable(reason)]]),
    disk: EXACT_DISK,
    inodesTrusted: false,
    ignores: () => false,
  };
  const unseenDocuments = new Map([...base.records.keys()].map((id) => [id, reason] as const));
  const emptyRemote = { ...NOTHING_SEEN, unseen: unseenDocuments };
  const trees = { base, local: emptyTree, remote: emptyRemote };
  const signals = gatherSignals(ctx, base, emptyRemote, root);
  const decidedPlan = makeDecidedPlan({
    trees,
    policy: makePolicy(ctx, input, null),
    signals,
    texts: makeTextFinder(ctx),
  });
  return { kind: "planned", ...decidedPlan, ends: [] };
}

/**
 * Reads documents before the safety checks, because only their content shows whether a local file
 * would become blank. The checks must know the number of such files before mdmirror writes the
 * first file.
 * @returns the trees with the digests of the contents that were read
 */
async function readChanged(ctx: CycleContext, trees: Trees, ids: readonly DocId[], dry: boolean): Promise<Trees> {
  const files = new Map(trees.remote.files);
  await Promise.all(
    ids.map(async (id) => {
      const file = files.get(id);
      const digest =
        file === undefined ? null : (findKnownDigest(ctx, file) ?? (await readDigest(ctx, trees, file, dry)));
      if (file !== undefined && digest !== null) files.set(id, { ...file, digest });
    }),
  );
  const remoteTree: RemoteTree = { ...trees.remote, files };
  return { ...trees, remote: remoteTree };
}

/** Returns the digest of the listed version; null if no earlier cycle has read that version. */
function findKnownDigest({ world: { state } }: CycleContext, { id, changeId }: RemoteFile): Digest | null {
  const version = state.versions(id).find((other) => other.changeId === changeId);
  return version !== undefined && state.hasText(version.digest) ? version.digest : null;
}

/**
 * Returns the digest of a document's content; null if the document cannot be read, or has another
 * version than in the listing.
 */
async function readDigest(
  ctx: CycleContext,
  { base }: Trees,
  { id, changeId, path }: RemoteFile,
  dry: boolean,
): Promise<Digest | null> {
  const { world, notes } = ctx;
  const localPath = base.records.get(id)?.localPath ?? path;
  const answer = dry ? await world.remote.getFile(id) : await readDocument(ctx, id, localPath);
  if (!answer.ok) return null;
  const { content, ...file } = answer.value;
  if (file.lastChangeId !== changeId) return null;
  const digest = digestOf(content);
  if (dry) notes.dryTexts.set(digest, content);
  else {
    world.state.addVersion({ id, changeId, digest, at: world.clock.now() });
    notes.readBefore.set(id, { file, digest });
  }
  return digest;
}
