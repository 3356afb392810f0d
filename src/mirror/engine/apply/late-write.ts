import type { Digest } from "../../../contract/digest.ts";
import type { Link } from "../../model/link.ts";
import { sameExceptTextForm } from "../../model/text-form.ts";
import { mergeText } from "../../../markdown/merge/merge.ts";
import { cutToBytes, joinPath, type LocalPath, nameOf, parentOf } from "../../../contract/path.ts";
import type { DiskOutcome, LocalText, Look } from "../../ports/disk.ts";
import type { Intent } from "../../ports/state.ts";
import { ensureFolders } from "./parents.ts";
import { commit } from "./commit.ts";
import { findFreePath, type FreePath } from "./free-path.ts";
import { landText } from "./land-text.ts";
import { madeOfBoth, seenHere } from "./text-name.ts";
import { recordEvent } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

/** The second look at a file that was replaced, and how what was taken aside comes back. */

/**
 * What was taken aside and what is at its path now; or why that cannot be told, which keeps the
 * intent open.
 */
export function lookAtParked(
  { world: { disk } }: PassContext,
  { parkAt, path }: { readonly parkAt: string; readonly path: LocalPath },
):
  | { readonly aside: DiskOutcome<LocalText | null>; readonly look: Exclude<Look, { kind: "unknown" }> }
  | { readonly why: string } {
  const look = disk.look(path);
  if (look.kind === "unknown") return { why: `its path cannot be read: ${look.why}` };
  return { aside: disk.readParked(parkAt, path), look };
}

/**
 * Whether a file that was set aside belongs back: nothing is at its path, or the same inode under
 * its other name.
 */
export function belongsBack(aside: DiskOutcome<LocalText | null>, look: Look): boolean {
  if (look.kind === "absent") return true;
  if (look.kind !== "file" || aside.kind !== "done" || aside.value === null) return false;
  return look.stamp.ino === aside.value.stamp.ino && look.stamp.dev === aside.value.stamp.dev;
}

/** @returns why the intent stays open, or null */
export function putBack(
  ctx: PassContext,
  intentId: number,
  parkAt: string,
  path: LocalPath,
  id: string,
  detail: string,
): string | null {
  const { state } = ctx.world;
  const why = returnAside(ctx, parkAt, path);
  if (why !== null) return why;
  state.transact(() => {
    state.closeIntent(intentId);
    recordEvent(ctx.world, ctx.run, { kind: "recover", side: "local", id, path, detail });
  });
  return null;
}

/** @returns why it could not be put back, or null */
export function returnAside(ctx: PassContext, parkAt: string, path: LocalPath): string | null {
  const { disk } = ctx.world;
  const wasSeen = disk.look(path).kind !== "absent";
  const back = ensureFolders(ctx, path) ?? disk.putBack(parkAt, path);
  if (back.kind === "done" && !wasSeen) ctx.notes.returned.add(path);
  return back.kind === "done" ? null : `could not be restored: ${"detail" in back ? back.detail : back.kind}`;
}

/**
 * The second look at an inode that was replaced: an editor that still had it open may have saved
 * into it (I14).
 * @param run in which it was replaced: until that has ended, an inode without a late save is kept,
 * since a pass follows another at once
 */
export function inspectParked(
  ctx: PassContext,
  intentId: number,
  intent: Extract<Intent, { kind: "set-aside" }>,
  run: number,
): string | null {
  const { disk, state } = ctx.world;
  const found = lookAtParked(ctx, intent);
  if ("why" in found) return found.why;
  const { aside: parked, look } = found;
  if (parked.kind !== "done" && look.kind === "absent")
    return putBackOnItsBase(
      ctx,
      intentId,
      intent,
      "the file that was set aside is not valid text, and its path is free: moved back",
    );
  if (parked.kind !== "done") return `the file that was set aside cannot be read: ${parked.detail}`;
  if (parked.value === null || parked.value.digest === intent.expect) {
    // Who has it open may write into it yet.
    if (parked.value !== null && (ctx.isThisRun(run) || disk.isHeld(intent.parkAt))) return null;
    if (parked.value !== null) {
      // It was stored when it was first seen. If the store lost it since, it is stored again before
      // the file goes (I03).
      state.putKnownText(parked.value.digest, parked.value.text, seenHere(intent.path, intent.id));
      // ORDER: before the file is removed: a power cut could take back the last commits of the
      // store, but not the removal.
      state.secureTexts();
      disk.discardParked(intent.parkAt);
    }
    state.closeIntent(intentId);
    return null;
  }
  const name = seenHere(intent.path, intent.id, "saved into the file while it was replaced");
  state.putKnownText(parked.value.digest, parked.value.text, name);
  return landLateWrite(ctx, intentId, intent, parked.value);
}

/**
 * Puts a parked file back to its path, which is free: the document was deleted or moved since, or
 * an effect that was cut off has taken it aside again. The text of the link's present file stays
 * recorded (`localDigest`), so that a moved document is recognised by it, and the file that comes
 * back becomes a document of its own. ORDER: base first: with the newer base, the old text would
 * undo what came with that base.
 */
function putBackOnItsBase(
  ctx: PassContext,
  intentId: number,
  intent: Extract<Intent, { kind: "set-aside" }>,
  detail: string,
): string | null {
  const { state } = ctx.world;
  const link = state.link(intent.id);
  if (link !== null) state.putLink({ ...link, ...baseBefore(intent, link) });
  return putBack(ctx, intentId, intent.parkAt, intent.path, intent.id, detail);
}

/**
 * The base of the parked text; nothing where it had none, or where base is still that version (a
 * new document that was read back since).
 */
