import type { Signals } from "../core/plan-types.ts";
import type { BaseTree, RemoteTree } from "../core/tree.ts";
import type { PassContext, World } from "./world.ts";

/** Facts that the guards judge and the trees do not hold: the root's identity, what was deleted lately, approvals. */

const HOUR_MS = 3_600_000;
export const META = {
  rootMarker: "root.marker",
  rootDev: "root.dev",
  rootIno: "root.ino",
  rootBirth: "root.birth",
  approved: "approved",
  approvedAt: "approved.at",
  halt: "halt",
  quiet: "review.quiet",
  traits: "remote.traits",
  syncedAt: "synced.at",
  lastReport: "last.report",
} as const;

export type RootCheck = { readonly root: Signals["root"]; readonly inodesTrusted: boolean };

/** Compares the folder with the one that the state was made for. A device number alone may change with a reboot: that only drops inode evidence. */
export function checkRoot(world: World): RootCheck {
  const now = world.disk.identify();
  if (now === null) return { root: "missing", inodesTrusted: false };
  if (now.markerId === null) return { root: "marker-missing", inodesTrusted: false };
  const { state } = world;
  if (now.markerId !== state.meta(META.rootMarker)) return { root: "other-marker", inodesTrusted: false };
  const sameDev = String(now.dev) === state.meta(META.rootDev);
  const sameIno = String(now.ino) === state.meta(META.rootIno) && String(now.birthMs) === state.meta(META.rootBirth);
  if (sameIno) return { root: "same", inodesTrusted: sameDev };
  return { root: "moved-or-copied", inodesTrusted: false };
}

/** The folder as it is now becomes the one that the state is for. Inodes of the old one say nothing any more. */
export function rememberRoot(world: World): void {
  const now = world.disk.identify();
  if (now === null) return;
  const { state } = world;
  state.transact(() => {
    state.setMeta(META.rootMarker, now.markerId);
    state.setMeta(META.rootDev, String(now.dev));
    state.setMeta(META.rootIno, String(now.ino));
    state.setMeta(META.rootBirth, String(now.birthMs));
  });
}

export function approvedKeys(world: World): Set<string> {
  const text = world.state.meta(META.approved);
  return new Set(text === null ? [] : (JSON.parse(text) as string[]));
}

export function gatherSignals(ctx: PassContext, base: BaseTree, remote: RemoteTree, root: Signals["root"]): Signals {
  const { state, clock } = ctx.world;
  const since = Math.max(Number(state.meta(META.approvedAt) ?? 0), clock.now() - HOUR_MS);
  let earlierChangeIds = 0;
  for (const file of remote.files.values()) {
    const link = base.links.get(file.id);
    if (link !== undefined && link.changeId !== file.changeId && state.isEarlier(file.id, file.changeId, link.changeId))
      earlierChangeIds++;
  }
  return {
    root,
    deletionsDone: { local: state.deletionsSince("local", since), remote: state.deletionsSince("remote", since) },
    earlierChangeIds,
    refusedBases: ctx.refusedBases,
    conflictsOpened: ctx.counts.conflicts,
    approved: approvedKeys(ctx.world),
  };
}
