import * as z from "zod";
import { openSaving, readDocument } from "../../mirror/operations/manual/save.ts";
import { chooseVersion, findVersion } from "../../mirror/operations/history/restore.ts";
import { restoreSeen } from "../../mirror/operations/history/restore-seen.ts";
import { withLocal } from "../../mirror/folder/open-local.ts";
import { ok } from "../../common/trouble.ts";
import { limit, PATH, VERSION } from "../fields.ts";
import { refuseStale } from "../stale.ts";
import { answer, defineTool, misused, refused } from "../tool.ts";
import { SENT } from "./edit.ts";

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

export const RESTORE = defineTool({
  name: "restore",
  title: "Restore an earlier version",
  description:
    "Restores an earlier version of a document, or a deleted document. Without `n`: the last version that differs from the present one. An existing document needs the `version` that you read.",
  effect: "edits",
  isDestructive: true,
  input: {
    path: PATH,
    n: z.int().min(1).describe("its number in the history").optional(),
    version: VERSION.optional(),
  },
  async run(mirror, { path, n = null, version }, host) {
    const { root } = mirror;
    const now = await readDocument(openSaving(root, host.openOptions), path);
    if (now.kind === "trouble") return refused(now.trouble);
    if (now.value !== null && version === undefined)
      return misused(`${path} exists`, "read it first, and give its version", "version-missing", { path });
    if (version !== undefined && now.value?.version !== version) return refuseStale(mirror, path, version, host);
    const chosen = withLocal(root, host.openOptions, (local) => {
      const found = chooseVersion(local, path, n);
      return found.kind === "trouble" ? found : ok(found.value);
    });
    if (chosen.kind === "trouble") return refused(chosen.trouble);
    const { entry, now: here } = chosen.value;
    const wanted = { path: chosen.value.path, n: entry.n, wanted: entry.digest, here };
    const ended = await host.inTurn(root, () => restoreSeen(root, wanted, host.openOptions));
    if (ended.kind === "trouble") return refused(ended.trouble);
    if (ended.value.kind === "changed")
      return misused(`${path} changed at this moment`, "read it and its history again", "stale", { path });
    const { path: at, asNew, notes } = ended.value;
    const after = await readDocument(openSaving(root, host.openOptions), at);
    const restored = after.kind === "ok" ? after.value : null;
    if (restored !== null) host.seen.add(restored.version, restored.text);
    return answer({ path: at, n: entry.n, version: restored?.version ?? null, newId: asNew, notes, next: SENT });
  },
});
