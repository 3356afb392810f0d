import { type DocId, isDocId } from "../../../contract/ids.ts";
import { isAway, type DocumentRecord, type Tombstone } from "../../model/link.ts";
import type { LocalPath } from "../../../contract/path.ts";
import type { State } from "../../ports/state.ts";
import type { BaseTree } from "../../model/tree.ts";

/** A document that mdmirror has a record of, with its id and its current or last path. */
type KnownDocument = {
  readonly id: DocId;
  readonly path: LocalPath;
  /** Record of the document in base; null if the document was deleted or its record ended. */
  readonly link: DocumentRecord | null;
  readonly tombstone: Tombstone | null;
};

/**
 * A path with known contents: the path of a document, or of a file that never became a document
 * (`id` null).
 */
export type KnownPlace = Omit<KnownDocument, "id"> & {
  readonly id: DocId | null;
  /** Path that the user passed; `path` if the user passed an id. */
  readonly requestedPath: LocalPath;
};

/**
 * Finds a document as `findDocument` does. If no document is found, returns the path or the id
 * alone, because the content store may have content for it.
 */
export function findPlace(state: State, base: BaseTree, name: string): KnownPlace {
  const document = findDocument(state, base, name);
  if (document !== null) return { ...document, requestedPath: isDocId(name) ? document.path : name };
  const place = { id: null, path: name, requestedPath: name, link: null, tombstone: null };
  if (!isDocId(name)) return place;
  const path = state.storedNames({ id: name }).at(-1)?.path;
  return path === undefined ? place : { ...place, id: name, path, requestedPath: path };
}

/**
 * Returns the record of the document at a path. A document that left the linked subtree is found by
 * its former path, unless another document has that path.
 */
export function linkAt(base: BaseTree, path: LocalPath): DocumentRecord | null {
  let away: DocumentRecord | null = null;
  for (const link of base.links.values()) {
    if (link.localPath !== path) continue;
    if (!isAway(link)) return link;
    away = link;
  }
  return away;
}

export type LinkIndex = ReadonlyMap<LocalPath, DocumentRecord>;

/** Returns an index of the records, for callers with many questions. */
export function indexLinks(base: BaseTree): LinkIndex {
  const index = new Map<LocalPath, DocumentRecord>();
  for (const link of base.links.values())
    if (!isAway(link) || !index.has(link.localPath)) index.set(link.localPath, link);
  return index;
}

/**
 * Finds a document by its current path. Otherwise by the last path of a deleted document (the
 * latest one), then by any earlier path.
 * @param name a path below the root, or an id `doc_…`
 */
export function findDocument(state: State, base: BaseTree, name: string): KnownDocument | null {
  if (isDocId(name)) return byId(state, base, name);
  const link = linkAt(base, name);
  if (link !== null) return { id: link.id, path: name, link, tombstone: null };
  const stones = [...base.tombstones.values()].filter(({ localPath }) => localPath === name);
  const stone = stones.toSorted((a, b) => b.at - a.at)[0];
  if (stone !== undefined) return { id: stone.id, path: name, link: null, tombstone: stone };
  const event = state.events({ limit: 200, path: name }).find(({ id }) => isDocId(id));
  return event === undefined ? null : byId(state, base, event.id as DocId);
}

function byId(state: State, base: BaseTree, id: DocId): KnownDocument | null {
  const link = base.links.get(id) ?? null;
  const tombstone = base.tombstones.get(id) ?? null;
  const path = link?.localPath ?? tombstone?.localPath ?? state.events({ limit: 1, id })[0]?.path;
  return path === undefined ? null : { id, path, link, tombstone };
}
