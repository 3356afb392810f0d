import type { Action, Step } from "../../model/action.ts";
import { digestOf } from "../../model/digest.ts";
import type { GuardLimits, Policy } from "../../model/policy.ts";
import type { HaltReason, Signals, Verdict } from "../plan-types.ts";
import type { Trees } from "../../model/tree.ts";
import { guardKey } from "./guard-key.ts";

/** When to stop: the guards. */

/** LIMIT: sidecars gone in one pass that are still taken for decisions. */
export const MAX_SIDECARS_GONE = 3;

/** What judging needs to know of the match, and of the steps. */
export type PresenceCounts = {
  /** Linked documents (not suspended, not outside). */
  readonly known: number;
  readonly hereNow: number;
  readonly absentHere: number;
  readonly shownThere: number;
  readonly goneThere: number;
};

type Reason = { readonly reason: HaltReason; readonly detail: string };
type Guarded = { readonly index: number; readonly key: string };

export function judge(
  trees: Trees,
  policy: Policy,
  signals: Signals,
  steps: readonly Step[],
  sight: PresenceCounts,
): Verdict {
  const { stops, waived } = stopsAll(trees, policy, signals, sight);
  if (stops.length > 0) {
    const hash = digestOf(
      stops
        .map(({ reason }) => reason)
        .sort()
        .join("\n"),
    );
    return { kind: "halt", reasons: stops, guarded: [], stopsAll: true, hash };
  }
  const reasons: Reason[] = [];
  const guarded = new Map<number, string>();
  const guard = (reason: HaltReason, detail: string, those: readonly Guarded[]): void => {
    reasons.push({ reason, detail });
    for (const { index, key } of those) guarded.set(index, key);
  };
  const pending = (wanted: (action: Action) => boolean): Guarded[] => unapproved(steps, signals, wanted);
  const deletions = {
    remote: pending((action) => action.kind === "delete-remote"),
    local: pending((action) => action.kind === "trash-local"),
  };
  const folders = {
    remote: pending((action) => action.kind === "remove-folder-remote"),
    local: pending((action) => action.kind === "remove-folder-local" && action.dirId !== null),
  };
  judgeEmptied(sightAfter(trees, sight, steps), signals, deletions, folders, guard);
  judgeBudgets(policy.guards, signals, sight, deletions, guard);
  const known = Math.max(sight.known, trees.remote.files.size);
  const flood = Math.max(policy.guards.minConflicts, Math.floor(policy.guards.conflictShare * known));
  const clashes = pending((action) => action.kind === "meet" || action.kind === "merge");
  if (signals.conflictsOpened > flood && clashes.length > 0)
    guard("conflict-flood", `${signals.conflictsOpened} conflicts in this run, more than ${flood}`, clashes);
  const ends = pending((action) => action.kind === "end-conflict" && action.how === "mine");
  if (ends.length > MAX_SIDECARS_GONE)
    guard("sidecars-gone", `${ends.length} conflicts lost their other version at once`, ends);
  if (reasons.length === 0) return { kind: "run", ...(waived.length > 0 ? { waived } : {}) };
  const hash = digestOf([...guarded.values()].sort().join("\n"));
  return { kind: "halt", reasons, guarded: [...guarded.keys()].sort((a, b) => a - b), stopsAll: false, hash };
}

function unapproved(steps: readonly Step[], signals: Signals, wanted: (action: Action) => boolean): Guarded[] {
  const found: Guarded[] = [];
  for (const [index, { action }] of steps.entries()) {
    if (!wanted(action)) continue;
    const key = guardKey(action);
    if (!signals.approved.has(key)) found.push({ index, key });
  }
  return found;
}

type Stops = { readonly stops: readonly Reason[]; readonly waived: readonly HaltReason[] };

/**
 * What lets nothing run. Where a person may say that it is as it should be, approving the reason
 * itself does. What was approved and may stay as it is (documents that are held here, since this
 * mirror only pushes, or they were edited) is told, so that nobody has to say it before each run.
 */
function stopsAll(trees: Trees, { direction }: Policy, signals: Signals, sight: PresenceCounts): Stops {
  const reasons: Reason[] = [];
  const waived: HaltReason[] = [];
  const ask = (reason: HaltReason, detail: string): void => {
    if (!signals.approved.has(reason)) reasons.push({ reason, detail });
  };
  if (signals.root === "missing") reasons.push({ reason: "root-missing", detail: "the folder is not there" });
  if (signals.root === "marker-missing")
    reasons.push({
      reason: "root-replaced",
      detail: "the folder has lost its marker: another disk, or an empty mount point",
    });
  if (signals.root === "other-marker")
    reasons.push({ reason: "root-replaced", detail: "the folder has another mirror's marker" });
  if (signals.root === "moved-or-copied")
    ask("root-moved-or-copied", "the folder is not the one it was: moved, or a copy?");
  const visible = sight.shownThere + trees.remote.outside.size;
  if (trees.remote.complete && sight.known > 0 && visible === 0) {
    if (signals.approved.has("wrong-workspace")) waived.push("wrong-workspace");
    else if (trees.remote.nothingKnown === true) ask("wrong-workspace", tellUnknown(sight.known));
  }
  // ASSUMES: a change id never becomes the latest again by itself; so in a small workspace one such
  // document is enough.
  const few = Math.min(3, Math.max(1, Math.ceil(sight.known / 100)));
  if (signals.earlierChangeIds >= few && direction === "push-only" && signals.approved.has("service-restored"))
    waived.push("service-restored");
  else if (signals.earlierChangeIds >= few)
    ask("service-restored", `${signals.earlierChangeIds} documents show a version that was already superseded`);
  else if (signals.refusedBases >= 3)
    ask("service-restored", `${signals.refusedBases} versions that the service had given are unknown to it`);
  return { stops: reasons, waived };
}

