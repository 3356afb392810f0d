import type { Plan, Signals } from "../../planner/plan-types.ts";
import type { Trees } from "../../model/tree.ts";
import { flushNow } from "../apply/flush.ts";
import { createdFirst } from "../links/created-first.ts";
import { rewriteLinks } from "../links/respell.ts";
import { observe } from "../observe/look.ts";
import { applyPlan } from "./apply-plan.ts";
import { planBlind, planPass } from "./plan-pass.ts";
import { copiesOf } from "../../model/conflict-copy-path.ts";
import { storeConflictCopy } from "../apply/keep-file-text.ts";
import type { StepEnd } from "./execute.ts";
import { checkRoot, conflictBudget, gatherSignals, rememberEmptied } from "./guard-facts.ts";
import { PassContext, type PassEnd, type PassInput, type Planned } from "./pass-context.ts";
import { stoppableBy } from "../../model/stoppable.ts";
import type { World } from "./world.ts";

/** One cycle: look, plan, apply. */

export async function runPass(world: World, input: PassInput): Promise<PassEnd> {
  const { root, inodesTrusted } = checkRoot(world);
  const ctx = new PassContext(world, input);
  if (root !== "same" && root !== "moved-or-copied") return planBlind(ctx, input, root);
  return lookAndAct(ctx, input, root, inodesTrusted);
}

async function lookAndAct(
  ctx: PassContext,
  input: PassInput,
  root: Signals["root"],
  inodesTrusted: boolean,
): Promise<PassEnd> {
  const { world } = ctx;
  let decided = await decide(ctx, input, root, inodesTrusted);
  if (decided.kind === "offline") return decided;
  if (input.dry) return { ...decided, ends: [] };
  // ORDER: after the safety checks, because this already changes files.
  const mayRedirect = decided.plan.verdict.kind === "run";
  if (mayRedirect && input.observers?.redirectSaves(ctx, decided.trees) === true) {
    decided = await decide(ctx, input, root, inodesTrusted);
    if (decided.kind === "offline") return decided;
  }
  noteLook(ctx, decided.plan, decided.trees);
  rememberEmptied(world, decided.plan, decided.trees);
  ctx.notes.conflictBudget = conflictBudget(world, decided.plan, decided.trees, input.settings.guards);
  ctx.notes.tally.readsOther = false;
  const { value: ends, isStopped } = await carryOut(ctx, decided.plan);
  settleLinks(ctx, decided.plan);
  await flushNow(ctx);
  return { ...decided, ends, isStopped };
}

/** Looks at both sides and plans. */
async function decide(
  ctx: PassContext,
  input: PassInput,
  root: Signals["root"],
  inodesTrusted: boolean,
): Promise<Extract<PassEnd, { kind: "offline" }> | Omit<Planned, "ends">> {
  const seen = await observe(ctx, input, inodesTrusted);
  if (seen.kind === "offline") return seen;
  const { trees } = seen;
  const signals = gatherSignals(ctx, trees.base, trees.remote, root);
  return { kind: "planned", ...(await planPass(ctx, input, trees, signals, inodesTrusted)) };
}

/** Rewrites the links to documents that moved, unless a safety check stops the plan. */
function settleLinks(ctx: PassContext, { verdict, steps }: Plan): void {
  const { links } = ctx.world;
  if (links === undefined || verdict.kind !== "run") return;
  links.begin(false);
  rewriteLinks(ctx);
  // ORDER: called when the links in moved documents have been read at their new places.
  ctx.notes.tally.linksOpen = steps.length > 0 && links.hasOpenTargets();
  links.tidy();
}

const WITHHELD: StepEnd = { kind: "skipped", why: "withheld" };

type CarriedOut = { readonly value: readonly StepEnd[]; readonly isStopped: boolean };

/** Between a stop and its answer nothing changes on either side, so no step starts. */
async function carryOut(ctx: PassContext, plan: Plan): Promise<CarriedOut> {
  if (plan.steps.length === 0) return { value: [], isStopped: false };
  if (plan.verdict.kind === "safety-stop") return { value: plan.steps.map(() => WITHHELD), isStopped: false };
  for (const { from, to } of plan.gaveWay ?? []) ctx.notes.tally.gaveWay.set(from, to);
  const { links, stoppable = unstoppable } = ctx.world;
  links?.expect(plan);
  const ordered = links === undefined ? plan : createdFirst(plan, links);
  return stoppable((stop) => applyPlan(ctx, ordered, stop));
}

const unstoppable = stoppableBy(new AbortController().signal);

/** Records the plan's blocked changes, and which copies exist again, before anything is done. */
function noteLook(ctx: PassContext, plan: Plan, trees: Trees): void {
  const { state, clock } = ctx.world;
  state.replaceHolds(plan.holds.map((hold) => (hold.since === 0 ? { ...hold, since: clock.now() } : hold)));
  ctx.notes.held = new Set(plan.holds.map(({ key }) => key));
  const looking = new Set(
    plan.steps.flatMap(({ action }) => (LOOKS.has(action.kind) && "id" in action ? [action.id] : [])),
  );
  const { maxNameBytes } = trees.local.disk;
  for (const conflict of trees.base.conflicts.values()) {
    const document = trees.base.links.get(conflict.id)?.localPath ?? conflict.newestCopyPath;
    for (const { path } of copiesOf(conflict, document, maxNameBytes))
      if (trees.local.others.has(path)) storeConflictCopy(ctx.world, conflict.id, path);
  }
  // A copy that was found again must be missing in two more looks in a row before it counts as
  // gone.
  for (const conflict of trees.base.conflicts.values())
    if (conflict.looksGone > 0 && !looking.has(conflict.id)) state.putConflict({ ...conflict, looksGone: 0 });
}

const LOOKS: ReadonlySet<string> = new Set(["look-again", "end-conflict"]);
