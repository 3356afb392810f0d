import type { DocId } from "../../../contract/ids.ts";
import { EXACT_DISK, type LocalPath } from "../../../contract/path.ts";
import { unreadable } from "../../model/seen.ts";
import { makePlan } from "../../planner/plan.ts";
import type { Plan, Signals } from "../../planner/plan-types.ts";
import type { Reason } from "../../planner/verdict/stops.ts";
import type { Policy } from "../../model/policy.ts";
import type { BaseTree, LocalTree, RemoteTree, Trees } from "../../model/tree.ts";
import type { PassEnd, PassInput, PassContext } from "./pass-context.ts";
import { gatherSignals } from "./guard-facts.ts";
import { filesInUse, type InUse } from "./files-in-editors.ts";
import { observeLocal } from "../observe/observe.ts";
import { readChanged } from "../observe/read-changed.ts";
import { policyOf, textFinder } from "./policy.ts";
import { textKeeper, withLinks, withReturned, withUnseen } from "../observe/look.ts";

/** Makes a plan from the looks of a cycle. */

type Decided = { readonly plan: Plan; readonly trees: Trees; readonly policy: Policy };

type PassPlan = { readonly plan: Plan; readonly trees: Trees; readonly foreseen?: readonly Reason[] };

/**
 * Plans a cycle: after a second look at what is absent, without files that are in use, and with the
 * texts that had to be read for the safety checks.
 */
export async function planPass(
  ctx: PassContext,
  input: PassInput,
  trees: Trees,
  signals: Signals,
  inodesTrusted: boolean,
): Promise<PassPlan> {
  const decided = await planWithSecondScan(ctx, input, trees, signals, inodesTrusted);
  const used = await filesToLeave(ctx, input, decided);
  const { toRead = [] } = decided.plan;
  ctx.notes.mayEmpty = null;
  const waits = decided.plan.holds.some(({ reason }) => reason === "second-scan");
  if (used.size === 0 && toRead.length === 0 && !waits) return { plan: decided.plan, trees: decided.trees };
  const read = toRead.length === 0 ? decided.trees : await readChanged(ctx, decided.trees, toRead, input.dry);
  const policy = { ...decided.policy, inUse: new Map([...used].map(([path, { why }]) => [path, why])) };
  const plan = makePlan(read, policy, signals, textFinder(ctx));
  if (toRead.length > 0) ctx.notes.mayEmpty = emptiedBy(plan);
  if (!waits || plan.verdict.kind === "safety-stop") return { plan, trees: read };
  const { verdict } = makePlan(read, { ...policy, absentTwice: null }, signals, textFinder(ctx));
  return { plan, trees: read, ...(verdict.kind === "safety-stop" ? { foreseen: verdict.reasons } : {}) };
}

/** Returns the documents that a plan is known to empty locally. */
function emptiedBy({ steps }: Plan): ReadonlySet<DocId> {
  const emptied = new Set<DocId>();
  for (const { action } of steps) if ("empties" in action && action.empties === true) emptied.add(action.id);
  return emptied;
}

/** If the run may sleep, it waits for files that changed a moment ago. */
async function filesToLeave(
  ctx: PassContext,
  { dry, settings: { handsOff } }: PassInput,
  { plan, trees }: Decided,
): Promise<ReadonlyMap<LocalPath, InUse>> {
  if (handsOff === undefined) return new Map();
  const used = filesInUse(ctx, plan, trees.base);
  const open = new Map([...used].filter(([, { quietInMs }]) => quietInMs === null));
  if (dry) return open;
  if (!handsOff.sleeps || open.size === used.size) return used;
  await ctx.world.clock.sleep(Math.max(...[...used.values()].map(({ quietInMs }) => quietInMs ?? 0)));
  for (const path of used.keys()) if (!open.has(path)) ctx.notes.waitedEnough.set(path, "");
  return open;
}

/**
 * An absence that would delete a document on the service needs two looks some seconds apart: a
 * program may be between the two steps of a save.
 */
export async function planWithSecondScan(
  ctx: PassContext,
  input: PassInput,
  trees: Trees,
  signals: Signals,
  inodesTrusted: boolean,
): Promise<Decided> {
  const { world } = ctx;
  const { secondLookMs } = input.settings;
  const texts = textFinder(ctx);
  world.progress.report("plan", 0, null);
  const once = secondLookMs === null ? (input.absentTwice ?? null) : new Set<LocalPath>();
  const policy = policyOf(ctx, input, once);
  const plan = makePlan(trees, policy, signals, texts);
  const waiting = plan.holds.filter((hold) => hold.reason === "second-scan");
  if (secondLookMs === null || waiting.length === 0) return { plan, trees, policy };
  await world.clock.sleep(secondLookMs);
  const again = observeLocal(world, trees.base, inodesTrusted, textKeeper(ctx, input, trees.base));
  const unseen = new Map([...trees.local.unseen].filter(([path]) => !again.unseen.has(path)));
  const local = withLinks(ctx, input, { ...trees, local: withReturned(ctx, withUnseen(again, unseen)) });
  ctx.notes.local = local;
  // The second plan itself decides which document is where, and which is still absent.
  const twice = new Set(waiting.map((hold) => hold.path));
  const seenTwice = { ...trees, local };
  const then = policyOf(ctx, input, twice);
  return { plan: makePlan(seenTwice, then, signals, texts), trees: seenTwice, policy: then };
}

/**
 * The plan when the root is missing: nothing is visible, and only the verdict says what is wrong.
 */
export function planBlind(ctx: PassContext, input: PassInput, root: Signals["root"]): PassEnd {
  const base: BaseTree = ctx.world.state.load();
  const why = "the linked folder changed identity";
  const local: LocalTree = {
    files: new Map(),
    folders: new Map(),
    others: new Map(),
    unseen: new Map([["", unreadable(why)]]),
    disk: EXACT_DISK,
    inodesTrusted: false,
    ignores: () => false,
  };
  const unseen = new Map([...base.links.keys()].map((id) => [id, why] as const));
  const remote: RemoteTree = {
    files: new Map(),
    folders: new Map(),
    complete: false,
    foldersComplete: false,
    gone: new Set(),
    goneFolders: new Set(),
    outside: new Set(),
    unseen,
  };
  const trees = { base, local, remote };
  const signals = gatherSignals(ctx, base, remote, root);
  const plan = makePlan(trees, policyOf(ctx, input, null), signals, textFinder(ctx));
  return { kind: "planned", plan, trees, ends: [] };
}
