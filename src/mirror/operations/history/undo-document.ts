import type { DocId } from "../../../contract/ids.ts";
import type { Digest } from "../../../contract/digest.ts";
import type { Link } from "../../model/link.ts";
import { isWithin, type LocalPath, rebase } from "../../../contract/path.ts";
import type { BaseTree } from "../../model/tree.ts";
import type { Disk } from "../../ports/disk.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import type { LinkIndex } from "./find-document.ts";
import { EDITED, isFree } from "./undo-here.ts";
import { left, type UndoItem } from "./undo-item.ts";
import { type FolderMove, type Move, movedBy, pathBefore } from "./undo-moves.ts";

/**
 * How what some runs did to one document is taken back: what the first of them found comes back
 * over what the last of them left.
 */
type UndoContext = {
  readonly base: BaseTree;
  readonly linked: LinkIndex;
  readonly folders: readonly FolderMove[];
  readonly disk: Pick<Disk, "look">;
  /** Documents that the runs made. */
  readonly made: ReadonlySet<DocId>;
  /** Those of them that stay, each in the place of one that the runs removed. */
  readonly successors: ReadonlySet<DocId>;
  readonly to: "run" | "moment";
};

const TEXT_KINDS: ReadonlySet<string> = new Set([
  "put",
  "write-local",
  "merge",
  "meet",
  "settle-review",
  "end-conflict",
  "restore",
]);

const MIRRORED = "it is synced again";
const CAME_AND_WENT = "it was downloaded, and was deleted since";
const BROUGHT = "the run only downloaded it; delete the file yourself if you do not want it";

/** @param events of this document alone, oldest first */
export function undoDocument(id: DocId, events: readonly MirrorEvent[], context: UndoContext): UndoItem[] {
  const link = context.base.links.get(id);
  const path = link?.localPath ?? events.at(-1)!.path;
  const kept = whyKept(events, path, link, context);
  if (kept !== null) return [left(path, kept)];
  const isMade = context.made.has(id);
  const removed = events.findLast(isRemoval);
  const asNew = events.findLast(isBroughtBack);
  if (removed !== undefined && (link === undefined || isFree(context.disk, path))) {
    return undoRemoval(id, path, removed, events, context);
  }
  if (link === undefined) return [asNew === undefined ? left(path, "it was deleted since") : awayAgain(asNew, context)];
  if (removed !== undefined && !isBroughtBack(events.at(-1)!)) return [left(path, MIRRORED)];
  if (isMade) return context.successors.has(id) ? [] : [takeAway(link, events)];
  return presentBack(link, events, context);
}

function undoRemoval(
  id: DocId,
  path: LocalPath,
  removed: MirrorEvent,
  events: readonly MirrorEvent[],
  context: UndoContext,
): UndoItem[] {
  // What the runs made and removed was not there before them.
  if (context.made.has(id)) return [];
  if (events[0]!.kind === "create-local") return [left(path, CAME_AND_WENT)];
  return [bringBack(id, path, removed, events, context)].filter((item) => item !== null);
}

/** Of a document that is there, and was before: its text, its place, and who may change it. */
function presentBack(link: Link, events: readonly MirrorEvent[], context: UndoContext): UndoItem[] {
  const path = link.localPath;
  const back = [textBack(link, events, context), undoMove(link.id, events, context), protectionBack(link, events)];
  const items = back.filter((item) => item !== null);
  const brought = events.some(({ kind }) => kind === "create-local");
  return brought && items.length === 0 ? [{ ...left(path, BROUGHT), isBrought: true }] : items;
}

/** By hand, the text goes and none comes. */
function isRemoval({ kind, before, after }: MirrorEvent): boolean {
  return (
    kind === "delete-remote" || kind === "trash-local" || (kind === "restore" && before !== null && after === null)
  );
}

/** A document that was gone was put back by hand, as a new one. */
function isBroughtBack({ kind, before, after }: MirrorEvent): boolean {
  return kind === "restore" && before === null && after !== null;
}

/** What the runs did that an undo leaves to a person; null: nothing. */
function whyKept(
  events: readonly MirrorEvent[],
  path: LocalPath,
  link: Link | undefined,
  context: UndoContext,
): string | null {
  if (events.some(({ outcome }) => outcome === "submitted") && (link?.submissions.length ?? 0) > 0)
    return `in review: mdmirror resolve ${path} --theirs`;
  if (!events.some(({ kind }) => kind === "conflict")) return null;
  if (link !== undefined && context.base.conflicts.has(link.id))
    return `the run found a conflict and changed nothing: mdmirror resolve ${path}`;
  const isUnknown = events[0]!.kind === "conflict" && textBefore(events, context) === null;
  return isUnknown ? "the run found a conflict, which has ended since" : null;
}

/**
 * What the runs made in the place of a document that they had removed, as `restore` and another
 * undo do; null: nothing.
 */
export function successorOf(
  id: DocId,
  events: readonly MirrorEvent[],
  context: Omit<UndoContext, "successors">,
): DocId | null {
  const removed = events.findLast(isRemoval);
  if (removed === undefined || context.made.has(id) || context.base.links.has(id)) return null;
  const there = context.linked.get(placeOfRemoved(removed, events, context));
  return there !== undefined && context.made.has(there.id) ? there.id : null;
}

