import { expect } from "vitest";
import { makePlan } from "../../src/mirror/planner/plan.ts";
import type { Plan, SafetySignals } from "../../src/mirror/planner/plan-types.ts";
import { type Policy, DEFAULT_GUARD_LIMITS } from "../../src/mirror/model/policy.ts";
import { SHELL_METACHARACTERS } from "../../src/contract/names.ts";
import { EXACT_DISK } from "../../src/contract/path.ts";
import type { Action } from "../../src/mirror/model/action.ts";
import { doLocally, doRemotely, worldOf } from "./commands.ts";
import { execute } from "./executor.ts";
import { treesOf, World } from "./world.ts";

/**
 * Base, local commands, remote commands, and the steps and blocks of the plan, separated by `; `.
 */
export type Row = readonly [base: string, local: string, remote: string, plan: string];

export function planOf(world: World, policy: Partial<Policy> = {}, signals: Partial<SafetySignals> = {}): Plan {
  return makePlan(treesOf(world), { ...POLICY, ...policy }, { ...SIGNALS, ...signals }, world.lookup());
}

export function describePlan(plan: Plan): string {
  return planWords(plan).join("; ");
}

export function worldAfter([base, local, remote]: Row, prepare: (world: World) => void = () => undefined): World {
  const world = worldOf(() => new World(), base);
  prepare(world);
  doLocally(world, local);
  doRemotely(world, remote);
  return world;
}

/** Expects the plan of the row, and that nothing is left to do after it is applied. */
export function checkRow(row: Row, policy: Partial<Policy> = {}, prepare?: (world: World) => void): void {
  const world = worldAfter(row, prepare);
  expect(describePlan(planOf(world, policy))).toBe(row[3]);
  for (let pass = 0; pass < 4; pass++) {
    const { steps } = planOf(world, policy);
    if (steps.length === 0) return;
    execute(world, steps, () => 0);
  }
  expect(describePlan(planOf(world, policy))).toBe("");
}

export const POLICY: Policy = {
  names: "map",
  refusedCharacters: SHELL_METACHARACTERS,
  remoteFolding: EXACT_DISK,
  direction: "both",
  prefer: null,
  conflicts: () => "conflict-copy",
  canMoveFolders: true,
  canMoveToRoot: true,
  retryRefused: false,
  unchangedContents: null,
  absentTwice: null,
  guards: DEFAULT_GUARD_LIMITS,
};

export const SIGNALS: SafetySignals = {
  root: "same",
  lossesDone: { local: 0, remote: 0 },
  earlierChangeIds: 0,
  restored: false,
  conflictsOpened: 0,
  emptied: new Set(),
  approved: new Set(),
};

/** Returns a step as in the tables: kind and paths. `~` marks a temporary path. */
function wordsOf(action: Action): string {
  switch (action.kind) {
    case "move-local":
    case "rename-remote":
    case "reparent-remote":
    case "move-folder-local":
    case "rename-folder-remote":
    case "reparent-folder-remote":
    case "move-conflict-copy":
      return `${action.kind} ${action.from}>${action.to}${"temporary" in action && action.temporary ? "~" : ""}`;
    case "relink":
    case "create-local":
    case "create-remote":
    case "meet":
    case "link-folder":
    case "make-folder-local":
    case "make-folder-remote":
      return `${action.kind}${action.kind === "link-folder" && action.carries !== null ? " alone" : ""} ${action.localPath === action.remotePath ? action.localPath : `${action.localPath}=${action.remotePath}`}`;
    case "delete-remote":
    case "remove-folder-remote":
      return `${action.kind} ${action.remotePath}`;
    case "note-facts":
      return `note-facts ${action.state}${action.protected ? " protected" : ""}`;
    case "look-again":
    case "forget-folder":
      return action.kind;
    case "end-conflict":
      return `end-conflict ${action.how} ${action.localPath}`;
    case "trash-local":
      return `trash-local ${action.localPath}${action.cause === "outside" ? " outside" : ""}`;
    case "drop-conflict":
      return `drop-conflict ${action.newestCopyPath ?? "-"}`;
    case "put":
    case "merge":
      return `${action.kind} ${action.localPath}${action.review ? " review" : ""}`;
    default:
      return `${action.kind} ${action.localPath}`;
  }
}

/** Returns all steps in order, then the blocks, with shortened temporary names. */
export function planWords(plan: Plan): string[] {
  const steps = plan.steps.map(({ action }) => wordsOf(action));
  const blocks = plan.blocks.map(({ reason, path }) => `block ${reason} ${path}`);
  return [...steps, ...blocks].map((word) =>
    word.replaceAll(/-mdmirror-[0-9a-f]{8}/g, "-TMP").replaceAll(/-[0-9a-f]{8}\b/g, "-HEX"),
  );
}