function tellUnknown(known: number): string {
  return known === 1
    ? "the only linked document is not visible with this key, nor is any folder that was"
    : `none of ${known} linked documents is visible with this key`;
}

type Deletions = { readonly local: readonly Guarded[]; readonly remote: readonly Guarded[] };
type Guard = (reason: HaltReason, detail: string, those: readonly Guarded[]) => void;

/** What a side is left with once the plan has deleted there what is gone from the other. */
type SightAfter = PresenceCounts & { readonly leftHere: number; readonly leftThere: number };

function sightAfter({ base }: Trees, sight: PresenceCounts, steps: readonly Step[]): SightAfter {
  let [leftHere, leftThere] = [sight.hereNow, sight.shownThere];
  for (const { action } of steps) {
    if (action.kind !== "trash-local" && action.kind !== "delete-remote") continue;
    if (base.links.get(action.id)?.standing !== "linked") continue;
    if (action.kind === "trash-local") leftHere--;
    else leftThere--;
  }
  return { ...sight, leftHere, leftThere };
}

/**
 * Emptied: linked documents are gone from a side, and not one linked document stays there: the
 * others are not there either, or this plan takes them away, since they are gone from the other
 * side. It stays so while any of that is pending: what the mirror itself brought there since is no
 * sign that the rest was meant to go. Its folders wait with them, the empty ones too. A document
 * that was the only one may go without a question: nothing tells its deletion from any other, it
 * was looked for twice, and the service showed by it, or by a folder, that the key is this
 * workspace's.
 */
function judgeEmptied(
  sight: SightAfter,
  { emptied }: Signals,
  deletions: Deletions,
  folders: Deletions,
  guard: Guard,
): void {
  const isEmptied = (side: "local" | "remote", gone: number, left: number): boolean =>
    emptied.has(side) || (sight.known > 1 && gone > 0 && left <= 0);
  const { absentHere, hereNow, leftHere, goneThere, shownThere, leftThere } = sight;
  if (isEmptied("local", absentHere, leftHere) && deletions.remote.length > 0) {
    const detail = tellEmptied("the folder", "the service", sight.known, absentHere, hereNow, leftHere);
    guard("local-emptied", detail, [...deletions.remote, ...folders.remote]);
  }
  if (isEmptied("remote", goneThere, leftThere) && deletions.local.length > 0) {
    const detail = tellEmptied("the service", "the folder", sight.known, goneThere, shownThere, leftThere);
    guard("remote-emptied", detail, [...deletions.local, ...folders.local]);
  }
}

/**
 * @param there linked documents that are on the side now @param left of these, what no deletion of
 * this plan is about
 */
function tellEmptied(side: string, other: string, known: number, gone: number, there: number, left: number): string {
  if (left > 0) return `all linked documents were gone from ${side}, and ${gone} still are`;
  const are = (count: number): string => `${count} linked ${count === 1 ? "document is" : "documents are"}`;
  if (there > 0)
    return `${are(gone)} gone from ${side}, and what is left there, ${there} more, is gone from ${other}: ${side} would be left with none`;
  if (gone === known) return `all ${gone} linked documents are gone from ${side}`;
  return `${are(gone)} gone from ${side}, and none of the other ${known - gone} is seen there`;
}

function judgeBudgets(
  limits: GuardLimits,
  signals: Signals,
  sight: PresenceCounts,
  deletions: Deletions,
  guard: Guard,
): void {
  const budget = deleteBudget(limits, sight.known);
  for (const side of ["local", "remote"] as const) {
    const [done, planned] = [signals.deletionsDone[side], deletions[side].length];
    if (planned > 0 && done + planned > budget)
      guard(`delete-budget-${side}`, tellBudget(side, planned, done, budget), deletions[side]);
  }
}

function tellBudget(side: "local" | "remote", planned: number, done: number, budget: number): string {
  const pending = `${planned} ${planned === 1 ? "document" : "documents"}`;
  const goes = side === "remote" ? "to be deleted on the service" : "to go to the trash here";
  const before = done === 0 ? "" : `, and ${done} that went within the hour before,`;
  return `${pending} ${goes}${before} ${planned + done === 1 ? "is" : "are"} more than the ${budget} that need no question`;
}

/** Deletions on one side that need no question. */
export function deleteBudget(limits: GuardLimits, known: number): number {
  return Math.max(limits.minDeletes, Math.min(Math.floor(limits.deleteShare * known), limits.maxDeletes));
}
