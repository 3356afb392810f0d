import type { FolderLists, Listed } from "../mirror/operations/doctor/list-folder.ts";
import { ok, type Result } from "../common/trouble.ts";
import { comparePaths } from "../mirror/model/by-path.ts";
import { isBelow, isWithin, joinPath, type LocalPath } from "../contract/path.ts";

/**
 * Lists documents below a folder, folders first, each by its name. In this order, a path says where
 * the next page continues: nothing before that path is read.
 */

type ListedDocument = { readonly path: LocalPath } & Pick<Listed["entries"][number], "state" | "why">;

type Walk = {
  readonly root: string;
  readonly lists: FolderLists;
  /** Last path of the previous page; null for the first page. */
  readonly after: LocalPath | null;
  readonly limit: number;
  /** True to include folders below. */
  readonly deep: boolean;
  readonly found: ListedDocument[];
  readonly folders: LocalPath[];
};

type Page = {
  readonly documents: readonly ListedDocument[];
  /** Folders directly below, for a list that is not deep. */
  readonly folders: readonly LocalPath[];
  readonly hasMore: boolean;
};

export function listDocuments(folder: LocalPath, asked: Omit<Walk, "found" | "folders">): Result<Page> {
  const walk: Walk = { ...asked, found: [], folders: [] };
  const walked = walkFolder(walk, folder);
  if (walked.kind === "trouble") return walked;
  const { found, folders, limit } = walk;
  return ok({ documents: found.slice(0, limit), folders, hasMore: found.length > limit });
}

/** LIMIT: names of one folder that are read. */
const MOST_NAMES = 100_000;

function walkFolder(walk: Walk, folder: LocalPath): Result<null> {
  const listed = walk.lists.list(walk.root, folder, { from: 0, count: MOST_NAMES });
  if (listed.kind === "trouble") return listed;
  for (const { name, kind, state, why } of listed.value.entries) {
    if (walk.found.length > walk.limit) break;
    const path = joinPath(folder, name);
    if (kind === "document" && isAfter(walk, path, kind)) walk.found.push({ path, state, why });
    const below = kind === "folder" && state !== "ignored" ? takeFolder(walk, path) : null;
    if (below?.kind === "trouble") return below;
  }
  return ok(null);
}

function takeFolder(walk: Walk, path: LocalPath): Result<null> {
  if (walk.deep) return isAfter(walk, path, "folder") ? walkFolder(walk, path) : ok(null);
  walk.folders.push(path);
  return ok(null);
}

/**
 * Returns true if an entry comes after the end of the previous page: a document, or for a folder
 * anything below it.
 */
function isAfter({ after }: Walk, path: LocalPath, kind: "document" | "folder"): boolean {
  if (after === null) return true;
  if (kind === "folder" && isWithin(after, path)) return true;
  const [a, b] = [path.split("/"), after.split("/")];
  const at = a.findIndex((name, index) => name !== b[index]);
  if (at < 0) return false;
  const [aIsFolder, bIsFolder] = [at < a.length - 1 || kind === "folder", at < b.length - 1];
  if (aIsFolder !== bIsFolder) return bIsFolder;
  return comparePaths(a[at]!, b[at] ?? "") > 0;
}

/** Returns true if a cursor can belong to a list of that folder. */
export function isCursorOf(folder: LocalPath, after: LocalPath): boolean {
  return folder === "" || isBelow(after, folder);
}
