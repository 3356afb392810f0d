import type { Action, Step } from "../../model/action.ts";
import { digestOf } from "../../model/digest.ts";
import type { GuardLimits, Policy } from "../../model/policy.ts";
import type { Signals, Verdict } from "../plan-types.ts";
import type { Trees } from "../../model/tree.ts";
import { guardKey } from "./guard-key.ts";
import { type PresenceCounts, type Reason, stopsAll } from "./stops.ts";

/** The guards: when a plan must stop and ask. */

/** LIMIT: how many sidecars that are gone in one pass still count as decided by the user. */
const MAX_SIDECARS_GONE = 3;

/** A step that a guard stops, and the key by which it can be approved. */
type Guarded = { readonly index: number; readonly key: string };
type Finding = Reason & { readonly steps: readonly Guarded[] };

export function judge(
  trees: Trees,
  policy: Policy,
  signals: Signals,
  steps: readonly Step[],
  counts: PresenceCounts,
): Verdict {
  const deletions = {
    remote: unapproved(steps, signals, (action) => action.kind === "delete-remote"),
    local: unapproved(steps, signals, (action) => action.kind === "trash-local"),
  };
  const folders = signals.restored ? unapproved(steps, signals, isRemovalOfKnown) : [];
  const removals = { documents: deletions.local.length, folders: folders.length };
  const { stops, waived } = stopsAll(trees, policy, signals, counts, removals);
  if (stops.length > 0) return haltAll(stops, signals.restored ? [...deletions.local, ...folders] : []);
  const findings = [
    ...judgeEmptied(countsAfter(trees, counts, steps), signals, deletions, steps),
    ...judgeBudgets(policy.guards, signals, counts, deletions),
    ...judgeFlood(trees, policy.guards, signals, counts, steps),
    ...judgeSidecars(signals, steps),
  ];
  if (findings.length === 0) return { kind: "run", ...(waived.length > 0 ? { waived } : {}) };
  return haltOf(findings);
}

/** @param removals are approved with the reasons, so that nobody is asked twice */
function haltAll(stops: readonly Reason[], removals: readonly Guarded[]): Verdict {
  const asked = [...stops.map(({ reason }) => reason), ...removals.map(({ key }) => key)].sort();
  const guarded = removals.map(({ index }) => index).sort((a, b) => a - b);
  return { kind: "halt", reasons: stops, guarded, byReason: true, hash: digestOf(asked.join("\n")) };
}

function haltOf(findings: readonly Finding[]): Verdict {
  const reasons = findings.map(({ reason, detail }) => ({ reason, detail }));
  const keys = new Map(findings.flatMap(({ steps }) => steps.map(({ index, key }) => [index, key] as const)));
  const hash = digestOf([...keys.values()].sort().join("\n"));
  return { kind: "halt", reasons, guarded: [...keys.keys()].sort((a, b) => a - b), byReason: false, hash };
}

function judgeFlood(
  { remote }: Trees,
  limits: GuardLimits,
  signals: Signals,
  counts: PresenceCounts,
  steps: readonly Step[],
): Finding[] {
  const known = Math.max(counts.known, remote.files.size);
  const flood = Math.max(limits.minConflicts, Math.floor(limits.conflictShare * known));
  if (signals.conflictsOpened <= flood) return [];
  const clashes = unapproved(steps, signals, (action) => action.kind === "meet" || action.kind === "merge");
  if (clashes.length === 0) return [];
  const detail = `${signals.conflictsOpened} conflicts in this run, more than ${flood}`;
  return [{ reason: "conflict-flood", detail, steps: clashes }];
}

function judgeSidecars(signals: Signals, steps: readonly Step[]): Finding[] {
  const ends = unapproved(steps, signals, (action) => action.kind === "end-conflict" && action.how === "mine");
  if (ends.length <= MAX_SIDECARS_GONE) return [];
  return [
    { reason: "sidecars-gone", detail: `${ends.length} conflicts lost their other version at once`, steps: ends },
  ];
}

function unapproved(
  steps: readonly Step[],
  signals: Pick<Signals, "approved">,
  wanted: (action: Action) => boolean,
): Guarded[] {
  const found: Guarded[] = [];
  for (const [index, { action }] of steps.entries()) {
    if (!wanted(action)) continue;
    const key = guardKey(action);
    if (!signals.approved.has(key)) found.push({ index, key });
  }
  return found;
}

type Deletions = { readonly local: readonly Guarded[]; readonly remote: readonly Guarded[] };

/**
 * How many documents each side keeps once the plan has deleted there what is gone from the other.
 */
