import type { DocId } from "../../contract/ids.ts";
import type { Digest } from "../../model/digest.ts";
import type { LocalPath } from "../../model/path.ts";
import type { Plan, Signals } from "../../planner/plan-types.ts";
import type { OnText } from "../../ports/disk.ts";
import type { Fault } from "../../ports/remote.ts";
import type { BaseTree, LocalTree, Trees } from "../../model/tree.ts";
import { flushNow } from "../journal/durable.ts";
import { observe, planBlind, planWithSecondLook } from "../observe/look.ts";
import type { StepEnd } from "./execute.ts";
import { openGroup } from "../journal/group.ts";
import { checkRoot, conflictBudget, gatherSignals, rememberEmptied } from "./guard-facts.ts";
import type { RemoteLook } from "../observe/observe.ts";
import { keepSidecar } from "../apply/keep-sidecar.ts";
import { loadTools, readyTools } from "./tools.ts";
import { type Counts, type PassContext, type Settings, type Tally, type World, zeroTally } from "./world.ts";

/** One pass: observe → plan → apply, once. */

export type PassInput = {
  readonly run: number;
  readonly settings: Settings;
  /** Shared by the passes of one run. */
  readonly counts: Counts;
  /** Shared likewise; a pass by itself counts for itself. */
  readonly tally?: Tally;
  readonly retryRefused: boolean;
  readonly quietTexts: ReadonlyMap<DocId, Digest> | null;
  /** I23: nothing is written, on either side or in the state. */
  readonly dry: boolean;
  /** How to look, where somebody has been watching; else both sides are looked at in full. */
  readonly observers?: Observers;
  /**
   * With `secondLookMs: null`: the absences that were watched long enough; all others wait. Left
   * out: one look is enough.
   */
  readonly absentTwice?: ReadonlySet<LocalPath>;
};

/**
 * The two looks of a pass, made by somebody who has been watching: they may be cheaper, and may
 * call unseen what is still being written.
 */
export type Observers = {
  local(ctx: PassContext, base: BaseTree, inodesTrusted: boolean, keep: OnText): LocalTree;
  remote(base: BaseTree, trustEmpty: boolean): Promise<RemoteLook>;
};

export type PassEnd =
  | { readonly kind: "offline"; readonly fault: Fault }
  | { readonly kind: "planned"; readonly plan: Plan; readonly trees: Trees; readonly ends: readonly StepEnd[] };

/** The approval under which a workspace of which nothing known is visible counts as emptied. */
export const APPROVE_EMPTY = "wrong-workspace";

export async function runPass(world: World, input: PassInput): Promise<PassEnd> {
  const { root, inodesTrusted } = checkRoot(world);
  const ctx = newContext(world, input);
  if (root !== "same" && root !== "moved-or-copied") return planBlind(ctx, input, root);
  const end = await lookAndAct(ctx, input, root, inodesTrusted);
  await ctx.ahead?.end();
  return end;
}

async function lookAndAct(
  ctx: PassContext,
  input: PassInput,
  root: Signals["root"],
  inodesTrusted: boolean,
): Promise<PassEnd> {
  const { world } = ctx;
  const seen = await observe(ctx, input, inodesTrusted);
  if (seen.kind === "offline") return seen;
  const { trees } = seen;
  const signals = gatherSignals(ctx, trees.base, trees.remote, root);
  const decided = await planWithSecondLook(ctx, input, trees, signals, inodesTrusted);
  if (input.dry) return { kind: "planned", ...decided, ends: [] };
  noteLook(ctx, decided.plan, decided.trees);
  rememberEmptied(world, decided.plan, decided.trees);
  ctx.conflictBudget = conflictBudget(world, decided.plan, decided.trees, input.settings.guards);
  const ends = await carryOut(ctx, decided.plan);
  await flushNow(ctx);
  return { kind: "planned", ...decided, ends };
}

async function carryOut(ctx: PassContext, plan: Plan): Promise<StepEnd[]> {
  if (plan.steps.length === 0) return [];
  for (const { from, to } of plan.gaveWay ?? []) ctx.tally.gaveWay.set(from, to);
  const { applyPlan } = readyTools() ?? (await loadTools());
  return applyPlan(ctx, plan);
}

export function newContext(world: World, input: PassInput): PassContext {
  return {
    world,
    // Asked for with the first thing that is written down: a daemon's pass that finds nothing to do
    // is no run.
    get run() {
      return input.run;
    },
    settings: input.settings,
    local: null,
    isListed: true,
    folderIds: new Map(),
    counts: input.counts,
    toFlush: new Map(),
    group: openGroup(world.state, world.disk, world.clock),
    traitsAtStart: world.remote.traits(),
    tally: input.tally ?? zeroTally(),
  };
}

/** What the plan says of holds, and of sidecars that are there again, before anything is done. */
function noteLook(ctx: PassContext, plan: Plan, trees: Trees): void {
  const { state, clock } = ctx.world;
  state.replaceHolds(plan.holds.map((hold) => (hold.since === 0 ? { ...hold, since: clock.now() } : hold)));
  const looking = new Set(
    plan.steps.flatMap(({ action }) => (LOOKS.has(action.kind) && "id" in action ? [action.id] : [])),
  );
  for (const conflict of trees.base.conflicts.values())
    if (trees.local.others.has(conflict.sidecarPath)) keepSidecar(ctx.world, conflict);
  // Found once, a sidecar must be missing in two looks in a row again.
  for (const conflict of trees.base.conflicts.values())
    if (conflict.looksGone > 0 && !looking.has(conflict.id)) state.putConflict({ ...conflict, looksGone: 0 });
}

const LOOKS: ReadonlySet<string> = new Set(["look-again", "end-conflict"]);
