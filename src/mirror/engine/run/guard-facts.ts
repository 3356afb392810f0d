/**
 * Collects facts for the safety checks that are not in the trees: the root's identity, recent
 * deletions, approvals.
 */

import type { DocId } from "../../../contract/ids.ts";
import { waitForScan } from "../../model/block.ts";
import type { StopReason, Plan, Signals, Verdict } from "../../planner/plan-types.ts";
import type { GuardLimits } from "../../model/policy.ts";
import { NOTHING_LEFT_OUT } from "../../model/left-out.ts";
import type { BaseTree, RemoteTree, Trees } from "../../model/tree.ts";
import { guardKey } from "../../planner/verdict/guard-key.ts";
import { forgetLosses, lossesLately } from "./losses-lately.ts";
import { META } from "./meta.ts";
import { isRestored } from "./generation.ts";
import { recordEvent, type World } from "./world.ts";
import type { ConflictBudget, CycleContext } from "./cycle-context.ts";

export type RootCheck = { readonly root: Signals["root"]; readonly inodesTrusted: boolean };

/**
 * Compares the folder with the folder that the state belongs to. If only the device number changed,
 * as after a reboot, inodes prove nothing in this run.
 */
export function checkRoot(world: World): RootCheck {
  const currentRoot = world.disk.identify();
  if (currentRoot === null) return { root: "missing", inodesTrusted: false };
  if (currentRoot.markerId === null) return { root: "marker-missing", inodesTrusted: false };
  const { state } = world;
  if (currentRoot.markerId !== state.meta(META.rootMarker)) return { root: "other-marker", inodesTrusted: false };
  const sameDev = String(currentRoot.dev) === state.meta(META.rootDev);
  const sameIno =
    String(currentRoot.ino) === state.meta(META.rootIno) && String(currentRoot.birthMs) === state.meta(META.rootBirth);
  if (sameIno) return { root: "same", inodesTrusted: sameDev };
  return { root: "moved-or-copied", inodesTrusted: false };
}

/**
 * Makes the current folder the one that the state belongs to. Inodes of the old folder mean nothing
 * from then on.
 */
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

export function approvedKeys({ state, ignoresApproval }: World): Set<string> {
  const texts = [ignoresApproval === true ? null : state.meta(META.approved), state.meta(META.waived)];
  return new Set(texts.flatMap((text) => (text === null ? [] : (JSON.parse(text) as string[]))));
}

/** Returns the reasons that stay approved after a run. */
function waivedBy(verdict: Extract<Verdict, { kind: "run" }>): string | null {
  return verdict.waived === undefined ? null : JSON.stringify(verdict.waived);
}

/**
 * Returns true if this run, which was not stopped, ends an approval or changes the reasons that
 * stay approved.
 */
function endsApproval({ state }: World, verdict: Extract<Verdict, { kind: "run" }>): boolean {
  return state.meta(META.approved) !== null || state.meta(META.waived) !== waivedBy(verdict);
}

/**
 * Ends the approvals after a run that was not stopped. A reason that still exists stays approved
 * until it is gone.
 */
function endApproval(world: World, verdict: Extract<Verdict, { kind: "run" }>): void {
  const { state } = world;
  if (!endsApproval(world, verdict)) return;
  state.setMeta(META.waived, waivedBy(verdict));
  if (state.meta(META.approved) === null) return;
  state.setMeta(META.approved, null);
  forgetLosses(world);
  // A folder whose move was approved becomes the root.
  rememberRoot(world);
}

/** Returns the form in which the state keeps a stop. */
function encodeStop({ hash, reasons }: Extract<Verdict, { kind: "safety-stop" }>): string {
  return JSON.stringify({ hash, reasons });
}

/**
 * Records a stop until the user approves it or its cause ends. A run without a stop ends its
 * approvals.
 */
export function rememberStop(world: World, run: { readonly number: number }, verdict: Verdict): void {
  const { state } = world;
  if (verdict.kind === "safety-stop") {
    const known = state.meta(META.safetyStop);
    const safetyStop = encodeStop(verdict);
    if (known === safetyStop) return;
    state.setMeta(META.safetyStop, safetyStop);
    const detail = verdict.reasons.map(({ reason, detail }) => `${reason}: ${detail}`).join("; ");
    recordEvent(world, run.number, {
      kind: "safety-stop",
      side: "both",
      id: null,
      path: "",
      detail,
      outcome: "stopped",
    });
    return;
  }
  state.transact(() => {
    if (state.meta(META.safetyStop) !== null) state.setMeta(META.safetyStop, null);
    endApproval(world, verdict);
  });
}

