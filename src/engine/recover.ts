import type { Outcome } from "../core/action.ts";
import { mergeText } from "../core/merge.ts";
import type { LocalPath } from "../core/path.ts";
import type { LocalText } from "../core/ports/disk.ts";
import type { Intent, OpenIntent } from "../core/ports/state.ts";
import { commit, landText } from "./effect.ts";
import { settleIntent } from "./settle-writes.ts";
import { type PassContext, recordEvent, trashPlace } from "./world.ts";

/** What a crash, or an answer that was lost, left behind: put back before the first walk, settled by reading before the first plan (I13). */

type Local = Extract<Intent, { kind: "replace" | "trash" | "move" | "move-folder" | "parked" }>;

function isLocal(intent: Intent): intent is Local {
  return (
    intent.kind === "replace" ||
    intent.kind === "trash" ||
    intent.kind === "move" ||
    intent.kind === "move-folder" ||
    intent.kind === "parked"
  );
}

/** Disk first. Returns the paths that an intent keeps open: unknown, never absent. */
export function recoverLocal(ctx: PassContext, intents: readonly OpenIntent[]): Map<LocalPath, string> {
  const open = new Map<LocalPath, string>();
  for (const { intentId, intent } of intents) {
    if (!isLocal(intent)) continue;
    const why = recoverOne(ctx, intentId, intent);
    if (why !== null) open.set("path" in intent ? intent.path : intent.from, why);
  }
  const parked = ctx.world.state.intents().flatMap(({ intent }) => ("parkAt" in intent ? [intent.parkAt] : []));
  ctx.world.disk.sweep(new Set(parked));
  return open;
}

/** @returns why it stays open, or null */
function recoverOne(ctx: PassContext, intentId: number, intent: Local): string | null {
  switch (intent.kind) {
    case "replace":
      return recoverReplace(ctx, intentId, intent);
    case "parked":
      return inspectParked(ctx, intentId, intent);
    case "trash":
      return recoverTrash(ctx, intentId, intent);
    case "move":
      return recoverMove(ctx, intentId, intent);
    case "move-folder":
      return recoverFolderMove(ctx, intentId, intent);
  }
}

function recoverReplace(
  ctx: PassContext,
  intentId: number,
  intent: Extract<Intent, { kind: "replace" }>,
): string | null {
  const { disk, state } = ctx.world;
  const parked = disk.readParked(intent.parkAt);
  if (parked.kind !== "done") return `what was taken aside cannot be read: ${parked.detail}`;
  if (parked.value === null) {
    state.closeIntent(intentId);
    return null;
  }
  if (disk.look(intent.path).kind !== "absent") {
    const { id, path, parkAt, expect, baseChangeId, baseDigest } = intent;
    const next = { kind: "parked", id, path, parkAt, expect, baseChangeId, baseDigest } as const;
    state.turnIntent(intentId, next);
    const turned = state.intents().find((open) => open.intent.kind === "parked" && open.intent.parkAt === parkAt);
    return turned === undefined ? null : inspectParked(ctx, turned.intentId, next);
  }
  return putBack(
    ctx,
    intentId,
    intent.parkAt,
    intent.path,
    intent.id,
    "put back after a crash in the middle of a replace",
  );
}

function putBack(
  ctx: PassContext,
  intentId: number,
  parkAt: string,
  path: LocalPath,
  id: string,
  detail: string,
): string | null {
  const { disk, state } = ctx.world;
  const back = disk.putBack(parkAt, path);
  if (back.kind !== "done") return `could not be put back: ${back.detail}`;
  state.transact(() => {
    state.closeIntent(intentId);
    recordEvent(ctx.world, ctx.run, { kind: "recover", side: "local", id, path, detail });
  });
  return null;
}

function recoverTrash(ctx: PassContext, intentId: number, intent: Extract<Intent, { kind: "trash" }>): string | null {
  const { disk, state } = ctx.world;
  const aside = disk.readParked(intent.parkAt);
  const there = aside.kind === "done" ? aside.value !== null : true;
  if (there && disk.look(intent.path).kind === "absent")
    return putBack(
      ctx,
      intentId,
      intent.parkAt,
      intent.path,
      intent.id,
      "put back after a crash in the middle of a removal",
    );
  state.closeIntent(intentId);
  return null;
}

function recoverMove(ctx: PassContext, intentId: number, intent: Extract<Intent, { kind: "move" }>): string | null {
  const { disk, state } = ctx.world;
  const from = disk.look(intent.from);
  const to = disk.look(intent.to);
  if (from.kind === "unknown" || to.kind === "unknown") return "a move was cut off, and its paths cannot be read";
  if (
    from.kind === "file" &&
    to.kind === "file" &&
    from.stamp.ino === to.stamp.ino &&
    from.stamp.dev === to.stamp.dev &&
    intent.from !== intent.to
  ) {
    // Cut off between link and unlink: one inode under two names. The old name is the one that base knows.
    const end = disk.trash(intent.to, null, trashPlace(ctx.world, intent.to));
    if (end.kind !== "done") return `the second name of a cut-off move cannot be removed: ${end.detail}`;
  }
  state.transact(() => {
    const link = state.link(intent.id);
    if (from.kind === "absent" && to.kind === "file" && link !== null)
      state.putLink({ ...link, localPath: intent.to, stampTrusted: false });
    state.closeIntent(intentId);
  });
  return null;
}

