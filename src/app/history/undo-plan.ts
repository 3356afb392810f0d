import { type DirId, type DocId, isDirId, isDocId } from "../../contract/ids.ts";
import type { Digest } from "../../model/digest.ts";
import { isWithin, type LocalPath, rebase } from "../../model/path.ts";
import type { MirrorEvent } from "../../ports/state.ts";
import type { BaseTree } from "../../model/tree.ts";
import { indexLinks, type LinkIndex } from "./find-document.ts";
import { type FolderMove, folderMoves, type MovedBack, orderMoves, pathBefore, splitTaken } from "./undo-moves.ts";

/**
 * How one run is taken back, document by document. Pure: of the run's events and of base as it is
 * now.
 */
export type UndoItem = { readonly path: LocalPath } & (
  | { readonly kind: "text-back"; readonly id: DocId; readonly digest: Digest; readonly expect: Digest }
  /** Deleted by the run: comes back as a new document. */
  | { readonly kind: "bring-back"; readonly id: DocId; readonly digest: Digest }
  /**
   * Sent by the run as new: the file goes to the trash, and the next run deletes it on the service,
   * under the guards.
   */
  | { readonly kind: "take-away"; readonly id: DocId; readonly expect: Digest }
  | { readonly kind: "move-back"; readonly id: DocId; readonly to: LocalPath }
  /** With all that is in it now. */
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
    (a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0),
  );
}

/**
 * Folders and documents together: one may stand where another was, and a document goes back with
 * its folder.
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
  const word = ({ id, at, to }: MovedBack): UndoItem =>
    isDirId(id) ? { path: at, kind: "move-folder-back", id, to } : { path: at, kind: "move-back", id, to };
  const left = (path: LocalPath, why: string): UndoItem => ({ path, kind: "left", why });
  return [
    ...go.filter(({ id }) => named.has(id)).map(word),
    ...stay.map(({ id, at, to }) => left(at, `another ${isDirId(id) ? "folder" : "document"} is at ${to} now`)),
    ...folders.filter((one) => one.moved).map(({ to }) => left(to, "the folder was moved again since")),
  ];
}

type UndoContext = { readonly base: BaseTree; readonly linked: LinkIndex; readonly folders: readonly FolderMove[] };

function undoDocument(id: DocId, events: readonly MirrorEvent[], context: UndoContext): UndoItem[] {
  const { base, linked, folders } = context;
  const link = base.links.get(id);
  const path = link?.localPath ?? events.at(-1)!.path;
  const left = (why: string): UndoItem[] => [{ path, kind: "left", why }];
  const has = (kind: string) => events.find((event) => event.kind === kind);
  if (has("create-local") !== undefined) return left("the run only brought it here; delete it by hand if it should go");
  if (events.some(({ outcome }) => outcome === "submitted"))
    return left(`in review: mdmirror resolve ${path} --theirs`);
  if (has("conflict") !== undefined)
    return left(`the run found a conflict and changed nothing: mdmirror resolve ${path}`);
  const removed = has("delete-remote") ?? has("trash-local");
  if (removed !== undefined) {
    if (link !== undefined) return left("it is mirrored again");
    if (removed.before === null) return left("its text was not seen");
    const was = pathBefore(removed.path, removed.path, folders);
    if (linked.has(was)) return left("another document has its path now");
    return [{ path: was, kind: "bring-back", id, digest: removed.before }];
  }
  if (link === undefined) return left("it is gone since");
  const texts = events.filter(({ kind, before, after }) => TEXT_KINDS.has(kind) && before !== null && after !== null);
  const created = has("create-remote");
  if (created !== undefined) {
    const expect = events.findLast(({ after }) => after !== null)?.after ?? null;
    if (expect === null || link.digest !== expect) return left("it was edited since");
    return [{ path, kind: "take-away", id, expect }];
  }
  const items: UndoItem[] = [];
  const [first, last] = [texts[0], texts.at(-1)];
  if (first !== undefined && last !== undefined && first.before !== last.after) {
    if (link.digest !== last.after && link.localDigest !== last.after) items.push(...left("it was edited since"));
    else items.push({ path, kind: "text-back", id, digest: first.before!, expect: last.after! });
  }
  const move = undoMove(id, events, context);
  if (move !== null) items.push(move);
  return items;
}

function undoMove(id: DocId, events: readonly MirrorEvent[], { base, folders }: UndoContext): UndoItem | null {
  const link = base.links.get(id)!;
  const path = link.localPath;
  const moves = events.flatMap((event) => movedBy(event) ?? []);
  const [first, last] = [moves[0], moves.at(-1)];
  if (first === undefined || last === undefined) return null;
  const known = moves.find(({ here }) => here !== null)?.here ?? null;
  // Of an older version: only the words tell.
  if (known === null && first.side === "remote" && link.remotePath !== path)
    return { path, kind: "left", why: "its names here and on the service differ; rename it by hand" };
  const to = pathBefore(known ?? first.from, path, folders);
  if (to === path) return null;
  const now = last.side === "remote" ? link.remotePath : path;
  // With its folder, by a later action of the same run, is not "since".
  const place = folders.reduce((at, one) => (isWithin(at, one.from) ? rebase(at, one.from, one.to) : at), last.to);
  if (now !== last.to && now !== place) return { path, kind: "left", why: "it was moved again since" };
  return { path, kind: "move-back", id, to };
}

/**
 * From where to where an event moved its document, on the side it names; `here`: its path here
 * before, as newer versions record it.
 */
export function movedBy(event: MirrorEvent): {
  readonly side: "local" | "remote";
  readonly from: string;
  readonly to: string;
  readonly here: LocalPath | null;
} | null {
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
