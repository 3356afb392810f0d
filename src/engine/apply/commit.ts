import { type ChangeId, type DirId, type DocId, isDocId } from "../../contract/ids.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../model/digest.ts";
import type { Conflict, DirLink, Link, Stamp } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import type { Intent, TextName } from "../../ports/state.ts";
import { bury } from "../../model/settle.ts";
import { DONE, ended, type Got, got, outcomeOfDisk, stale } from "./effect.ts";
import { madeOfBoth } from "./text-name.ts";
import type { PassContext } from "../run/pass-context.ts";
import { type EventFields, parkingPlace, recordEvent } from "../run/world.ts";

/**
 * What every effect ends with: a text that lands on the disk, and the one transaction that moves
 * base.
 */

/** A text that is on the disk now; `intentId` is open until the caller's commit turns it. */
type Landed = {
  readonly stamp: Stamp;
  readonly parked: { readonly intentId: number; readonly next: Intent } | null;
};

/**
 * Brings a document's file to a text by the journalled replace; equal bytes are not written. The
 * caller moves base in `commit`, which turns the intent into `parked`: the old inode is looked at
 * once more in the next pass, for what an editor wrote into it meanwhile.
 * @param link the base before, which a late edit in the old inode would be based on; null where
 * there was none
 */
export function landText(
  ctx: PassContext,
  id: DocId,
  path: LocalPath,
  text: string,
  writes: Digest,
  expect: Digest,
  link: Link | null,
): Got<Landed> {
  const { disk, state } = ctx.world;
  if (writes === expect) {
    const look = disk.look(path);
    if (look.kind !== "file" || look.digest !== expect)
      return ended(stale("the file was changed since it was looked at"));
    return got({ stamp: look.stamp, parked: null });
  }
  state.putKnownText(writes, text, madeOfBoth(path, id, "brought here by the mirror"));
  const parkAt = parkingPlace(ctx.world, id);
  const base = { baseChangeId: link?.changeId ?? null, baseDigest: link?.digest ?? null };
  const intentId = state.openIntent(ctx.run, { kind: "replace", id, path, parkAt, expect, writes, ...base });
  const next: Intent = { kind: "parked", id, path, parkAt, expect, ...base };
  const end = disk.replace(path, text, expect, parkAt);
  if (end.kind === "done") {
    ctx.notes.toFlush.set(id, path);
    return got({ stamp: end.value.stamp, parked: { intentId, next } });
  }
  // What stayed aside keeps the intent open: the next pass puts it back before it looks.
  if (!end.parked) state.closeIntent(intentId);
  return ended(outcomeOfDisk(end));
}

type Commit = {
  /** A text that is not in the store yet; its name is the event's document. */
  readonly keeps?: { readonly digest: Digest; readonly text: string };
  /** The link as it is from now on, whole: a first one, or one that was read in this very turn. */
  readonly link?: Link;
  /**
   * The link after an effect on its text that waited for an answer: where the document stands is
   * taken from the state, for a step on its place may have ended meanwhile.
   */
  readonly text?: Link;
  /** The version to remember for the history, when base moved to one. */
  readonly version?: { readonly id: DocId; readonly changeId: ChangeId; readonly digest: Digest };
  readonly landed?: Landed;
  readonly closes?: number;
  readonly event: EventFields;
} & RowsBeside;

/** What changes in the state with a link, or in its place. */
type RowsBeside = {
  /** A link that ends. `trashPath`: where its file is now; null: nowhere. */
  readonly ends?: { readonly link: Link; readonly trashPath: string | null };
  /** A document that was gone and is back as a new one: its link ends, if it is still there. */
  readonly replaces?: DocId | null;
  readonly conflict?: Conflict;
  readonly dir?: DirLink;
  /** A folder that moved on one side, with all below it. */
  readonly moved?: { readonly side: "local" | "remote"; readonly from: string; readonly to: string };
  readonly removes?: {
    readonly conflict?: DocId;
    readonly tombstone?: DocId;
    /** By its key. */
    readonly hold?: string;
    readonly dir?: DirId;
  };
};

