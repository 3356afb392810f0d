import { nameOf, parentOf } from "../model/path.ts";
import { Access, RANK } from "./access.ts";
import type { RequestContext } from "./context.ts";
import { ROOT } from "./folders-table.ts";
import type { Place, PlacedGrant } from "./grants-table.ts";

/**
 * Grants that outlive what they were on. Deleting a folder and making it again, as a mirror may do
 * by itself, must not give other keys what the folder's grants withheld from them.
 * ASSUMES: a grant that gives less than the place above it is kept for the path when its file or
 * folder is deleted, and holds again for what is created there (contract test "keeps what a grant
 * withholds …").
 */

type Where = Pick<RequestContext, "store" | "workspace">;

/** Called before a folder and all below it are removed. */
export function keepGrantsBelow(where: Where, path: string): void {
  keep(where, where.store.grants.within(where.workspace.seq, path));
}

/** Called before a file is removed. */
export function keepGrantsOfFile(where: Where, file: number): void {
  keep(where, where.store.grants.onFile(file));
}

function keep({ store, workspace }: Where, placed: readonly PlacedGrant[]): void {
  for (const { key, parent, path, level } of placed) {
    const above = new Access(store.keys.grants(key), store.folders).folder(parent);
    if (RANK[level] < RANK[above]) store.grants.keep({ key, workspace: workspace.seq, path, level });
  }
}

/**
 * Called after something came to a path, with all its contents, by being created, renamed or moved.
 */
export function holdKeptGrants(where: Where, path: string): void {
  const { store, workspace } = where;
  for (const kept of store.grants.keptWithin(workspace.seq, path)) {
    const placed = placeAt(where, kept.path);
    if (placed === undefined) continue;
    const grants = store.keys.grants(kept.key);
    const own = grants.find(({ kind, target }) => kind === placed.kind && target === placed.seq);
    const now = own?.level ?? new Access(grants, store.folders).folder(placed.parent);
    if (RANK[kept.level] < RANK[now]) store.grants.set({ key: kept.key, ...placed, level: kept.level });
    store.grants.dropKept(kept);
  }
}

/** What exists at a path. */
export function placeAt({ store, workspace }: Where, path: string): Place | undefined {
  const folder = store.folders.byPath(workspace.seq, path);
  if (folder !== undefined) return { kind: "folder", seq: folder.seq, parent: folder.parent };
  const parent = parentOf(path);
  const above = parent === "" ? ROOT : store.folders.byPath(workspace.seq, parent)?.seq;
  const file = above === undefined ? undefined : store.files.byName(workspace.seq, above, nameOf(path));
  return file && { kind: "file", seq: file.seq, parent: file.folder };
}
