import type { DocId } from "../../contract/ids.ts";
import { digestOf } from "../../model/digest.ts";
import type { Link } from "../../model/link.ts";
import { mergeText } from "../../merge/merge.ts";
import { isWithin, type LocalPath } from "../../model/path.ts";
import { isSimilar, profileOf } from "../../model/similar.ts";
import type { BaseTree, LocalTree } from "../../model/tree.ts";
import { commit, landText } from "../apply/effect.ts";
import type { PassEnd, PassContext } from "../run/pass-context.ts";
import { seenHere } from "../apply/text-name.ts";
import { recordEvent, trashPlace } from "../run/world.ts";

/**
 * A document was renamed on the service, its file was moved here, and a program that still has it
 * open under the old name saves: the text is an edit of that document, not a new one. Told by time
 * and by likeness; a new document that somebody starts at the old path with other text stays new.
 */
export type StalePaths = {
  /** Remembers the places that a pass moved documents away from. */
  learn(end: PassEnd, base: BaseTree, now: number): void;
  /**
   * Takes texts at old paths to their documents. @returns whether the disk was changed: then the
   * walk must be made anew
   */
  redirect(ctx: PassContext, base: BaseTree, local: LocalTree, now: number): boolean;
};

type Vacated = { readonly id: DocId; readonly at: number };

/** LIMIT: old paths that are remembered; the oldest go first. */
const MAX_PATHS = 5_000;

export function createStalePaths(windowMs: number): StalePaths {
  const vacated = new Map<LocalPath, Vacated>();

  function leave(path: LocalPath, id: DocId, now: number): void {
    vacated.delete(path);
    vacated.set(path, { id, at: now });
    for (const oldest of vacated.keys()) {
      if (vacated.size <= MAX_PATHS) break;
      vacated.delete(oldest);
    }
  }

  return {
    learn(end, base, now) {
      if (end.kind === "offline") return;
      for (const [index, { action }] of end.plan.steps.entries()) {
        const step = end.ends[index];
        if (step?.kind !== "ran" || step.outcome.kind !== "done") continue;
        if (action.kind === "move-local" && !action.temporary) {
          const was = base.links.get(action.id)?.localPath;
          if (was !== undefined) leave(was, action.id, now);
        } else if (action.kind === "move-folder-local") {
          for (const link of base.links.values())
            if (isWithin(link.localPath, action.from)) leave(link.localPath, link.id, now);
        }
      }
    },
    redirect(ctx, base, local, now) {
      let changed = false;
      for (const [path, { id, at }] of vacated) {
        if (now - at > windowMs) vacated.delete(path);
        else {
          const file = local.files.get(path);
          const link = base.links.get(id);
          if (file === undefined || link === undefined || link.localPath === path || file.empty) continue;
          if (isLinkedPath(base, path) || !redirectOne(ctx, path, link, local)) continue;
          leave(path, id, now);
          changed = true;
        }
      }
      return changed;
    },
  };
}

function isLinkedPath(base: BaseTree, path: LocalPath): boolean {
  for (const link of base.links.values()) if (link.localPath === path) return true;
  return false;
}

/** @returns whether the text went to its document */
function redirectOne(ctx: PassContext, path: LocalPath, link: Link, local: LocalTree): boolean {
  const { disk, state } = ctx.world;
  const there = local.files.get(link.localPath);
  const saved = disk.read(path);
  const baseText = state.text(link.localDigest);
  if (there === undefined || saved.kind !== "done" || baseText === null) return false;
  if (!isSimilar(profileOf(baseText), profileOf(saved.value.text))) return false;
  state.putKnownText(saved.value.digest, saved.value.text, seenHere(path, link.id));
  const text = textFor(ctx, link, baseText, there.digest, saved.value.text);
  if (text === null) return false;
  // ORDER: the text is at its document before it leaves the old path; cut off between the two, the
  // next look does it again, and finds it done.
  const landed = landText(ctx, link.id, link.localPath, text, digestOf(text), there.digest, link);
  if (landed.kind === "end") return false;
  commit(ctx, {
    link: { ...link, stamp: landed.value.stamp, stampTrusted: false },
    landed: landed.value,
    event: {
      kind: "late-write",
      side: "local",
      id: link.id,
      path: link.localPath,
      detail: `saved to its old path ${path} after it was renamed on the service; taken as an edit of it`,
      before: there.digest,
      after: digestOf(text),
    },
  });
  const place = trashPlace(ctx.world, path);
  const intentId = state.openIntent(ctx.run, { kind: "trash", id: link.id, path, parkAt: place });
  const end = disk.trash(path, saved.value.digest, place);
  // Saved once more meanwhile: it stays, and the next look takes it.
  const aside = end.kind === "done" ? null : disk.readParked(place);
  if (aside === null || (aside.kind === "done" && aside.value === null)) state.closeIntent(intentId);
  if (end.kind === "done")
    recordEvent(ctx.world, ctx.run, {
      kind: "late-write",
      side: "local",
      id: link.id,
      path,
      detail: `an edit of ${link.localPath} went there; this copy is kept as .mdmirror/${place}`,
      before: saved.value.digest,
    });
  return true;
}

/**
 * The document's file as it should be now; null where it has edits of its own that the saved text
 * does not merge with.
 */
function textFor(ctx: PassContext, link: Link, baseText: string, there: string, saved: string): string | null {
  if (there === link.localDigest) return saved;
  const now = ctx.world.disk.read(link.localPath);
  if (now.kind !== "done" || now.value.digest !== there) return null;
  const merged = mergeText(baseText, now.value.text, saved);
  return merged.kind === "clean" ? merged.text : null;
}
