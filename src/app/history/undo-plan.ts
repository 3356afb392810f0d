import { type DirId, type DocId, isDirId, isDocId } from "../../contract/ids.ts";
import type { Digest } from "../../model/digest.ts";
import { isWithin, type LocalPath, rebase } from "../../model/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import type { Link } from "../../model/link.ts";
import type { BaseTree } from "../../model/tree.ts";
import { indexLinks, type LinkIndex } from "./find-document.ts";
import { type FolderMove, folderMoves, type MovedBack, orderMoves, pathBefore, splitTaken } from "./undo-moves.ts";
import { byPath } from "../../model/by-path.ts";

/**
 * How one run is taken back, document by document. Pure: it reads the run's events and base as it
 * is now.
 */
export type UndoItem = { readonly path: LocalPath } & (
  | { readonly kind: "text-back"; readonly id: DocId; readonly digest: Digest; readonly expect: Digest }
  /** Deleted by the run: it comes back as a new document. */
  | { readonly kind: "bring-back"; readonly id: DocId; readonly digest: Digest }
  /**
   * Sent by the run as new: the file goes to the trash, and the next run deletes it on the service,
   * under the guards.
   */
  | { readonly kind: "take-away"; readonly id: DocId; readonly expect: Digest }
  | { readonly kind: "move-back"; readonly id: DocId; readonly to: LocalPath }
  /** The folder moves with all that is in it now. */
  | { readonly kind: "move-folder-back"; readonly id: DirId; readonly to: LocalPath }
  | { readonly kind: "left"; readonly why: string }
);

const TEXT_KINDS: ReadonlySet<string> = new Set([
  "put",
  "write-local",
  "merge",
  "meet",
  "settle-review",
  "end-conflict",
  "restore",
]);

/** @param events of one run, oldest first */
export function planUndo(events: readonly MirrorEvent[], base: BaseTree): UndoItem[] {
  const ended = events.filter(({ outcome }) => outcome === "done" || outcome === "submitted" || outcome === "conflict");
  const linked = indexLinks(base);
  const folders = folderMoves(ended, base);
  const byDocument = Map.groupBy(
    ended.filter(({ id }) => isDocId(id)),
    ({ id }) => id as DocId,
  );
  const items = [...byDocument].flatMap(([id, own]) => undoDocument(id, own, { base, linked, folders }));
  return [...items.filter(({ kind }) => kind !== "move-back"), ...planMoves(items, folders, base, linked)].toSorted(
    byPath,
  );
}

/**
 * Plans folders and documents together, because one may stand where another was, and a document
 * goes back with its folder.
 */
function planMoves(
  items: readonly UndoItem[],
  folders: readonly FolderMove[],
  base: BaseTree,
  linked: LinkIndex,
): UndoItem[] {
  const documents = items.flatMap((item) =>
    item.kind === "move-back" ? [{ id: item.id, at: item.path, to: item.to }] : [],
  );
  const moved = folders
    .filter((one) => !one.moved)
    .map(({ id, from, to }) => ({ id, at: to, to: pathBefore(from, to, folders) }));
  const dirs = new Map([...base.dirs.values()].map(({ localPath, id }) => [localPath, id]));
  const { go, stay } = splitTaken([...moved, ...documents], (path) => linked.get(path)?.id ?? dirs.get(path));
  const named = new Set(orderMoves(go).flatMap(({ id, last }) => (last ? [id] : [])));
  return [
    ...go.filter(({ id }) => named.has(id)).map(itemOfMove),
    ...stay.map(({ id, at, to }) => left(at, `another ${isDirId(id) ? "folder" : "document"} is at ${to} now`)),
    ...folders.filter((one) => one.moved).map(({ to }) => left(to, "the folder was moved again since")),
  ];
}

function itemOfMove({ id, at, to }: MovedBack): UndoItem {
  return isDirId(id) ? { path: at, kind: "move-folder-back", id, to } : { path: at, kind: "move-back", id, to };
}

function left(path: LocalPath, why: string): UndoItem {
  return { path, kind: "left", why };
}

type UndoContext = { readonly base: BaseTree; readonly linked: LinkIndex; readonly folders: readonly FolderMove[] };

