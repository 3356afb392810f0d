/**
 * Collects facts for the safety checks besides the trees: the root, recent losses, approvals, and
 * whether the service was restored from a backup.
 */
import type { DocId } from "../../../contract/ids.ts";
import { isAnyWaitingForScan } from "../../model/block.ts";
import type { Plan, SafetySignals, StopReason, Verdict } from "../../planner/plan-types.ts";
import type { GuardLimits } from "../../model/policy.ts";
import { NOTHING_LEFT_OUT } from "../../model/left-out.ts";
import type { BaseTree, RemoteTree, Trees } from "../../model/tree.ts";
import { toApprovalKey } from "../../planner/verdict/stops.ts";
import { META } from "./meta.ts";
import { recordEvent, type World } from "./world.ts";
import type { ConflictBudget, CycleContext } from "./cycle-context.ts";
import type { State } from "../../ports/state.ts";

export type RootCheck = { readonly root: SafetySignals["root"]; readonly inodesTrusted: boolean };

/**
 * Checks whether the folder is the one to which the state belongs. The device number of the folder
 * can change, for example after a reboot. If only the device number differs, inodes do not identify
 * files in this run.
 */
export function checkRoot(world: World): RootCheck {
  const currentRoot = world.disk.identify();
  if (currentRoot === null) return { root: "missing", inodesTrusted: false };
  if (currentRoot.markerId === null) return { root: "marker-missing", inodesTrusted: false };
  const { state } = world;
  if (currentRoot.markerId !== state.meta(META.rootMarker)) return { root: "other-marker", inodesTrusted: false };
  const isSameDevice = String(currentRoot.dev) === state.meta(META.rootDev);
  const isSameInode =
    String(currentRoot.ino) === state.meta(META.rootIno) && String(currentRoot.birthMs) === state.meta(META.rootBirth);
  if (isSameInode) return { root: "same", inodesTrusted: isSameDevice };
  return { root: "moved-or-copied", inodesTrusted: false };
}

/** Records that the state belongs to the current folder. */
export function rememberRoot(world: World): void {
  const currentRoot = world.disk.identify();
  if (currentRoot === null) return;
  const { state } = world;
  state.transact(() => {
    state.setMeta(META.rootMarker, currentRoot.markerId);
    state.setMeta(META.rootDev, String(currentRoot.dev));
    state.setMeta(META.rootIno, String(currentRoot.ino));
    state.setMeta(META.rootBirth, String(currentRoot.birthMs));
  });
}

/**
 * Returns the keys of all approved actions and reasons.
 * @param restored true if the service was restored since its generation was last stored. Older
 * versions that the user approved before do not cover this restore.
 */
export function readApprovedKeys(
  { state, ignoresApproval }: Pick<World, "state" | "ignoresApproval">,
  restored = false,
): Set<string> {
  const waivedReasons = readKeys(state.meta(META.waived));
  return new Set([
    ...(ignoresApproval === true ? [] : readKeys(state.meta(META.approved))),
    ...waivedReasons.filter((reason) => !restored || reason !== "service-restored"),
  ]);
}

function readKeys(text: string | null): string[] {
  return text === null ? [] : (JSON.parse(text) as string[]);
}

/** Ends the approvals, except for approved reasons that the plan still found. */
function endApprovals(world: World, { waived }: Extract<Verdict, { kind: "run" }>): void {
  const { state } = world;
  const waivedText = waived === undefined ? null : JSON.stringify(waived);
  if (state.meta(META.waived) !== waivedText) state.setMeta(META.waived, waivedText);
  if (state.meta(META.approved) === null) return;
  state.setMeta(META.approved, null);
  forgetLosses(world);
  // The approval may have been about a moved linked folder, so the folder at the new path is now
  // the linked folder.
  rememberRoot(world);
}

export function describeStop({ reasons }: Extract<Verdict, { kind: "safety-stop" }>): string {
  return reasons.map(({ reason, detail }) => `${reason}: ${detail}`).join("; ");
}

/**
 * Stores a stop, which lasts until the user approves it or its cause ends. After a run without a
 * stop, ends the approvals.
 */
export function rememberStop(world: World, run: { readonly number: number }, verdict: Verdict): void {
  const { state } = world;
  if (verdict.kind === "safety-stop") {
    const { hash, reasons } = verdict;
    const safetyStop = JSON.stringify({ hash, reasons });
    if (state.meta(META.safetyStop) === safetyStop) return;
    state.setMeta(META.safetyStop, safetyStop);
    const detail = describeStop(verdict);
    const event = { kind: "safety-stop", side: "both", id: null, path: "", detail, outcome: "stopped" } as const;
    recordEvent(world, run.number, event);
    return;
  }
  state.transact(() => {
    if (state.meta(META.safetyStop) !== null) state.setMeta(META.safetyStop, null);
    endApprovals(world, verdict);
  });
}

