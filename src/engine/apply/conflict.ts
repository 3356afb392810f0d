import type { Outcome } from "../../core/action.ts";
import type { Digest } from "../../core/digest.ts";
import type { Conflict, Link } from "../../core/link.ts";
import { sidecarPath } from "../../core/path.ts";
import { commit, outcomeOfDisk, type RemoteText, stale, whereItStands } from "../effect.ts";
import { type PassContext, trashPlace } from "../world.ts";

/**
 * The one conflict of a document: the local text stays as it is, the live remote text is put beside it as `note (theirs).md`.
 * @param link the link as it is from now on: its base stays where the two sides parted
 * @param base where they parted; null when both were new at one path
 */
export function openConflict(
  ctx: PassContext,
  link: Link,
  remote: RemoteText,
  base: Pick<Link, "digest" | "changeId"> | null,
  why: string,
): Outcome {
  const { disk, state, clock } = ctx.world;
  const { conflictBudget: budget } = ctx;
  // Whether texts merge shows only now: the next plan finds these still open, and its verdict asks (`conflict-flood`).
  if (budget !== undefined && ctx.counts.conflicts > budget.most && !budget.approved.has(link.id))
    return stale("more conflicts than a run may open without a question");
  // Read anew: the document may have moved while its text was fetched.
  const standing = whereItStands(ctx, link);
  const at = sidecarPath(standing.localPath);
  const intentId = state.openIntent(ctx.run, { kind: "sidecar", id: link.id, path: at, writes: remote.digest });
  const placed = placeSidecar(ctx, at, remote.text, remote.digest);
  if (placed.kind === "end") {
    state.closeIntent(intentId);
    return placed.outcome;
  }
  const now = clock.now();
  const look = disk.look(at);
  const stamp = look.kind === "file" ? look.stamp : null;
  const conflict: Conflict = {
    id: link.id,
    baseDigest: base?.digest ?? null,
    baseChangeId: base?.changeId ?? null,
    sidecarPath: at,
    sidecarIno: stamp?.ino ?? 0,
    sidecarDev: stamp?.dev ?? 0,
    shown: [{ changeId: remote.file.lastChangeId, digest: remote.digest, at: now }],
    looksGone: 0,
    since: now,
  };
  ctx.counts.conflicts++;
  return commit(ctx, {
    text: standing,
    closes: intentId,
    version: { id: link.id, changeId: remote.file.lastChangeId, digest: remote.digest },
    also: () => {
      state.putConflict(conflict);
      state.removeTombstone(link.id);
    },
    event: {
      kind: "conflict",
      side: "both",
      id: link.id,
      path: link.localPath,
      detail: why,
      outcome: "conflict",
      before: base?.digest ?? null,
      after: remote.digest,
    },
  });
}

type Placed = { readonly kind: "placed" } | { readonly kind: "end"; readonly outcome: Outcome };

/** Puts a text at a sidecar's path. One that is there already (of a state that was lost) goes to the trash first: it may have been edited. */
export function placeSidecar(ctx: PassContext, at: string, text: string, digest: Digest): Placed {
  const { disk } = ctx.world;
  const look = disk.look(at);
  if (look.kind === "file" && look.digest === digest) return { kind: "placed" };
  if (look.kind === "file") {
    const moved = disk.trash(at, look.digest, trashPlace(ctx.world, at));
    if (moved.kind !== "done") return { kind: "end", outcome: outcomeOfDisk(moved) };
  } else if (look.kind !== "absent")
    return { kind: "end", outcome: stale(`${at} is taken, so the other version cannot be shown there`) };
  const made = disk.create(at, text);
  return made.kind === "done" ? { kind: "placed" } : { kind: "end", outcome: outcomeOfDisk(made) };
}

/** The sidecar goes; one that the user edited goes to the trash as a file, as does one that is as it was (it costs nothing and loses nothing). */
export function dropSidecar(ctx: PassContext, conflict: Conflict, shown: Digest): Outcome | null {
  const { disk } = ctx.world;
  const look = disk.look(conflict.sidecarPath);
  if (look.kind === "absent") return null;
  if (look.kind !== "file") return null;
  const end = disk.trash(
    conflict.sidecarPath,
    look.digest === shown ? shown : look.digest,
    trashPlace(ctx.world, conflict.sidecarPath),
  );
  return end.kind === "done" ? null : outcomeOfDisk(end);
}

/** Policy `copy`: theirs in place, yours kept beside under the sidecar's name. Returns the place of yours, or how it failed. */
export function keepBeside(ctx: PassContext, link: Link, local: string, digest: Digest): Placed {
  return placeSidecar(ctx, sidecarPath(link.localPath), local, digest);
}
