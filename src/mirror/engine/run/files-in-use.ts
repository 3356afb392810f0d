import type { DocId } from "../../../contract/ids.ts";
import type { Action } from "../../model/action.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { Plan } from "../../planner/plan-types.ts";
import type { Intent, MirrorEvent } from "../../ports/state.ts";
import { type CycleContext, wasFutile } from "./cycle-context.ts";
import type { EditorWait, Settings, World } from "./world.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { Block } from "../../model/record.ts";

/**
 * Delays writes to a file in use: the file changed a moment ago, or a program has it open. The
 * delay has a limit, and is not needed for safety. Each effect checks the file's content before the
 * write, so no edit is lost (I14).
 *
 * Times of files come from the disk's clock, and are compared with the machine's clock. If the two
 * clocks differ, a write is early or late by the difference (I29).
 */

export type UsedFile = {
  /**
   * Reason why the file is in use, as a clause. The words depend only on the cause, so that a block
   * with this reason keeps its start time.
   */
  readonly why: string;
  /** Milliseconds until the file counts as unchanged; null if a program has the file open. */
  readonly settledInMs: number | null;
};

type WritingAction = Extract<Action, { kind: "write-local" | "merge" | "trash-local" | MaybeWritingKind }>;
type MaybeWritingKind = "settle-review" | "renew-conflict" | "end-conflict" | "meet";

const WRITING_KINDS: ReadonlySet<Action["kind"]> = new Set(["write-local", "merge", "trash-local"]);
const MAYBE_WRITING_KINDS: ReadonlySet<Action["kind"]> = new Set<MaybeWritingKind>([
  "settle-review",
  "renew-conflict",
  "end-conflict",
  "meet",
]);

const OPEN_TOO_LONG = "; an editor had the file open for longer than mdmirror waits";

/**
 * Returns the files in use. If such a file may be written nevertheless, adds the file to
 * `waitedEnough`.
 */
export function findFilesInUse(ctx: CycleContext, { steps }: Plan, base: BaseTree): ReadonlyMap<LocalPath, UsedFile> {
  const usedFiles = new Map<LocalPath, UsedFile>();
  for (const { action } of steps) {
    if (!wouldWrite(ctx, base, action)) continue;
    const fileUse = findUse(ctx, action);
    if (fileUse === null) continue;
    if (hasWaitedLongest(ctx, base, action, fileUse)) ctx.notes.waitedEnough.set(action.localPath, OPEN_TOO_LONG);
    else usedFiles.set(action.localPath, fileUse);
  }
  return usedFiles;
}

/**
 * Returns true if an action overwrites or removes its file, or will probably do so. Three kinds of
 * actions rarely overwrite the file:
 * - The end of a review: the file usually keeps its content.
 * - A change of a conflict: a new version goes to a conflict copy.
 * - The first record of a document that is new on both sides. If the service's content may not
 *   replace the local content, this action never overwrites the file.
 *
 * Such an action counts as probable after its effect found the file in use (`staleIfInUse`), in
 * this run or an earlier run.
 */
function wouldWrite(
  { notes: { tally }, settings }: CycleContext,
  base: BaseTree,
  action: Action,
): action is WritingAction {
  if (WRITING_KINDS.has(action.kind)) return true;
  if (!isMaybeWriting(action) || (action.kind === "meet" && !mayReplaceLocal(settings, action.localPath))) return false;
  return base.blocks.get(action.id)?.reason === "in-use" || wasFutile(tally, action);
}

/**
 * Returns true if the service's content may replace the local file of a document that is new on
 * both sides. The user must prefer the service, or the policy must be `copy`, which keeps the local
 * content beside the file. Otherwise nothing is replaced, because without a base nobody knows which
 * content is older (I05).
 */
export function mayReplaceLocal({ direction, prefer, conflicts }: Settings, path: LocalPath): boolean {
  return direction !== "push" && (prefer === "remote" || conflicts(path) === "copy");
}

function isMaybeWriting(action: Action): action is Extract<Action, { kind: MaybeWritingKind }> {
  return MAYBE_WRITING_KINDS.has(action.kind);
}

