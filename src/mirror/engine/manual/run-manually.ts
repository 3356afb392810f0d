/**
 * Runs effects for a command, as a run with its own number, and with the lock and journal of a
 * cycle.
 */

import type { DocId } from "../../../contract/ids.ts";
import type { Outcome } from "../../model/action.ts";
import { type Digest, digestOf } from "../../../contract/digest.ts";
import type { DocumentRecord } from "../../model/record.ts";
import type { LocalPath } from "../../../contract/path.ts";
import { DEFAULT_GUARD_LIMITS } from "../../model/policy.ts";
import type { EventFields, MirrorEvent } from "../../ports/state.ts";
import { flushNow } from "../apply/durability.ts";
import { makeLocalOrigin, stale, storeFileText } from "../apply/effect.ts";
import { runLocalEffect } from "../apply/run-effect.ts";
import { writeFile } from "../apply/write-file.ts";
import { checkRoot } from "../run/guard-facts.ts";
import { recoverLocal } from "../journal/recover.ts";
import { rememberUnsent } from "../run/run-state.ts";
import { type Settings, chooseTrashPlace, type World } from "../run/world.ts";
import { CycleContext } from "../run/cycle-context.ts";

/** Default settings. Most settings concern only the plan, and a command has no plan. */
const MANUAL_SETTINGS: Settings = {
  names: "map",
  direction: "both",
  prefer: null,
  conflicts: () => "conflict-copy",
  retryRefused: true,
  guards: DEFAULT_GUARD_LIMITS,
  reviewsOnlyUnchanged: false,
  secondLookMs: null,
};

/**
 * Outcome of a command's effects. `notes`: sentences for the user, which never quote a document.
 */
export type ManualEnd = { readonly outcome: Outcome; readonly notes: readonly string[] };

/**
 * Runs effects for a command.
 * ORDER: interrupted effects on the disk are recovered first, so that mdmirror does not report a
 * set-aside file as absent.
 * @param undoes numbers, for the log, of the runs that this run undoes
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
  const runNumber = state.beginRun(kind, clock.now());
  const ctx = new CycleContext(world, { run: { number: runNumber }, settings: MANUAL_SETTINGS });
  recoverLocal(ctx, state.intents());
  const results = await work(ctx);
  await flushNow(ctx);
  state.endRun(runNumber, clock.now(), JSON.stringify({ state: "manual", counts: ctx.notes.counts, undoes }));
  if (state.events({ run: runNumber, limit: MAX_EVENTS }).some(isEdit)) rememberUnsent(world, kind);
  return results;
}

/**
 * LIMIT: number of events of the run in which a local edit is searched. One edit is enough, and a
 * run with edits rarely has other events.
 */
const MAX_EVENTS = 1_000;

function isEdit({ kind, side, outcome }: MirrorEvent): boolean {
  return kind === "restore" && side === "local" && outcome === "done";
}

/**
 * Returns true if the user has stopped the command. Waits for a turn of the event loop first,
 * because a process receives signals only between two turns.
 * @param stop undefined if the command cannot be stopped
 */
export async function isStopped({ clock }: Pick<World, "clock">, stop: AbortSignal | undefined): Promise<boolean> {
  if (stop === undefined) return false;
  await clock.turn?.();
  return stop.aborted;
}

type ChosenContent = {
  readonly record: DocumentRecord;
  readonly path: LocalPath;
  /** Content to write; null if the file keeps its content, which may be no text. */
  readonly text: string | null;
  /** Digest that the file must have; undefined or null to accept any content. */
  readonly seen?: Digest | null | undefined;
  /**
   * New base, with which the document's block ends. Undefined: the content is an edit, and base
   * stays.
   */
  readonly next?: Pick<DocumentRecord, "changeId" | "digest">;
  readonly event: Pick<EventFields, "kind" | "detail"> & Partial<EventFields>;
  /** Words for the old file, in the note with the old file's path in the trash. */
  readonly old: string;
};

/**
 * Writes the chosen content. The old file goes to the trash. If a program has the old file open,
 * later saves go to the file in the trash.
 */
export function writeChosen(
  ctx: CycleContext,
  { record, path, text, seen, next, event, old }: ChosenContent,
): ManualEnd {
  const { id } = record;
  const pathState = ctx.world.disk.look(path);
  const foundDigest = pathState.kind === "file" ? pathState.digest : null;
  const newDigest = text === null ? foundDigest : digestOf(text);
  // A missing file is created only if nothing is at its path and the content is a version of the
  // service (`next`).
  if (newDigest === null || (foundDigest === null && (pathState.kind !== "absent" || next === undefined)))
    return makeFailedEnd(stale(`no file is at ${path}`));
  if (foundDigest !== null && isUnseenContent(seen, foundDigest))
    return makeFailedEnd(stale(`${path} was edited meanwhile`));
  storeReplacedText(ctx, path, id);
  const trash = chooseTrashPlace(ctx.world, path);
  const copies: string[] = [];
  const outcome = runLocalEffect(ctx, writeFile, {
    id,
    path,
    text,
    expect: foundDigest,
    base: record,
    next: next ?? null,
    ...(next === undefined ? {} : { waiting: [], endsBlock: true as const }),
    event: { side: "local", ...event },
    trash,
    copies,
  });
  if (outcome.kind !== "done") return makeFailedEnd(outcome);
  return {
    outcome,
    notes: [
      ...makeKeptNote(old, foundDigest === null || newDigest === foundDigest ? null : trash),
      ...makeCopiesNotes(copies),
    ],
  };
}

/**
 * Returns true if the user saw other content. Without `seen`, nobody knows what the user saw, so
 * the result is false.
 */
export function isUnseenContent(seen: Digest | null | undefined, found: Digest): boolean {
  return seen !== undefined && seen !== null && seen !== found;
}

/**
 * Stores the content of a file before the file is replaced. Stores only text.
 * @returns digest of the content; null if no file is at the path
 */
export function storeReplacedText(ctx: CycleContext, path: LocalPath, id: DocId): Digest | null {
  const digest = storeFileText(ctx.world, path, makeLocalOrigin(path, id, "the version that your choice replaced"));
  if (digest !== null) return digest;
  const pathState = ctx.world.disk.look(path);
  return pathState.kind === "file" ? pathState.digest : null;
}

export function makeKeptNote(oldFile: string, trashPlace: string | null): string[] {
  return trashPlace === null ? [] : [`${oldFile} is kept as .mdmirror/${trashPlace}`];
}

/** @param places paths of the copies, below `.mdmirror/` */
export function makeCopiesNotes(places: readonly string[]): string[] {
  return places.flatMap((place) => makeKeptNote("the other version", place));
}

export function makeFailedEnd(outcome: Outcome): ManualEnd {
  return { outcome, notes: [] };
}