export function whereItStands(ctx: PassContext, changed: Link): Link {
  const current = ctx.world.state.link(changed.id);
  if (current === null) return changed;
  const { localPath, remotePath, standing } = current;
  return { ...changed, localPath, remotePath, standing, protected: current.protected };
}

/** Effect first, base second: the one transaction of an action. */
export function commit(ctx: PassContext, change: Commit): Outcome {
  ctx.world.state.transact(() => write(ctx, change));
  return DONE;
}

/**
 * The same, in one transaction with the commits of other steps. Resolves when it is done: until
 * then a kill leaves the effect without its base, as ever.
 */
export async function commitWithOthers(
  ctx: PassContext,
  change: Commit,
  when: "soon" | "late" = "late",
): Promise<Outcome> {
  await ctx.group.commit(() => write(ctx, change), when, change.keeps?.text.length);
  return DONE;
}

/**
 * Resolves when the intent, and the text that it names, are written: only then may the effect
 * begin.
 */
export async function openIntentWithOthers(
  ctx: PassContext,
  intent: Intent,
  text: { readonly digest: Digest; readonly text: string; readonly name: TextName },
): Promise<number> {
  const { state } = ctx.world;
  let intentId = 0;
  await ctx.group.commit(
    () => {
      state.putKnownText(text.digest, text.text, text.name);
      intentId = state.openIntent(ctx.run, intent);
    },
    "soon",
    text.text.length,
  );
  return intentId;
}

/** The same as `commitWithOthers`, and an intent that is open from then on. @returns its id */
export async function commitAndOpen(ctx: PassContext, change: Commit, intent: Intent): Promise<number> {
  let intentId = 0;
  await ctx.group.commit(() => {
    write(ctx, change);
    intentId = ctx.world.state.openIntent(ctx.run, intent);
  }, "late");
  return intentId;
}

function write(ctx: PassContext, change: Commit): void {
  const { state, clock } = ctx.world;
  const { keeps, event } = change;
  const { id, path, side, detail: why } = event;
  const name = { path, id: isDocId(id) ? id : null, side, why };
  if (keeps !== undefined) state.putKnownText(keeps.digest, keeps.text, name);
  if (change.link !== undefined) state.putLink(change.link);
  if (change.text !== undefined) state.putLink(whereItStands(ctx, change.text));
  if (change.version !== undefined) state.addVersion({ ...change.version, at: clock.now() });
  if (change.closes !== undefined) state.closeIntent(change.closes);
  const parked = change.landed?.parked;
  if (parked) state.turnIntent(parked.intentId, parked.next);
  writeBeside(ctx, change);
  recordEvent(ctx.world, ctx.run, event);
}

function writeBeside(ctx: PassContext, { ends, replaces, conflict, dir, moved, removes }: RowsBeside): void {
  const { state } = ctx.world;
  if (ends !== undefined) endLink(ctx, ends.link, ends.trashPath);
  if (replaces) buryReplaced(ctx, replaces);
  if (conflict !== undefined) state.putConflict(conflict);
  if (dir !== undefined) state.putDir(dir);
  if (moved !== undefined) state.moveSubtree(moved.side, moved.from, moved.to);
  if (removes?.conflict !== undefined) state.removeConflict(removes.conflict);
  if (removes?.tombstone !== undefined) state.removeTombstone(removes.tombstone);
  if (removes?.hold !== undefined) state.removeHold(removes.hold);
  if (removes?.dir !== undefined) state.removeDir(removes.dir);
}

function buryReplaced(ctx: PassContext, old: DocId): void {
  const link = ctx.world.state.link(old);
  if (link !== null) endLink(ctx, link, null);
}

/**
 * The end of a link, within the caller's transaction: its id is known as buried, and nothing of it
 * stays open.
 */
export function endLink(ctx: PassContext, link: Link, trashPath: string | null): void {
  const { state, clock } = ctx.world;
  state.putTombstone(bury(link, trashPath, clock.now()));
  state.removeConflict(link.id);
  state.removeLink(link.id);
}