function recoverFolderMove(
  ctx: PassContext,
  intentId: number,
  intent: Extract<Intent, { kind: "move-folder" }>,
): string | null {
  const { disk, state } = ctx.world;
  const moved = disk.look(intent.from).kind === "absent" && disk.look(intent.to).kind === "folder";
  state.transact(() => {
    if (moved) state.moveSubtree("local", intent.from, intent.to);
    state.closeIntent(intentId);
  });
  return null;
}

/** The second look at an inode that was replaced: an editor that still had it open may have saved into it (I14). */
function inspectParked(ctx: PassContext, intentId: number, intent: Extract<Intent, { kind: "parked" }>): string | null {
  const { disk, state } = ctx.world;
  const parked = disk.readParked(intent.parkAt);
  if (parked.kind !== "done") return `what was taken aside cannot be read: ${parked.detail}`;
  if (parked.value === null || parked.value.digest === intent.expect) {
    if (parked.value !== null) disk.discardParked(intent.parkAt);
    state.closeIntent(intentId);
    return null;
  }
  state.putKnownText(parked.value.digest, parked.value.text);
  return landLateWrite(ctx, intentId, intent, parked.value);
}

/**
 * A text that was saved into the old inode. It is the user's newest, based on the text before the replace: where the file is still what the mirror wrote, it
 * becomes the local text again, on the old base, so that the next plan merges it with what the mirror had written. Else it is merged here; and what does not
 * merge becomes a document of its own beside, so that nothing is lost and nothing is hidden.
 */
function landLateWrite(
  ctx: PassContext,
  intentId: number,
  intent: Extract<Intent, { kind: "parked" }>,
  late: LocalText,
): string | null {
  const { disk, state } = ctx.world;
  const link = state.link(intent.id);
  const event = {
    kind: "late-write",
    side: "local",
    id: intent.id,
    path: intent.path,
    before: intent.expect,
    after: late.digest,
  } as const;
  const current = disk.read(intent.path);
  if (disk.look(intent.path).kind === "absent")
    return putBack(
      ctx,
      intentId,
      intent.parkAt,
      intent.path,
      intent.id,
      "an edit that was saved while the file was replaced",
    );
  if (current.kind === "done" && link !== null) {
    // The second alternative: a crash came between bringing it back and moving base.
    const ours = current.value.digest === link.localDigest || current.value.digest === late.digest;
    const untouched = ours && intent.baseChangeId !== null && intent.baseDigest !== null;
    const merged = untouched ? null : mergeText(state.text(intent.expect) ?? "", late.text, current.value.text);
    const text = untouched ? late.text : merged?.kind === "clean" ? merged.text : null;
    if (text !== null) {
      const landed = landText(ctx, intent.id, intent.path, text, state.putText(text), current.value.digest, link);
      if (landed.kind === "end")
        return "an edit that was saved while the file was replaced could not be brought back yet";
      const base = untouched
        ? { changeId: intent.baseChangeId!, digest: intent.baseDigest!, localDigest: intent.baseDigest! }
        : {};
      commit(ctx, {
        link: { ...link, ...base, stamp: landed.value.stamp, stampTrusted: false },
        closes: intentId,
        landed: landed.value,
        event: { ...event, detail: "saved into the replaced file while it was replaced; brought back" },
      });
      disk.discardParked(intent.parkAt);
      return null;
    }
  }
  return putBack(
    ctx,
    intentId,
    intent.parkAt,
    freePlaceFor(ctx, intent.path),
    intent.id,
    "saved into the replaced file while it was replaced; it does not merge, so it is put beside",
  );
}

function freePlaceFor(ctx: PassContext, path: LocalPath): LocalPath {
  const stem = path.replace(/\.md$/, "");
  for (let n = 1; ; n++) {
    const place = `${stem}-late${n === 1 ? "" : `-${n}`}.md`;
    if (ctx.world.disk.look(place).kind === "absent") return place;
  }
}

export type StillOpen = { readonly ids: ReadonlyMap<string, string>; readonly paths: ReadonlyMap<LocalPath, string> };

/** Then the service: each write whose end is not known is settled by a read. Returns what stays open. */
export async function recoverRemote(ctx: PassContext, intents: readonly OpenIntent[]): Promise<StillOpen> {
  const ids = new Map<string, string>();
  const paths = new Map<LocalPath, string>();
  const remoteIntents = intents.flatMap(({ intentId, intent }) => (isLocal(intent) ? [] : [{ intentId, intent }]));
  // ORDER: one after the other, as they were written: two intents of one document must not be settled against each other.
  let unreachable: Outcome | null = null;
  for (const { intentId, intent } of remoteIntents) {
    const outcome: Outcome = unreachable ?? (await settleIntent(ctx, intentId, intent));
    if (outcome.kind === "later" && outcome.unreachable) unreachable = outcome;
    if (outcome.kind !== "uncertain" && outcome.kind !== "later") continue;
    const why = `a write to the service is not settled yet: ${outcome.detail}`;
    if ("id" in intent) ids.set(intent.id, why);
    else if ("localPath" in intent) paths.set(intent.localPath, why);
  }
  return { ids, paths };
}