/**
 * Returns true if the longest delay of a write is over. A limit exists, because a program may have
 * a file open for days.
 */
function hasWaitedLongest(
  { world, settings }: CycleContext,
  base: BaseTree,
  { id }: WritingAction,
  { settledInMs }: UsedFile,
): boolean {
  const block = base.blocks.get(id);
  if (settledInMs !== null || block?.reason !== "in-use") return false;
  return isWaitOver(world, block.since, settings.handsOff?.openMs ?? 0);
}

/** Returns true if `maxMs` have passed since a time, or if the clock was set back meanwhile. */
function isWaitOver({ clock }: World, since: number, maxMs: number): boolean {
  const waitedMs = clock.now() - since;
  return waitedMs >= maxMs || waitedMs < 0;
}

/**
 * Checks right before a write whether the file is in use.
 * @returns null if the file is not in use
 */
export function findUse(
  { world, settings: { handsOff }, notes }: CycleContext,
  { id, localPath }: Pick<WritingAction, "id" | "localPath">,
): UsedFile | null {
  if (handsOff === undefined || notes.waitedEnough.has(localPath)) return null;
  const { changedMs, savedMs, openIn } = world.disk.useOf(localPath);
  if (openIn !== null && handsOff.openMs > 0)
    return {
      why: `open in ${openIn}: mdmirror writes the version on the service when the file is closed`,
      settledInMs: null,
    };
  if (changedMs === null || savedMs === null) return null;
  const settledInMs = timeUntilSettled(world, handsOff, changedMs);
  if (settledInMs <= 0) return null;
  const isSaved = timeUntilSettled(world, handsOff, savedMs) > 0;
  if (isOwnWrite(world, id, changedMs, isSaved ? savedMs : null)) return null;
  return {
    why: "changed a moment ago: mdmirror writes the version on the service when the file has not changed for a while",
    settledInMs,
  };
}

/**
 * Tolerance in milliseconds for a comparison of a file's time, which has a fraction, with an
 * event's time, which has none.
 */
const ROUNDING_MS = 1;

/**
 * Returns the milliseconds until a file has been unchanged for long enough; 0 or less if that time
 * is over. The disk's clock may be slightly ahead of the machine's clock. A file's time that is far
 * ahead comes from another clock, and is ignored.
 */
function timeUntilSettled({ clock }: World, { unchangedMs }: EditorWait, changedMs: number): number {
  if (unchangedMs === 0) return 0;
  const sinceMs = clock.now() - changedMs;
  return sinceMs < -unchangedMs ? 0 : unchangedMs - sinceMs + readClockResolution(changedMs);
}

/**
 * Returns the milliseconds by which a file's time may be too early. Some disks store only whole
 * seconds or, like FAT, even seconds. If the time has no fraction, the file is probably on such a
 * disk.
 */
function readClockResolution(changedMs: number): number {
  return [2_000, 1_000].find((tickMs) => changedMs % tickMs === 0) ?? 0;
}

/**
 * Returns true if mdmirror made the last change of the file, by a write or a move. A move gives the
 * file a new time, although its content stays.
 * @param savedMs time when the file's content was written; null if that was long enough ago
 */
function isOwnWrite({ state, clock }: World, id: DocId, changedMs: number, savedMs: number | null): boolean {
  const events = state.events({ limit: MAX_NEWER_EVENTS, id }).filter(hasWrittenFile);
  const now = clock.now();
  if (events[0] === undefined || !isChangedBefore(changedMs, events[0], now)) return false;
  if (savedMs === null || events[0].kind !== "move-local") return true;
  const lastWrite = events.find(({ kind }) => kind !== "move-local");
  return lastWrite !== undefined && isChangedBefore(savedMs, lastWrite, now);
}

/**
 * Returns true if the file changed before the write or move in this event of the log. Returns false
 * for an event with a time in the future.
 */
function isChangedBefore(fileMs: number, { at }: MirrorEvent, now: number): boolean {
  return at <= now && fileMs + readClockResolution(fileMs) < at + ROUNDING_MS;
}

