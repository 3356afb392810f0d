import * as z from "zod";
import { unwrap } from "../../common/trouble.ts";
import { misused, answer, defineTool, limit, PATH } from "../tool.ts";
import { listFolder, type EntryList } from "../../mirror/operations/doctor/list-folder.ts";
import type { Random } from "../../common/random.ts";
import { comparePaths } from "../../mirror/model/by-path.ts";
import { isBelow, type LocalPath } from "../../contract/path.ts";

export const LIST = defineTool({
  name: "list",
  title: "List documents",
  description:
    "Lists the documents of the linked folder, page after page. If `next` is not null, call again with it as `after`. `state` is in-sync, or why not: waiting, blocked, in-review, conflict.",
  effect: "reads",
  input: {
    folder: z.string().max(4_096).describe("only below this folder (all if left out)").optional(),
    deep: z.boolean().describe("also documents in subfolders (default: true)").optional(),
    after: PATH.describe("the `next` of the page before").optional(),
    limit: limit(500, 100),
  },
  run({ root }, { folder = "", deep = true, after = null, limit: most = 100 }, { openOptions: { random } }) {
    const below = folder.replace(/\/+$/, "");
    if (after !== null && below !== "" && !isBelow(after, below))
      return misused(
        `${after} is not below ${below}`,
        "give `next` of the page before, with the same folder",
        "bad-cursor",
      );
    const { documents, folders, hasMore } = listDocuments(below, { root, random, after, limit: most, deep });
    return answer({
      documents: documents.map(({ path, state, why }) => (why === null ? { path, state } : { path, state, why })),
      ...(deep ? {} : { folders }),
      next: hasMore ? documents.at(-1)!.path : null,
    });
  },
});

/**
 * Lists documents below a folder by their paths. In this order, a path shows where the next page
 * continues: no folder before that path is read.
 */

type ListedDocument = { readonly path: LocalPath } & Pick<EntryList["entries"][number], "state" | "why">;

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

type DocumentPage = {
  readonly documents: readonly ListedDocument[];
  /** Folders directly below, for a list that is not deep. */
  readonly folders: readonly LocalPath[];
  readonly hasMore: boolean;
};

function listDocuments(folder: LocalPath, request: Omit<ListWalk, "found" | "folders">): DocumentPage {
  const walk: ListWalk = { ...request, found: [], folders: [] };
  walkFolder(walk, folder);
  const { found, folders, limit: most } = walk;
  return { documents: found.slice(0, most), folders, hasMore: found.length > most };
}

/** LIMIT: names of one folder that are read. */
const MOST_NAMES = 100_000;

function walkFolder(walk: ListWalk, folder: LocalPath): void {
  const listed = unwrap(listFolder(walk.root, folder, { from: 0, count: MOST_NAMES }, walk.random));
  const entries = listed.entries
    .map((entry) => ({ ...entry, key: `${entry.path}${entry.kind === "folder" ? "/" : ""}` }))
    .toSorted((a, b) => comparePaths(a.key, b.key));
  for (const { key, kind, state, why } of entries) {
    if (walk.found.length > walk.limit) break;
    if (kind === "document" && isAfter(walk, key)) walk.found.push({ path: key, state, why });
    if (kind === "folder" && state !== "ignored") takeFolder(walk, key);
  }
}

function takeFolder(walk: ListWalk, key: string): void {
  const path = key.slice(0, -1);
  if (!walk.deep) walk.folders.push(path);
  else if (isAfter(walk, key) || walk.after!.startsWith(key)) walkFolder(walk, path);
}

function isAfter({ after }: ListWalk, key: string): boolean {
  return after === null || comparePaths(key, after) > 0;
}
