import * as z from "zod";
import { findVersion } from "../../mirror/operations/history/find-version.ts";
import { withLocal } from "../../mirror/folder/open-local.ts";
import { limit, PATH } from "../fields.ts";
import { answer, defineTool, refused } from "../tool.ts";

export const HISTORY = defineTool({
  name: "history",
  title: "List the versions of a document",
  description:
    "Lists the earlier versions of a document, newest first, also of a deleted one. To show one: read with `n`. To compare it: diff. To restore it: restore. Where `next` is not null, call again with it as `before`.",
  effect: "reads",
  input: {
    path: PATH,
    before: z.int().min(1).describe("the `next` of the page before").optional(),
    limit: limit(200, 30),
  },
  run({ root }, { path, before = Number.MAX_SAFE_INTEGER, limit: most = 30 }, { openOptions }) {
    const read = withLocal(root, openOptions, ({ state }) => findVersion({ state }, path, null));
    if (read.kind === "trouble") return refused(read.trouble);
    const { document, entries } = read.value;
    const older = entries.filter(({ n }) => n < before).toReversed();
    const versions = older.slice(0, most).map(({ n, at, from, digest, size, what }) => {
      return { n, at: at > 0 ? new Date(at).toISOString() : null, from, sha256: digest, bytes: size, what };
    });
    const next = older.length > most ? versions.at(-1)!.n : null;
    return answer({ path: document.path, id: document.id, gone: document.link === null, versions, next });
  },
});