/** @param events of this document alone */
function undoDocument(id: DocId, events: readonly MirrorEvent[], context: UndoContext): UndoItem[] {
  const link = context.base.links.get(id);
  const path = link?.localPath ?? events.at(-1)!.path;
  const kept = whyKept(events, path);
  if (kept !== null) return [left(path, kept)];
  const removed = eventOf(events, "delete-remote") ?? eventOf(events, "trash-local");
  if (removed !== undefined) return [link === undefined ? bringBack(id, path, removed, context) : left(path, MIRRORED)];
  if (link === undefined) return [left(path, "it is gone since")];
  if (eventOf(events, "create-remote") !== undefined) return [takeAway(link, events)];
  return [textBack(link, events), undoMove(id, events, context)].filter((item) => item !== null);
}

const MIRRORED = "it is mirrored again";

function eventOf(events: readonly MirrorEvent[], kind: MirrorEvent["kind"]): MirrorEvent | undefined {
  return events.find((event) => event.kind === kind);
}

/** What the run did that an undo leaves to a person; null: nothing. */
function whyKept(events: readonly MirrorEvent[], path: LocalPath): string | null {
  if (eventOf(events, "create-local") !== undefined)
    return "the run only brought it here; delete it by hand if it should go";
  if (events.some(({ outcome }) => outcome === "submitted")) return `in review: mdmirror resolve ${path} --theirs`;
  if (eventOf(events, "conflict") === undefined) return null;
  return `the run found a conflict and changed nothing: mdmirror resolve ${path}`;
}

function bringBack(id: DocId, path: LocalPath, removed: MirrorEvent, { linked, folders }: UndoContext): UndoItem {
  if (removed.before === null) return left(path, "its text was not seen");
  const was = pathBefore(removed.path, removed.path, folders);
  if (linked.has(was)) return left(path, "another document has its path now");
  return { path: was, kind: "bring-back", id, digest: removed.before };
}

function takeAway({ id, localPath: path, digest }: Link, events: readonly MirrorEvent[]): UndoItem {
  const expect = events.findLast(({ after }) => after !== null)?.after ?? null;
  return expect === null || digest !== expect ? left(path, EDITED) : { path, kind: "take-away", id, expect };
}

const EDITED = "it was edited since";

/** null: the run did not change the text. */
function textBack(link: Link, events: readonly MirrorEvent[]): UndoItem | null {
  const { id, localPath: path } = link;
  const texts = events.filter(({ kind, before, after }) => TEXT_KINDS.has(kind) && before !== null && after !== null);
  const [digest, expect] = [texts[0]?.before ?? null, texts.at(-1)?.after ?? null];
  if (digest === null || expect === null || digest === expect) return null;
  const isThere = link.digest === expect || link.localDigest === expect;
  return isThere ? { path, kind: "text-back", id, digest, expect } : left(path, EDITED);
}

function undoMove(id: DocId, events: readonly MirrorEvent[], { base, folders }: UndoContext): UndoItem | null {
  const link = base.links.get(id)!;
  const path = link.localPath;
  const moves = events.flatMap((event) => movedBy(event) ?? []);
  if (moves.length === 0) return null;
  const [first, last] = [moves[0]!, moves.at(-1)!];
  const known = moves.find(({ here }) => here !== null)?.here ?? null;
  // An older version wrote this event: only its words tell.
  if (known === null && first.side === "remote" && link.remotePath !== path)
    return left(path, "its names here and on the service differ; rename it by hand");
  const to = pathBefore(known ?? first.from, path, folders);
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

/**
 * From where to where an event moved its document, on the side that it names; `here`: its path here
 * before, which newer versions record.
 */
type Move = {
  readonly side: "local" | "remote";
  readonly from: string;
  readonly to: string;
  readonly here: LocalPath | null;
};

/** null: the event moved nothing. */
export function movedBy(event: MirrorEvent): Move | null {
  const { kind, detail, path, from: here } = event;
  if (kind === "relink") return here === null ? null : { side: "local", from: here, to: path, here };
  if (kind === "move-local") {
    const from = here ?? /\(from (.+)\)$/s.exec(detail)?.[1];
    return from === undefined ? null : { side: "local", from, to: path, here };
  }
  if (kind !== "rename-remote" && kind !== "reparent-remote") return null;
  const match = /\((.+) → (.+)\)$/s.exec(detail);
  return match === null ? null : { side: "remote", from: match[1]!, to: match[2]!, here };
}