function conflictsBeforeStop(world: World): number {
  return Number(world.state.meta(META.flood) ?? 0);
}

/**
 * Records a stop for too many conflicts. Otherwise a new run would count from 0 and open the rest.
 */
export function recordConflictStop(world: World, verdict: Verdict, opened: number): void {
  const isStopped = verdict.kind === "safety-stop" && verdict.reasons.some(({ reason }) => reason === "conflict-flood");
  if (isStopped && opened > 0) world.state.setMeta(META.flood, String(conflictsBeforeStop(world) + opened));
  if (verdict.kind === "run" && world.state.meta(META.flood) !== null) world.state.setMeta(META.flood, null);
}

type EmptiedSide = Signals["emptied"] extends ReadonlySet<infer Side> ? Side : never;

function emptiedSides(world: World): Set<EmptiedSide> {
  const text = world.state.meta(META.emptied);
  return new Set(text === null ? [] : (text.split(" ") as EmptiedSide[]));
}

const EMPTIED_BY: { readonly [reason in StopReason]?: EmptiedSide } = {
  "local-emptied": "local",
  "remote-emptied": "remote",
};

/**
 * Remembers the sides on which a safety check found no document (I21, I22). A single document that
 * comes back, perhaps after a crash, proves nothing about the others. The memory ends when a scan
 * of that side was complete, and every remaining deletion was approved.
 */
export function rememberEmptied(world: World, { verdict, blocks }: Plan, { local, remote }: Trees): void {
  const before = emptiedSides(world);
  const sides = new Set(before);
  if (verdict.kind === "safety-stop") {
    for (const { reason } of verdict.reasons) {
      const side = EMPTIED_BY[reason];
      if (side !== undefined) sides.add(side);
    }
  } else {
    if (local.unseen.size === 0 && !waitForScan(blocks)) sides.delete("local");
    if (remote.complete && remote.unseen.size === 0) sides.delete("remote");
  }
  if (sides.size === before.size) return;
  world.state.setMeta(META.emptied, sides.size === 0 ? null : [...sides].sort().join(" "));
}

/**
 * Returns how many conflicts a run may open, by the verdict's limit. The limit applies while they
 * are opened, because only then is it known which content does not merge.
 */
export function conflictBudget(world: World, { steps }: Plan, trees: Trees, limits: GuardLimits): ConflictBudget {
  const keys = approvedKeys(world);
  const approved = new Set<DocId>();
  if (keys.size > 0) {
    for (const { action } of steps) {
      if ((action.kind === "meet" || action.kind === "merge") && keys.has(guardKey(action))) approved.add(action.id);
    }
  }
  // Counts all documents, unlike the verdict, which leaves out suspended documents and documents
  // outside: a budget below the verdict's limit could run out without a request for approval.
  const { base, remote, leftOut = NOTHING_LEFT_OUT } = trees;
  const known = leftOut.count + Math.max(base.records.size, remote.files.size);
  const max = Math.max(limits.minConflicts, Math.floor(limits.conflictShare * known));
  return { max: max - conflictsBeforeStop(world), approved };
}

export function gatherSignals(ctx: CycleContext, base: BaseTree, remote: RemoteTree, root: Signals["root"]): Signals {
  const { state } = ctx.world;
  let earlierChangeIds = 0;
  for (const file of remote.files.values()) {
    const record = base.records.get(file.id);
    if (record === undefined || record.changeId === file.changeId) continue;
    // The open conflict already shows this version: the user approved that conflict, and mdmirror
    // does not ask again.
    if (base.conflicts.get(file.id)?.shown.at(-1)?.changeId === file.changeId) continue;
    if (state.isEarlier(file.id, file.changeId, record.changeId)) earlierChangeIds++;
  }
  return {
    root,
    lossesDone: lossesLately(ctx.world),
    earlierChangeIds,
    restored: isRestored(state, remote.generation ?? null),
    conflictsOpened: ctx.notes.counts.conflicts + conflictsBeforeStop(ctx.world),
    emptied: emptiedSides(ctx.world),
    approved: approvedKeys(ctx.world),
  };
}