/** Its moves, by runs and by hand. */
function movesOf(events: readonly MirrorEvent[]): readonly Move[] {
  return events.flatMap((event): readonly Move[] => {
    const { kind, from, path } = event;
    if (kind === "restore") return from === null ? [] : [{ side: "local", from, to: path, here: from }];
    const moved = movedBy(event);
    return moved === null ? [] : [moved];
  });
}

/** Where a document was before the runs. */
function placeOfRemoved(
  removed: MirrorEvent,
  events: readonly MirrorEvent[],
  { folders }: Pick<UndoContext, "folders">,
): LocalPath {
  const [first] = movesOf(events);
  return first?.here ?? pathBefore(removed.path, removed.path, folders);
}

/** null: a document that the runs made stands there with that very text. */
function bringBack(
  id: DocId,
  path: LocalPath,
  removed: MirrorEvent,
  events: readonly MirrorEvent[],
  context: UndoContext,
): UndoItem | null {
  const { linked, made, base } = context;
  const digest = textBefore(events, context) ?? removed.before;
  if (digest === null) return left(path, "its content was not seen");
  const was = placeOfRemoved(removed, events, context);
  const there = linked.get(was);
  // Whether one that was there before goes back to a place of its own is judged with all moves.
  if (there === undefined || !made.has(there.id)) return { path: was, kind: "bring-back", id, digest };
  const expect = base.links.get(there.id)!.digest;
  return expect === digest ? null : { path: was, kind: "text-back", id: there.id, digest, expect };
}

function takeAway({ id, localPath: path, digest }: Link, events: readonly MirrorEvent[]): UndoItem {
  const expect = events.findLast(({ after }) => after !== null)?.after ?? null;
  return expect === null || digest !== expect ? left(path, EDITED) : { path, kind: "take-away", id, expect };
}

/** Of a document that was put back by hand: the new one goes, which a later run has sent. */
function awayAgain({ path, after }: MirrorEvent, { linked, disk }: UndoContext): UndoItem {
  const link = linked.get(path);
  if (link !== undefined) return link.digest === after ? awayOf(link, after) : left(path, EDITED);
  const look = disk.look(path);
  const isThere = look.kind === "file" && look.digest === after;
  return left(
    path,
    isThere ? "it was not uploaded yet; delete the file yourself if you do not want it" : "it was deleted since",
  );
}

function awayOf({ id, localPath: path }: Link, expect: Digest): UndoItem {
  return { path, kind: "take-away", id, expect };
}

function isText({ kind, before, after }: MirrorEvent): boolean {
  return TEXT_KINDS.has(kind) && before !== null && after !== null;
}

/**
 * Returns the content that an undo restores; null: not known, or the runs did not change it.
 * A merge or a conflict found an edit that was not sent yet: before a run was that edit, which a
 * conflict does not record. In sync at a moment before was the base of both edits.
 */
function textBefore(events: readonly MirrorEvent[], { to }: UndoContext): Digest | null {
  const first = events.find((event) => event.kind === "conflict" || isText(event));
  if (first?.kind === "conflict") return to === "moment" ? first.before : null;
  return (to === "moment" ? first?.merged?.base : null) ?? first?.before ?? null;
}

/** null: the runs did not change the text. */
function textBack(link: Link, events: readonly MirrorEvent[], context: UndoContext): UndoItem | null {
  const { id, localPath: path } = link;
  // A document that was deleted locally during its conflict comes back with another content.
  const last = events.findLast((event) => isText(event) || event.kind === "create-local");
  const [digest, expect] = [textBefore(events, context), last?.after ?? null];
  if (digest === null || expect === null || digest === expect) return null;
  return { path, kind: "text-back", id, digest, expect };
}

function protectionBack({ id, localPath: path }: Link, events: readonly MirrorEvent[]): UndoItem | null {
  const changes = events.filter(({ kind }) => kind === "protect" || kind === "unprotect");
  const [first, last] = [changes[0]?.kind, changes.at(-1)?.kind];
  if (first === undefined || first !== last) return null;
  return { path, kind: first === "protect" ? "unprotect-back" : "protect-back", id };
}

function undoMove(id: DocId, events: readonly MirrorEvent[], { base, folders }: UndoContext): UndoItem | null {
  const link = base.links.get(id)!;
  const path = link.localPath;
  const moves = movesOf(events);
  if (moves.length === 0) return null;
  const [first, last] = [moves[0]!, moves.at(-1)!];
  const to = pathBefore(first.here, path, folders);
  if (to === path) return null;
  if (!isWhereMoved(link, last, folders)) return left(path, "it was moved again since");
  return { path, kind: "move-back", id, to };
}

/**
 * Whether it is where the run moved it. A later move of its folder in the same run does not count.
 */
function isWhereMoved({ localPath, remotePath }: Link, last: Move, folders: readonly FolderMove[]): boolean {
  const now = last.side === "remote" ? remotePath : localPath;
  const place = folders.reduce((at, one) => (isWithin(at, one.from) ? rebase(at, one.from, one.to) : at), last.to);
  return now === last.to || now === place;
}
