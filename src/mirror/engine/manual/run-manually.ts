/**
 * Runs effects that a user asks for, outside a cycle: as a separate run, under the lock, with the
 * same journal and the same commits.
 */

import type { DocId } from "../../../contract/ids.ts";
import type { Outcome } from "../../model/action.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { DEFAULT_GUARDS } from "../../model/policy.ts";
import type { EventFields, MirrorEvent, TextName } from "../../ports/state.ts";
import { flushNow } from "../apply/flush.ts";
import { stale } from "../apply/effect.ts";
import { keepFileText, localContentName } from "../apply/text-name.ts";
import { runLocalEffect } from "../apply/run-effect.ts";
import { writeFile } from "../apply/write-file.ts";
import { checkRoot } from "../run/guard-facts.ts";
import { recoverLocal } from "../journal/recover.ts";
import { rememberUnsent } from "../run/run-state.ts";
import { type Settings, trashPlace, type World } from "../run/world.ts";
import { CycleContext } from "../run/cycle-context.ts";

/** These effects follow no plan, so no policy applies. */
const SETTINGS: Settings = {
  names: "map",
  direction: "both",
  prefer: null,
  conflicts: () => "conflict-copy",
  retryRefused: true,
  guards: DEFAULT_GUARDS,
  reviewsOnlyUnchanged: false,
  secondLookMs: null,
};

/** The outcome, and sentences for the user, which never contain content of documents. */
export type ManualEnd = { readonly outcome: Outcome; readonly notes: readonly string[] };

/**
 * Runs effects for a command. ORDER: first recovers effects that a crash left incomplete on the
 * disk, so that a set-aside file does not count as absent.
 * @param undoes runs that this run undoes, for its summary
 */
export async function runManually(
  world: World,
  kind: string,
  work: (ctx: CycleContext) => Promise<readonly ManualEnd[]>,
  undoes?: readonly number[],
): Promise<readonly ManualEnd[]> {
  const { state, clock } = world;
  const { root } = checkRoot(world);
  if (root !== "same") return [{ outcome: stale(`the linked folder changed identity (${root})`), notes: [] }];
  const run = state.beginRun(kind, clock.now());
  const ctx = new CycleContext(world, { run: { number: run }, settings: SETTINGS });
  recoverLocal(ctx, state.intents());
  const ends = await work(ctx);
  await flushNow(ctx);
  state.endRun(run, clock.now(), JSON.stringify({ state: "manual", counts: ctx.notes.counts, undoes }));
  if (state.events({ run, limit: MAX_EVENTS }).some(isEdit)) rememberUnsent(world, kind);
  return ends;
}

/** LIMIT: events of a run that are read. A run with edits rarely has other events. */
const MAX_EVENTS = 1_000;

function isEdit({ kind, side, outcome }: MirrorEvent): boolean {
  return kind === "restore" && side === "local" && outcome === "done";
}

/**
 * Returns true if the user has stopped the command. Called before each item, because a process
 * receives a signal only between two turns of the event loop.
 * @param stop aborted when no more items may start; undefined: the command cannot be stopped
 */
export async function isStopped({ clock }: Pick<World, "clock">, stop: AbortSignal | undefined): Promise<boolean> {
  if (stop === undefined) return false;
  await clock.turn?.();
  return stop.aborted;
}

/** The content that a user chose for a file. */
type Choice = {
  readonly record: DocumentRecord;
  readonly path: LocalPath;
  /** Null if the file stays unchanged. Its bytes need not be text. */
  readonly text: string | null;
  /** Content that the file must have; undefined or null: any. */
  readonly seen?: Digest | null | undefined;
  /**
   * The version that base moves to, which ends the block of the document. Undefined: the content is
   * an edit, and base stays.
   */
  readonly next?: Pick<DocumentRecord, "changeId" | "digest">;
  readonly event: Pick<EventFields, "kind" | "detail"> & Partial<EventFields>;
  /** Words for the old file, in the note about its new path. */
  readonly old: string;
};

/**
 * Writes the chosen content to a file. The old file goes to the trash, so that its content stays a
 * file, and a program that still has it open saves to that file.
 */
export function writeChosen(ctx: CycleContext, { record, path, text, seen, next, event, old }: Choice): ManualEnd {
  const { id } = record;
  const atPath = ctx.world.disk.look(path);
  const expect = atPath.kind === "file" ? atPath.digest : null;
  const writes = text === null ? expect : digestOf(text);
  // A missing file can only be restored with a version of the service (`next`), at a free path.
  if (writes === null || (expect === null && (atPath.kind !== "absent" || next === undefined)))
    return notDone(stale(`no file is at ${path}`));
  if (expect !== null && isUnseenContent(seen, expect)) return notDone(stale(`${path} was edited meanwhile`));
  keepText(ctx, path, id);
  const trash = trashPlace(ctx.world, path);
  const copies: string[] = [];
  const outcome = runLocalEffect(ctx, writeFile, {
    id,
    path,
    text,
    expect,
    base: record,
    next: next ?? null,
    ...(next === undefined ? {} : { waiting: [], endsBlock: true as const }),
    event: { side: "local", ...event },
    trash,
    copies,
  });
  if (outcome.kind !== "done") return notDone(outcome);
  return {
    outcome,
    notes: [...keptNote(old, expect === null || writes === expect ? null : trash), ...copiesNotes(copies)],
  };
}

/**
 * Returns true if the user saw other content than the file has. False if the user saw no content
 * (`seen` is null or undefined).
 */
export function isUnseenContent(seen: Digest | null | undefined, found: Digest): boolean {
  return seen !== undefined && seen !== null && seen !== found;
}

/**
 * Stores the content of a file. Bytes that are not text are not stored.
 * @param name the name under which users find the content, if that is not the document at this
 * path: the other version in a conflict belongs to its document
 * @returns digest of the content, or null without a file
 */
export function keepText(
  ctx: CycleContext,
  path: LocalPath,
  id: DocId | null,
  name: TextName = localContentName(path, id, "the version that your choice replaced"),
): Digest | null {
  const digest = keepFileText(ctx.world, path, name);
  if (digest !== null) return digest;
  const atPath = ctx.world.disk.look(path);
  return atPath.kind === "file" ? atPath.digest : null;
}

export function keptNote(oldFile: string, keptAs: string | null): string[] {
  return keptAs === null ? [] : [`${oldFile} is kept as .mdmirror/${keptAs}`];
}

/** @param places paths of the copies, below `.mdmirror/` */
export function copiesNotes(places: readonly string[]): string[] {
  return places.flatMap((place) => keptNote("the other version", place));
}

export function notDone(outcome: Outcome): ManualEnd {
  return { outcome, notes: [] };
}