function readConflictsBeforeStop(world: World): number {
  return Number(world.state.meta(META.flood) ?? 0);
}

/**
 * Stores the number of conflicts that opened before the stop. Otherwise the next run would count
 * from zero, and open the stopped conflicts.
 */
export function recordConflictStop(world: World, verdict: Verdict, opened: number): void {
  const isStopped = verdict.kind === "safety-stop" && verdict.reasons.some(({ reason }) => reason === "conflict-flood");
  if (isStopped && opened > 0) world.state.setMeta(META.flood, String(readConflictsBeforeStop(world) + opened));
  if (verdict.kind === "run" && world.state.meta(META.flood) !== null) world.state.setMeta(META.flood, null);
}

type EmptiedSide = SafetySignals["emptied"] extends ReadonlySet<infer Side> ? Side : never;

function readEmptiedSides(world: World): Set<EmptiedSide> {
  const text = world.state.meta(META.emptied);
  return new Set(text === null ? [] : (text.split(" ") as EmptiedSide[]));
}

const SIDE_BY_STOP_REASON: { readonly [reason in StopReason]?: EmptiedSide } = {
  "local-emptied": "local",
  "remote-emptied": "remote",
};

/**
 * Remembers the sides on which a safety check found no document (I21, I22). A side is forgotten
 * after a complete scan of it in which each remaining deletion is approved. A single document that
 * comes back, perhaps after a crash, is not enough, because it proves nothing about the missing
 * documents.
 */
export function rememberEmptied(world: World, { verdict, blocks }: Plan, { local, remote }: Trees): void {
  const earlierSides = readEmptiedSides(world);
  const sides = new Set(earlierSides);
  if (verdict.kind === "safety-stop") {
    for (const { reason } of verdict.reasons) {
      const side = SIDE_BY_STOP_REASON[reason];
      if (side !== undefined) sides.add(side);
    }
  } else {
    if (local.unseen.size === 0 && !isAnyWaitingForScan(blocks)) sides.delete("local");
    if (remote.complete && remote.unseen.size === 0) sides.delete("remote");
  }
  if (sides.size === earlierSides.size) return;
  world.state.setMeta(META.emptied, sides.size === 0 ? null : [...sides].sort().join(" "));
}

/**
 * Computes how many conflicts may open. The limit applies while conflicts open, because a merge
 * only then shows which contents conflict.
 */
export function computeConflictBudget(
  world: World,
  { steps }: Plan,
  trees: Trees,
  limits: GuardLimits,
): ConflictBudget {
  const keys = readApprovedKeys(world);
  const approvedIds = new Set<DocId>();
  if (keys.size > 0) {
    for (const { action } of steps) {
      if ((action.kind === "meet" || action.kind === "merge") && keys.has(toApprovalKey(action)))
        approvedIds.add(action.id);
    }
  }
  // Unlike the safety check, this limit also counts suspended documents and documents outside the
  // linked folder. Otherwise the limit could be lower than that of the check, and could stop
  // conflicts without a question to the user.
  const { base, remote, leftOut = NOTHING_LEFT_OUT } = trees;
  const documentCount = leftOut.count + Math.max(base.records.size, remote.files.size);
  const maxConflicts = Math.max(limits.minConflicts, Math.floor(limits.conflictShare * documentCount));
  return { max: maxConflicts - readConflictsBeforeStop(world), approved: approvedIds };
}

export function gatherSignals(
  ctx: CycleContext,
  base: BaseTree,
  remote: RemoteTree,
  root: SafetySignals["root"],
): SafetySignals {
  const { state } = ctx.world;
  const restored = isRestored(state, remote.generation ?? null);
  const earlierVersions = new Set<DocId>();
  for (const file of remote.files.values()) {
    const record = base.records.get(file.id);
    if (record === undefined || record.changeId === file.changeId) continue;
    // The user has already approved the conflict about this version, so mdmirror does not ask
    // again.
    if (base.conflicts.get(file.id)?.shown.at(-1)?.changeId === file.changeId) continue;
    if (state.isEarlier(file.id, file.changeId, record.changeId)) earlierVersions.add(file.id);
  }
  return {
    root,
    lossesDone: countRecentLosses(ctx.world),
    earlierVersions,
    restored,
    conflictsOpened: ctx.notes.counts.conflicts + readConflictsBeforeStop(ctx.world),
    emptied: readEmptiedSides(ctx.world),
    approved: readApprovedKeys(ctx.world, restored),
  };
}