/**
 * LIMIT: number of events in which mdmirror's last write is searched, so that the search is fast.
 * If that write is older, the last change counts as the user's, and mdmirror delays its next write
 * to the file.
 */
const MAX_NEWER_EVENTS = 8;

/**
 * Returns true if this event of the log gave the file a new time: mdmirror wrote or renamed the
 * file. Returns false if mdmirror only recorded a path, or content that both sides already had.
 */
function hasWrittenFile({ kind, side, before, after }: MirrorEvent): boolean {
  return kind === "move-local" || (side !== "remote" && after !== null && after !== before);
}

/** Milliseconds between two checks for programs that have a file open. */
const LOCK_CHECK_MS = 2_000;
const MIN_CHECK_MS = 100;

type SetAsideRow = Extract<Intent, { kind: "set-aside" }>;

/**
 * Decides when to check again the files that programs have open. Some of these files wait for a
 * replacement by mdmirror. Others are set-aside files, to which a program may still write. Times
 * are monotonic.
 */
export class FilesInUse {
  readonly #world: World;
  readonly #handsOff: EditorWait | undefined;
  #blocks: readonly Block[] = [];
  #setAside: readonly SetAsideRow[] = [];
  /**
   * Last content of each set-aside file that caused a run, so that the same content causes no
   * second run.
   */
  readonly #requestedContents = new Map<string, Digest>();
  #checkAt: number | null = null;

  constructor(world: World, handsOff: EditorWait | undefined) {
    this.#world = world;
    this.#handsOff = handsOff;
  }

  update(): void {
    const { state, disk } = this.#world;
    this.#blocks = state.blocks().filter(({ reason }) => reason === "in-use");
    this.#setAside = state
      .intents()
      .flatMap(({ intent }) =>
        intent.kind === "set-aside" && disk.isOpenElsewhere(intent.setAsideAt) ? [intent] : [],
      );
    const setAsidePaths = new Set(this.#setAside.map(({ setAsideAt }) => setAsideAt));
    for (const place of this.#requestedContents.keys())
      if (!setAsidePaths.has(place)) this.#requestedContents.delete(place);
    this.#schedule();
  }

  /** Returns the time of the next check; null if no check is needed. */
  nextAt(): number | null {
    return this.#checkAt;
  }

  /** Returns true if a file may be replaced now, or if a program wrote to a set-aside file. */
  isAnyFree(): boolean {
    if (this.#blocks.some((block) => this.#waitsMs(block) <= 0) || this.#setAside.some((one) => this.#isWritten(one))) {
      this.#checkAt = null;
      return true;
    }
    this.#schedule();
    return false;
  }

  #schedule(): void {
    const delays = this.#blocks.map((block) => Math.max(MIN_CHECK_MS, this.#waitsMs(block)));
    if (this.#setAside.length > 0) delays.push(LOCK_CHECK_MS);
    this.#checkAt = delays.length === 0 ? null : this.#world.clock.monotonic() + Math.min(...delays);
  }

  #isWritten({ setAsideAt, path, expect }: SetAsideRow): boolean {
    const readOutcome = this.#world.disk.readSetAside(setAsideAt, path);
    const digest = readOutcome.kind === "done" ? (readOutcome.value?.digest ?? expect) : expect;
    if (digest === expect || digest === this.#requestedContents.get(setAsideAt)) return false;
    this.#requestedContents.set(setAsideAt, digest);
    return true;
  }

  /**
   * Returns the milliseconds until the file may be replaced; 0 or less if it may be replaced now.
   */
  #waitsMs({ path, since }: Block): number {
    const { changedMs, openIn } = this.#world.disk.useOf(path);
    if (this.#handsOff === undefined) return 0;
    if (openIn !== null) return isWaitOver(this.#world, since, this.#handsOff.openMs) ? 0 : LOCK_CHECK_MS;
    return changedMs === null ? 0 : timeUntilSettled(this.#world, this.#handsOff, changedMs);
  }
}
