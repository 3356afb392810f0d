import type { DocId } from "../../../contract/ids.ts";
import type { Outcome } from "../../model/action.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { Link, Stamp } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { DEFAULT_GUARDS } from "../../model/policy.ts";
import type { MirrorEvent, TextName } from "../../ports/state.ts";
import { flushNow } from "../apply/flush.ts";
import { ended, type Got, got, stale } from "../apply/effect.ts";
import { keepFileText } from "../apply/keep-file-text.ts";
import { replaceFile } from "../apply/land-text.ts";
import { checkRoot } from "../run/guard-facts.ts";
import { recoverLocal } from "../journal/recover.ts";
import { madeOfBoth, seenHere } from "../apply/text-name.ts";
import { rememberUnsent } from "../run/standing.ts";
import { type Settings, trashPlace, type World } from "../run/world.ts";
import { PassContext } from "../run/pass-context.ts";

/**
 * Effects that a person asks for, outside of a pass: as a run of its own, under the lock, with the
 * same journal and the same commits.
 */

/** No effect by hand makes a plan, so no policy applies. */
const SETTINGS: Settings = {
  names: "map",
  direction: "both",
  prefer: null,
  conflicts: () => "conflict-copy",
  retryRefused: true,
  guards: DEFAULT_GUARDS,
  reviewAfterQuiet: false,
  secondLookMs: null,
};

/** How it ended, and what to tell the user: whole clauses, never a text. */
export type HandEnd = { readonly outcome: Outcome; readonly notes: readonly string[] };

/**
 * Runs effects by hand. ORDER: first puts back what a crash left half done on the disk, so that a
 * parked file is not taken for absent.
 */
export async function runByHand(
  world: World,
  kind: string,
  work: (ctx: PassContext) => Promise<readonly HandEnd[]>,
): Promise<readonly HandEnd[]> {
  const { state, clock } = world;
  const { root } = checkRoot(world);
  if (root !== "same") return [{ outcome: stale(`the linked folder changed identity (${root})`), notes: [] }];
  const run = state.beginRun(kind, clock.now());
  const ctx = new PassContext(world, { run: { number: run }, settings: SETTINGS });
  recoverLocal(ctx, state.intents());
  const ends = await work(ctx);
  await flushNow(ctx);
  state.endRun(run, clock.now(), JSON.stringify({ state: "by-hand", counts: ctx.notes.counts }));
  if (state.events({ run, limit: MANY }).some(isEdit)) rememberUnsent(world, kind);
  return ends;
}

/** LIMIT: events of a run that are looked at; one that edits seldom does anything else. */
const MANY = 1_000;

function isEdit({ kind, side, outcome }: MirrorEvent): boolean {
  return kind === "restore" && side === "local" && outcome === "done";
}

/**
 * Asked before each item: a process hears of a signal between two turns of the event loop only.
 * @param stop aborted when a person wants no more to be begun; left out: nobody can
 */
export async function isStopped({ clock }: Pick<World, "clock">, stop: AbortSignal | undefined): Promise<boolean> {
  if (stop === undefined) return false;
  await clock.turn?.();
  return stop.aborted;
}

export type LandedByHand = {
  readonly stamp: Stamp;
  /**
   * The intent that the caller's commit closes; null: the bytes were the same already, and nothing
   * was opened.
   */
  readonly closes: number | null;
  /** Where the text that was replaced is kept, below `.mdmirror/`. */
  readonly keptAs: string | null;
  /** Of the text that is there now. */
  readonly writes: Digest;
};

/** What is to be where. */
type ByHand = {
  readonly id: DocId;
  readonly path: LocalPath;
  readonly text: string;
  /** The base before, on which a late edit of the replaced file would be based. */
  readonly link: Link;
  /** What the file has to hold; left out or null: anything. */
  readonly seen?: Digest | null | undefined;
  /** The version that the commit moves base to; left out: the text is an edit, and base stays. */
  readonly next?: Pick<Link, "changeId" | "digest">;
};

/**
 * Replaces a file's text. The old file goes to the trash instead of being removed later, so that
 * the losing text stays a file, and an editor that still has it open saves into that file.
 */
export function landByHand(ctx: PassContext, { id, path, text, link, seen, next }: ByHand): Got<LandedByHand> {
  const { disk, state } = ctx.world;
  const writes = state.putText(text, madeOfBoth(path, id, "chosen by a command"));
  const look = disk.look(path);
  if (look.kind !== "file") return ended(stale(`no file is at ${path}`));
  if (seen !== undefined && seen !== null && look.digest !== seen) return ended(stale(`${path} was edited meanwhile`));
  if (look.digest === writes) return got({ stamp: look.stamp, closes: null, keptAs: null, writes });
  keepText(ctx, path, id);
  const parkAt = trashPlace(ctx.world, path);
  const base = { baseChangeId: link.changeId, baseDigest: link.digest };
  const expect = look.digest;
  const becomes = next === undefined ? {} : { nextChangeId: next.changeId, nextDigest: next.digest, settles: true };
  const replaced = replaceFile(ctx, { kind: "replace", id, path, parkAt, expect, writes, ...base, ...becomes }, text);
  if (replaced.kind === "end") return replaced;
  const { stamp, rowId } = replaced.value;
  return got({ stamp, closes: rowId, keptAs: parkAt, writes });
}

/**
 * Stores the text of a file; bytes that are no text stay a file.
 * @param name under which it is found, where that is not the document at this path: the other
 * version in a conflict belongs to its document
 * @returns its digest, or null without a file
 */
export function keepText(
  ctx: PassContext,
  path: LocalPath,
  id: DocId | null,
  name: TextName = seenHere(path, id, "replaced by a choice"),
): Digest | null {
  const kept = keepFileText(ctx.world, path, name);
  if (kept !== null) return kept;
  const look = ctx.world.disk.look(path);
  return look.kind === "file" ? look.digest : null;
}

export function keptNote(what: string, keptAs: string | null): string[] {
  return keptAs === null ? [] : [`${what} is kept as .mdmirror/${keptAs}`];
}

export function notDone(outcome: Outcome): HandEnd {
  return { outcome, notes: [] };
}
