import { type DocId, isDocId } from "../contract/ids.ts";
import type { Digest } from "../core/digest.ts";
import type { LocalPath } from "../core/path.ts";
import type { MirrorEvent } from "../core/ports/state.ts";
import type { BaseTree } from "../core/tree.ts";
import { indexLinks, type LinkIndex } from "./find-document.ts";

/** How one run is taken back, document by document. Pure: of the run's events and of base as it is now. */
export type UndoItem = { readonly path: LocalPath } & (
  | { readonly kind: "text-back"; readonly id: DocId; readonly digest: Digest; readonly expect: Digest }
  /** Deleted by the run: comes back as a new document. */
  | { readonly kind: "bring-back"; readonly id: DocId; readonly digest: Digest }
  /** Sent by the run as new: the file goes to the trash, and the next run deletes it on the service, under the guards. */
  | { readonly kind: "take-away"; readonly id: DocId; readonly expect: Digest }
  | { readonly kind: "move-back"; readonly id: DocId; readonly to: LocalPath }
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
  const done = events.filter(
    ({ outcome, id }) => (outcome === "done" || outcome === "submitted" || outcome === "conflict") && isDocId(id),
  );
  const linked = indexLinks(base);
  const byDocument = Map.groupBy(done, ({ id }) => id as DocId);
  return [...byDocument]
    .flatMap(([id, own]) => undoDocument(id, own, base, linked))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

function undoDocument(id: DocId, events: readonly MirrorEvent[], base: BaseTree, linked: LinkIndex): UndoItem[] {
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
    if (linked.has(removed.path)) return left("another document has its path now");
    return [{ path: removed.path, kind: "bring-back", id, digest: removed.before }];
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
  const move = undoMove(id, events, base, linked);
  if (move !== null) items.push(move);
  return items;
}

function undoMove(id: DocId, events: readonly MirrorEvent[], base: BaseTree, linked: LinkIndex): UndoItem | null {
  const link = base.links.get(id)!;
  const moves = events.flatMap((event) => movedBy(event) ?? []);
  const [first, last] = [moves[0], moves.at(-1)];
  if (first === undefined || last === undefined || first.from === last.to) return null;
  const path = link.localPath;
  if (first.side === "remote" && link.remotePath !== link.localPath)
    return { path, kind: "left", why: "its names here and on the service differ; rename it by hand" };
  const now = first.side === "remote" ? link.remotePath : link.localPath;
  if (now !== last.to) return { path, kind: "left", why: "it was moved again since" };
  if (linked.has(first.from)) return { path, kind: "left", why: `another document is at ${first.from} now` };
  return { path, kind: "move-back", id, to: first.from };
}

/** From where to where an event moved its document: as `engine/apply/place` words it. */
export function movedBy({
  kind,
  detail,
  path,
}: MirrorEvent): { readonly side: "local" | "remote"; readonly from: string; readonly to: string } | null {
  if (kind === "move-local") {
    const match = /\(from (.+)\)$/s.exec(detail);
    return match === null ? null : { side: "local", from: match[1]!, to: path };
  }
  if (kind !== "rename-remote" && kind !== "reparent-remote") return null;
  const match = /\((.+) → (.+)\)$/s.exec(detail);
  return match === null ? null : { side: "remote", from: match[1]!, to: match[2]! };
}
