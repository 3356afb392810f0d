import { listFolder, type Listed } from "../mirror/operations/doctor/list-folder.ts";
import type { Random } from "../common/random.ts";
import { ok, type Result } from "../common/trouble.ts";
import { comparePaths } from "../mirror/model/by-path.ts";
import { isBelow, joinPath, type LocalPath } from "../contract/path.ts";

/**
 * Lists documents below a folder by their paths. In this order, a path says where the next page
 * continues: no folder before that path is read.
 */

type ListedDocument = { readonly path: LocalPath } & Pick<Listed["entries"][number], "state" | "why">;

type ListWalk = {
  readonly root: string;
  readonly random: Random;
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

export function listDocuments(folder: LocalPath, asked: Omit<ListWalk, "found" | "folders">): Result<Page> {
  const walk: ListWalk = { ...asked, found: [], folders: [] };
  const walked = walkFolder(walk, folder);
  if (walked.kind === "trouble") return walked;
  const { found, folders, limit } = walk;
  return ok({ documents: found.slice(0, limit), folders, hasMore: found.length > limit });
}

/** LIMIT: names of one folder that are read. */
const MOST_NAMES = 100_000;

function walkFolder(walk: ListWalk, folder: LocalPath): Result<null> {
  const listed = listFolder(walk.root, folder, { from: 0, count: MOST_NAMES }, walk.random);
  if (listed.kind === "trouble") return listed;
  const entries = listed.value.entries
    .map((entry) => ({ ...entry, key: `${joinPath(folder, entry.name)}${entry.kind === "folder" ? "/" : ""}` }))
    .toSorted((a, b) => comparePaths(a.key, b.key));
  for (const { key, kind, state, why } of entries) {
    if (walk.found.length > walk.limit) break;
    if (kind === "document" && isAfter(walk, key)) walk.found.push({ path: key, state, why });
    const below = kind === "folder" && state !== "ignored" ? takeFolder(walk, key) : null;
    if (below?.kind === "trouble") return below;
  }
  return ok(null);
}

function takeFolder(walk: ListWalk, key: string): Result<null> {
  const path = key.slice(0, -1);
  if (walk.deep) return isAfter(walk, key) || walk.after!.startsWith(key) ? walkFolder(walk, path) : ok(null);
  walk.folders.push(path);
  return ok(null);
}

function isAfter({ after }: ListWalk, key: string): boolean {
  return after === null || comparePaths(key, after) > 0;
}

/** Returns true if a cursor can belong to a list of that folder. */
export function isCursorOf(folder: LocalPath, after: LocalPath): boolean {
  return folder === "" || isBelow(after, folder);
}
