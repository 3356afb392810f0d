import * as z from "zod";
import { unwrap } from "../../common/trouble.ts";
import { refuseCall, makeAnswer, defineTool, makeLimitSchema, PATH } from "../tool.ts";
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
    limit: makeLimitSchema(500, 100),
  },
  run({ root }, { folder = "", deep = true, after = null, limit: most = 100 }, { openOptions: { random } }) {
    const folderPath = folder.replace(/\/+$/, "");
    if (after !== null && folderPath !== "" && !isBelow(after, folderPath))
      return refuseCall(
        `${after} is not below ${folderPath}`,
        "give `next` of the page before, with the same folder",
        "bad-cursor",
      );
    const folders: LocalPath[] = [];
    const foundDocuments = walkDocuments(folderPath, { root, random, after, deep, folders })
      .take(most + 1)
      .toArray();
    const documents = foundDocuments.slice(0, most);
    return makeAnswer({
      documents: documents.map(({ path, state, why }) => (why === null ? { path, state } : { path, state, why })),
      ...(deep ? {} : { folders }),
      next: foundDocuments.length > most ? documents.at(-1)!.path : null,
    });
  },
});

type ListWalk = {
  readonly root: string;
  readonly random: Random;
  /** Last path of the previous page; null for the first page. */
  readonly after: LocalPath | null;
  /** True to list documents of all subfolders; false to collect the subfolders in `folders`. */
  readonly deep: boolean;
  readonly folders: LocalPath[];
};

/** LIMIT: number of names that are read from one folder, so that memory stays bounded. */
const MAX_NAMES = 100_000;

/**
 * Yields the documents below a folder in the order of their paths, from `walk.after` on. Reads no
 * folder before that path.
 */
function* walkDocuments(
  folder: LocalPath,
  walk: ListWalk,
): Generator<Pick<EntryList["entries"][number], "path" | "state" | "why">, undefined> {
  const { root, random, after, deep, folders } = walk;
  const entries = unwrap(listFolder(root, folder, { from: 0, count: MAX_NAMES }, random))
    .entries.map((entry) => ({ ...entry, key: `${entry.path}${entry.kind === "folder" ? "/" : ""}` }))
    .toSorted((a, b) => comparePaths(a.key, b.key));
  for (const { key, kind, path, state, why } of entries) {
    const isAfter = after === null || comparePaths(key, after) > 0;
    if (kind === "document" && isAfter) yield { path, state, why };
    if (kind !== "folder" || state === "ignored") continue;
    if (!deep) folders.push(path);
    else if (isAfter || after.startsWith(key)) yield* walkDocuments(path, walk);
  }
}
