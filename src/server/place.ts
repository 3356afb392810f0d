import { includes } from "./access.ts";
import { isRefused, type Refused, refuse } from "./answer.ts";
import { type RequestContext, newId } from "./context.ts";
import type { FileRow } from "./files-table.ts";
import { type FolderRow, ROOT } from "./folders-table.ts";
import { holdKeptGrants } from "./kept-grants.ts";

/** A folder that can hold something; the root has neither id nor path. */
export type Place = { readonly seq: number; readonly id: string | null; readonly path: string };

const ROOT_PLACE: Place = { seq: ROOT, id: null, path: "" };

export function pathIn(place: Pick<Place, "path">, name: string): string {
  return place.path === "" ? name : `${place.path}/${name}`;
}

/** The folder with that id, if this key can read it. */
export function findFolder(context: RequestContext, id: string): FolderRow | Refused {
  const row = context.store.folders.byId(context.workspace.seq, id);
  if (row !== undefined && includes(context.access.folder(row.seq), "read")) return row;
  return refuse("folder_not_found", "There is no such folder, or none that this key can read.");
}

/** The file with that id, if this key can read it. */
export function findFile(context: RequestContext, id: string): FileRow | Refused {
  const row = context.store.files.byId(context.workspace.seq, id);
  if (row !== undefined && includes(context.access.file(row), "read")) return row;
  return refuse("file_not_found", "There is no such file, or none that this key can read.");
}

/**
 * The file with that id, if this key may write to it: 404 when it cannot even read it, else 403.
 */
export function findWritableFile(context: RequestContext, id: string): FileRow | Refused {
  const row = findFile(context, id);
  if (isRefused(row) || includes(context.access.file(row), "edit")) return row;
  return refuse("forbidden", "This key may read the file, but not write to it.");
}

export function findWritableFolder(context: RequestContext, id: string): FolderRow | Refused {
  const row = findFolder(context, id);
  if (isRefused(row) || includes(context.access.folder(row.seq), "edit")) return row;
  return refuse("forbidden", "This key may read the folder, but not write to it.");
}

/** The folder that a member `parentId` names (null: the root), if this key may write to it. */
export function findPlace(context: RequestContext, parentId: string | null): Place | Refused {
  if (parentId !== null) return findWritableFolder(context, parentId);
  if (includes(context.access.folder(ROOT), "edit")) return ROOT_PLACE;
  return refuse("forbidden", "This key may not write to the root.");
}

/** Where a path leads: the deepest folder that exists, and the names that are missing below it. */
export type Route = { readonly from: Place; readonly missing: readonly string[] };

/**
 * Follows folder names from the root; refused when the key may not write to the deepest folder that
 * exists.
 */
export function findRoute(context: RequestContext, names: readonly string[]): Route | Refused {
  let from: Place = ROOT_PLACE;
  let found = 0;
  for (const name of names) {
    const next = context.store.folders.byPath(context.workspace.seq, pathIn(from, name));
    if (next === undefined) break;
    from = next;
    found++;
  }
  if (includes(context.access.folder(from.seq), "edit")) return { from, missing: names.slice(found) };
  return refuse("forbidden", "This key may not create anything there.");
}

/** Makes the missing folders of a route. */
export function makeFolders(context: RequestContext, { from, missing }: Route): Place {
  let place = from;
  for (const name of missing) place = makeFolder(context, place, name);
  return place;
}

export function makeFolder(context: RequestContext, parent: Place, name: string): FolderRow {
  const path = pathIn(parent, name);
  const id = newId(context, "dir_");
  const seq = context.store.folders.insert(context.workspace.seq, id, parent.seq, name, path);
  holdKeptGrants(context, path);
  return { seq, id, parent: parent.seq, parentId: parent.id, name, path };
}

export function occupied(path: string): Refused {
  return refuse("path_already_exists", `Something is already at /${path}; nothing was overwritten.`);
}