type CountsAfter = PresenceCounts & { readonly leftHere: number; readonly leftThere: number };

function countsAfter({ base }: Trees, counts: PresenceCounts, steps: readonly Step[]): CountsAfter {
  let [leftHere, leftThere] = [counts.hereNow, counts.shownThere];
  for (const { action } of steps) {
    if (action.kind !== "trash-local" && action.kind !== "delete-remote") continue;
    if (base.links.get(action.id)?.standing !== "linked") continue;
    if (action.kind === "trash-local") leftHere--;
    else leftThere--;
  }
  return { ...counts, leftHere, leftThere };
}

/**
 * A side is emptied when linked documents are gone from it and none stays: the others are missing
 * too, or this plan removes them because they are gone from the other side. That remains so while
 * any of it is pending, whatever the mirror itself has brought there since. The folders wait with
 * the documents, the empty ones too. A document that was the only one may go without a question:
 * its deletion looks like any other, it was looked for twice, and the service showed by the
 * document, or by a folder, that the key belongs to this workspace.
 */
function judgeEmptied(
  counts: CountsAfter,
  { emptied, approved }: Pick<Signals, "emptied" | "approved">,
  deletions: Deletions,
  steps: readonly Step[],
): Finding[] {
  const { known, absentHere, hereNow, leftHere, goneThere, shownThere, leftThere } = counts;
  const findings: Finding[] = [];
  const isLocalEmptied = emptied.has("local") || isLosingAll(known, absentHere, leftHere);
  if (isLocalEmptied && deletions.remote.length > 0) {
    const detail = tellEmptied("the folder", "the service", known, absentHere, hereNow, leftHere);
    const folders = unapproved(steps, { approved }, (action) => action.kind === "remove-folder-remote");
    findings.push({ reason: "local-emptied", detail, steps: [...deletions.remote, ...folders] });
  }
  const isRemoteEmptied = emptied.has("remote") || isLosingAll(known, goneThere, leftThere);
  if (isRemoteEmptied && deletions.local.length > 0) {
    const detail = tellEmptied("the service", "the folder", known, goneThere, shownThere, leftThere);
    const folders = unapproved(steps, { approved }, isRemovalOfKnown);
    findings.push({ reason: "remote-emptied", detail, steps: [...deletions.local, ...folders] });
  }
  return findings;
}

function isLosingAll(known: number, gone: number, left: number): boolean {
  return known > 1 && gone > 0 && left <= 0;
}

function isRemovalOfKnown(action: Action): boolean {
  return action.kind === "remove-folder-local" && action.dirId !== null;
}

/**
 * @param there linked documents that are on the side now
 * @param left those of them that no deletion of this plan concerns
 */
function tellEmptied(side: string, other: string, known: number, gone: number, there: number, left: number): string {
  if (left > 0) return `all linked documents were gone from ${side}, and ${gone} still are`;
  if (there > 0)
    return `${tellDocuments(gone)} gone from ${side}, and what is left there, ${there} more, is gone from ${other}: ${side} would be left with none`;
  if (gone === known) return `all ${gone} linked documents are gone from ${side}`;
  return `${tellDocuments(gone)} gone from ${side}, and none of the other ${known - gone} is seen there`;
}

function tellDocuments(count: number): string {
  return `${count} linked ${count === 1 ? "document is" : "documents are"}`;
}

function judgeBudgets(limits: GuardLimits, signals: Signals, counts: PresenceCounts, deletions: Deletions): Finding[] {
  const budget = deleteBudget(limits, counts.known);
  return (["local", "remote"] as const).flatMap((side): Finding[] => {
    const [done, planned] = [signals.deletionsDone[side], deletions[side].length];
    if (planned > 0 && done + planned > budget)
      return [
        { reason: `delete-budget-${side}`, detail: tellBudget(side, planned, done, budget), steps: deletions[side] },
      ];
    return [];
  });
}

function tellBudget(side: "local" | "remote", planned: number, done: number, budget: number): string {
  const pending = `${planned} ${planned === 1 ? "document" : "documents"}`;
  const goes = side === "remote" ? "to be deleted on the service" : "to go to the trash here";
  const before = done === 0 ? "" : `, and ${done} that went within the hour before,`;
  return `${pending} ${goes}${before} ${planned + done === 1 ? "is" : "are"} more than the ${budget} that need no question`;
}

/** How many deletions on one side need no question. */
export function deleteBudget(limits: GuardLimits, known: number): number {
  return Math.max(limits.minDeletes, Math.min(Math.floor(limits.deleteShare * known), limits.maxDeletes));
}