function baseBefore({ baseChangeId, baseDigest }: Extract<Intent, { kind: "set-aside" }>, link: Link): Partial<Link> {
  return baseChangeId === null || baseDigest === null || baseChangeId === link.changeId
    ? {}
    : { changeId: baseChangeId, digest: baseDigest, echoDigest: null };
}

/**
 * Deals with a text that was saved into the old inode. It is the newest text of the user, made of
 * the one that was replaced (`expect`), so it is merged from that with the file at the path now. It
 * stays on the newer base if it holds that base's changes: the editor may have saved by path too,
 * over them. What does not merge with the version that the mirror wrote becomes the local text
 * again, on the old base, and the next plan decides; what does not merge with another text becomes
 * a document of its own, so that nothing is lost.
 */
function landLateWrite(
  ctx: PassContext,
  intentId: number,
  intent: Extract<Intent, { kind: "set-aside" }>,
  late: LocalText,
): string | null {
  const { disk, state } = ctx.world;
  const link = state.link(intent.id);
  const current = disk.read(intent.path);
  if (disk.look(intent.path).kind === "absent")
    return putBackOnItsBase(ctx, intentId, intent, "an edit that was saved while the file was replaced");
  if (current.kind === "done" && link !== null) {
    const text = withLateText(ctx, intent, link, late, current.value);
    if (text !== null) return bringBack(ctx, intentId, intent, { link, late, text, current: current.value.digest });
  }
  const beside = findPathBeside(ctx, intent.path);
  if (beside.kind === "unknown") return `could not be restored: the path beside it cannot be read: ${beside.why}`;
  return putBack(
    ctx,
    intentId,
    intent.parkAt,
    beside.path,
    intent.id,
    "saved into the replaced file while it was replaced; the edit does not merge, so mdmirror saved it beside the file",
  );
}

/** Writes `text`, the late text alone or merged, to the document's path over `current`. */
function bringBack(
  ctx: PassContext,
  intentId: number,
  intent: Extract<Intent, { kind: "set-aside" }>,
  found: { readonly link: Link; readonly late: LocalText; readonly text: string; readonly current: Digest },
): string | null {
  const { disk, state } = ctx.world;
  const { link, late, text, current } = found;
  const writes = state.putText(text, madeOfBoth(intent.path, intent.id, "a late save, moved back"));
  const landed = landText(ctx, intent.id, intent.path, text, writes, current, link, null);
  if (landed.kind === "end") return "an edit that was saved while the file was replaced could not be moved back yet";
  const base = holdsNewerBase(ctx, intent, link, text) ? {} : baseBefore(intent, link);
  const localDigest = base.digest ?? link.localDigest;
  const isHeld = disk.isHeld(intent.parkAt);
  state.transact(() => {
    commit(ctx, {
      link: { ...link, ...base, localDigest, stamp: landed.value.stamp, stampTrusted: false },
      ...(isHeld ? {} : { closes: intentId }),
      landed: landed.value,
      event: {
        kind: "late-write",
        side: "local",
        id: intent.id,
        path: intent.path,
        before: intent.expect,
        after: late.digest,
        detail: "saved while mdmirror replaced the file; restored",
      },
    });
    // What is written next is merged in on top of this text.
    if (isHeld) state.turnIntent(intentId, { ...intent, expect: late.digest, baseChangeId: null, baseDigest: null });
  });
  state.secureTexts();
  if (!isHeld) disk.discardParked(intent.parkAt);
  return null;
}

/**
 * Returns the text to write: the late one merged with the file at the path, or alone on the old
 * base; null: they do not merge.
 */
function withLateText(
  { world: { state } }: PassContext,
  intent: Extract<Intent, { kind: "set-aside" }>,
  link: Link,
  late: LocalText,
  current: LocalText,
): string | null {
  const replaced = state.text(intent.expect);
  const merged = replaced === null ? null : mergeText(replaced, late.text, current.text);
  if (merged?.kind === "clean") return merged.text;
  // Second case: a crash came after the text was written and before base moved.
  const isOurs = current.digest === link.localDigest || current.digest === late.digest;
  return isOurs && intent.baseChangeId !== null && intent.baseDigest !== null ? late.text : null;
}

/**
 * Whether a text holds what the newer base changed: since the text that was replaced, which that
 * base may hold (the service combines edits), or since the base before.
 */
function holdsNewerBase(
  ctx: PassContext,
  { expect, baseDigest }: Extract<Intent, { kind: "set-aside" }>,
  link: Link,
  text: string,
): boolean {
  return holdsChanges(ctx, expect, link.localDigest, text) || holdsChanges(ctx, baseDigest, link.digest, text);
}

/**
 * Whether a text holds all changes from one version to another, whatever its line ends and its end
 * of the text; false where their texts are not known.
 */
export function holdsChanges(ctx: PassContext, from: Digest | null, to: Digest | null, text: string): boolean {
  const { state } = ctx.world;
  const before = from === null ? null : state.text(from);
  const after = to === null ? null : state.text(to);
  if (before === null || after === null) return false;
  const merged = mergeText(before, text, after);
  return merged.kind === "clean" && sameExceptTextForm(merged.text, text);
}

/** `note.md` → `note-late.md`, `note-late-2.md` … */
function findPathBeside({ world: { disk } }: PassContext, path: LocalPath): FreePath {
  const stem = nameOf(path).replace(/\.md$/, "");
  return findFreePath(disk, (number) => {
    const tail = `-late${number === 1 ? "" : `-${number}`}.md`;
    return joinPath(parentOf(path), `${cutToBytes(stem, disk.names().maxNameBytes - tail.length)}${tail}`);
  });
}