const HOUR_MS = 3_600_000;

type RunNumber = number;

/**
 * A run and a monotonic time. All losses in this run and in earlier runs happened before this time.
 */
type LossMark = readonly [run: RunNumber, before: number];

/**
 * The documents that a side lost within the last hour, for the limit of deletions. The hour is
 * measured by the monotonic clock, because a user may change the wall clock at any time (I29).
 */
type RecentLosses = {
  /** Last run with losses that no longer count, because the losses are an hour old or approved. */
  readonly after: RunNumber;
  /** Marks of the runs after `after`, the oldest first. Some marks may be over an hour old. */
  readonly marks: readonly LossMark[];
};

/**
 * Returns how many documents each side lost in the last hour. Losses before the last approval do
 * not count.
 */
function countRecentLosses(world: World): SafetySignals["lossesDone"] {
  const { after } = readRecentLosses(world);
  const { state } = world;
  return { local: state.lossesAfter("local", after), remote: state.lossesAfter("remote", after) };
}

/** Stores a mark at the end of a run in which documents were lost. */
export function markLosses(world: World): void {
  const { state, clock } = world;
  const { after, marks } = readRecentLosses(world);
  const lastMarkedRun = marks.at(-1)?.[0] ?? after;
  if (state.lossesAfter("local", lastMarkedRun) + state.lossesAfter("remote", lastMarkedRun) === 0) return;
  writeRecentLosses(world, { after, marks: [...marks, [readNewestRun(world), clock.monotonic()]] });
}

/** Forgets the losses so far, because the user has approved them. */
function forgetLosses(world: World): void {
  writeRecentLosses(world, { after: readNewestRun(world), marks: [] });
}

function readNewestRun({ state }: World): RunNumber {
  return state.runs(1)[0]?.run ?? 0;
}

/** Returns the stored losses. Leaves out marks that are at least an hour old. */
function readRecentLosses(world: World): RecentLosses {
  const text = world.state.meta(META.losses);
  const { after, marks } = text === null ? { after: 0, marks: [] } : (JSON.parse(text) as RecentLosses);
  const lastOldIndex = marks.findLastIndex((mark) => computeMinimumAge(world, mark) >= HOUR_MS);
  return lastOldIndex < 0 ? { after, marks } : { after: marks[lastOldIndex]![0], marks: marks.slice(lastOldIndex + 1) };
}

function writeRecentLosses({ state }: World, lately: RecentLosses): void {
  state.setMeta(META.losses, JSON.stringify(lately));
}

/**
 * Returns the number of milliseconds that have certainly passed since a mark. A mark in the future
 * comes from an earlier boot, because the monotonic clock starts when the machine boots. The result
 * is then the time since the current boot.
 */
function computeMinimumAge({ clock }: World, [, before]: LossMark): number {
  const now = clock.monotonic();
  return now >= before ? now - before : now;
}

/**
 * Returns true if the service was restored from a backup since `rememberGeneration` last stored the
 * generation. After a restore, a missing document was perhaps not deleted, but is newer than the
 * backup. Therefore safety checks stop deletions until no document is missing.
 * @param current the service's generation; null if the service reports none
 */
export function isRestored(state: Pick<State, "meta">, current: string | null): boolean {
  const knownGeneration = current === null ? null : state.meta(META.generation);
  return knownGeneration !== null && knownGeneration !== current;
}

export function rememberGeneration({ state }: World, { verdict }: Plan, { remote }: Trees): void {
  const { generation = null } = remote;
  if (generation === null || verdict.kind === "safety-stop") return;
  const knownGeneration = state.meta(META.generation);
  if (knownGeneration === generation || (knownGeneration !== null && !mayRemember(state, remote))) return;
  state.setMeta(META.generation, generation);
}

/**
 * Returns true if the generation may be stored: no document of base is missing on the service, or
 * the user approved the missing documents. After an approval, the record of a missing document with
 * an edited file stays. The approval is enough, so that the user need not approve twice.
 */
function mayRemember(state: State, { complete, foldersComplete, unseen, gone, goneFolders }: Trees["remote"]): boolean {
  if (readKeys(state.meta(META.approved)).includes("service-restored")) return true;
  if (!complete || !foldersComplete || unseen.size > 0) return false;
  return [...gone].every((id) => state.record(id) === null) && [...goneFolders].every((id) => state.dir(id) === null);
}
