import { type ChangeId, type DocId, isDocId } from "../../contract/ids.ts";
import type { FileWithContent } from "../../contract/resources.ts";
import type { Outcome } from "../../model/action.ts";
import { type Digest, digestOf } from "../../model/digest.ts";
import type { Hold, Link, Stamp } from "../../model/link.ts";
import type { LocalPath } from "../../model/path.ts";
import type { DiskOutcome } from "../../ports/disk.ts";
import type { Answer, Fault } from "../../ports/remote.ts";
import type { Intent, TextName } from "../../ports/state.ts";
import { bury } from "../../model/settle.ts";
import { madeOfBoth, seenHere, seenThere } from "./text-name.ts";
import { type EventFields, parkingPlace, recordEvent } from "../run/world.ts";
import type { PassContext } from "../run/pass-context.ts";

/**
 * What every effect is made of: a call that may fail, a text that lands on the disk, and the one
 * transaction that moves base.
 */

export const DONE: Outcome = { kind: "done" };

export function stale(detail: string): Outcome {
  return { kind: "stale", detail };
}

/** An outcome, or a value to go on with. */
export type Got<T> = { readonly kind: "got"; readonly value: T } | { readonly kind: "end"; readonly outcome: Outcome };

export function got<T>(value: T): Got<T> {
  return { kind: "got", value };
}

export function ended(outcome: Outcome): { readonly kind: "end"; readonly outcome: Outcome } {
  return { kind: "end", outcome };
}

/** Nothing else that is sent would fare better. */
const ENDS_A_RUN: ReadonlySet<string> = new Set(["unreachable", "unavailable", "not-the-service"]);

/**
 * A fault of a read, or of a write that certainly did nothing. A 404 is stale: the next pass proves
 * or disproves the absence.
 */
export function outcomeOfFault(fault: Fault, hold: Hold | null = null): Outcome {
  switch (fault.kind) {
    case "problem":
      if (fault.status === 404) return stale(`${fault.code}: ${fault.detail}`);
      return { kind: "refused", code: fault.code, detail: fault.detail, requestId: fault.requestId, hold };
    case "uncertain":
      return { kind: "uncertain", detail: fault.detail, requestId: fault.requestId };
    case "later":
      return {
        kind: "later",
        detail: fault.detail,
        requestId: fault.requestId,
        unreachable: ENDS_A_RUN.has(fault.cause),
      };
    case "locked-out":
      return { kind: "later", detail: `${fault.code}: ${fault.detail}`, requestId: fault.requestId, unreachable: true };
  }
}

/**
 * A disk effect that did not happen. A fault (no space, no permission) is tried again by the next
 * run; nothing was changed.
 */
export function outcomeOfDisk(end: Exclude<DiskOutcome<unknown>, { kind: "done" }>): Outcome {
  if (end.kind === "stale") return stale(end.detail);
  return { kind: "later", detail: `${end.errno}: ${end.detail}`, unreachable: false, requestId: null };
}

export type HoldFields = Pick<Hold, "key" | "path" | "reason" | "detail"> & Partial<Hold>;

export function makeHold(ctx: PassContext, fields: HoldFields): Hold {
  return { code: null, requestId: null, digest: null, changeId: null, since: ctx.world.clock.now(), ...fields };
}

export type RemoteText = { readonly file: FileWithContent; readonly text: string; readonly digest: Digest };

/** GET, judged: the text is in the text store before anything else is done with it (I03). */
export async function fetchText(ctx: PassContext, id: DocId, path: LocalPath): Promise<Got<RemoteText>> {
  const fetched = await fetchUnkept(ctx, id, path);
  if (fetched.kind === "got")
    ctx.world.state.putKnownText(fetched.value.digest, fetched.value.text, seenThere(path, id));
  return fetched;
}

/**
 * GET for its facts alone. The text that it shows is kept all the same: it may be another there
 * before it is read again (I03).
 */
export async function readFacts(ctx: PassContext, id: DocId, path: LocalPath): Promise<Answer<FileWithContent>> {
  const answer = await ctx.world.remote.getFile(id);
  if (answer.ok && answer.value.content.isWellFormed())
    ctx.world.state.putText(answer.value.content, seenThere(path, id));
  return answer;
}

/**
 * GET, judged. The caller keeps the text, at the latest with the commit of what it was fetched for;
 * until then nothing may be taken away for it.
 */
export async function fetchUnkept(ctx: PassContext, id: DocId, path: LocalPath): Promise<Got<RemoteText>> {
  const answer = await (ctx.notes.ahead?.take(id) ?? ctx.world.remote.getFile(id));
  // ORDER: the next request goes out before this one's text is dealt with, which takes longer than
  // its answer.
  if (ctx.world.clock.turn !== undefined) await ctx.world.clock.turn();
  if (!answer.ok) return ended(outcomeOfFault(answer.fault));
  const text = answer.value.content;
  if (!text.isWellFormed()) {
    const hold = makeHold(ctx, {
      key: id,
      path,
      reason: "remote-text-unfit",
      detail: "the service's text holds half a surrogate pair, which no UTF-8 file can hold",
      changeId: answer.value.lastChangeId,
    });
    return ended({
      kind: "refused",
      code: "remote-text-unfit",
      detail: hold.detail,
      requestId: answer.requestId,
      hold,
    });
  }
  return got({ file: answer.value, text, digest: digestOf(text) });
}

export type LocalRead = { readonly text: string; readonly stamp: Stamp; readonly stampTrusted: boolean };

/** The local text, which must still be `expect`; it is in the text store then. */
export function readLocal(ctx: PassContext, id: DocId, path: LocalPath, expect: Digest): Got<LocalRead> {
  const read = readUnkept(ctx, path, expect);
  if (read.kind === "got") ctx.world.state.putKnownText(expect, read.value.text, seenHere(path, id));
  return read;
}

/** The same; the caller keeps the text, at the latest with the intent of what it was read for. */
export function readUnkept(ctx: PassContext, path: LocalPath, expect: Digest): Got<LocalRead> {
  const read = ctx.world.disk.read(path);
  if (read.kind !== "done") return ended(outcomeOfDisk(read));
  if (read.value.digest !== expect) return ended(stale("the file was changed since it was looked at"));
  return got(read.value);
}

/** A text that is on the disk now; `intentId` is open until the caller's commit turns it. */
export type Landed = {
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

export type Commit = {
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
  readonly also?: () => void;
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
  change.also?.();
  recordEvent(ctx.world, ctx.run, event);
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
