import * as z from "zod";
import { unwrap } from "../../common/trouble.ts";
import { misused, answer, defineTool } from "../tool.ts";
import { limit, PATH } from "../fields.ts";
import { isCursorOf, listDocuments } from "../walk-list.ts";

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
    if (after !== null && !isCursorOf(below, after))
      return misused(
        `${after} is not below ${below}`,
        "give `next` of the page before, with the same folder",
        "bad-cursor",
      );
    const { documents, folders, hasMore } = unwrap(listDocuments(below, { root, random, after, limit: most, deep }));
    return answer({
      documents: documents.map(({ path, state, why }) => (why === null ? { path, state } : { path, state, why })),
      ...(deep ? {} : { folders }),
      next: hasMore ? documents.at(-1)!.path : null,
    });
  },
});
