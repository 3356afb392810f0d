import { openSaveContext, moveDocument, removeDocument } from "../../mirror/operations/manual/save.ts";
import { readConfig } from "../../mirror/settings/config.ts";
import { unwrap } from "../../common/trouble.ts";
import type { Digest } from "../../contract/digest.ts";
import { MIRROR_FOLDER } from "../../mirror/model/mirror-folder.ts";
import { answer, defineTool, misused, PATH, VERSION } from "../tool.ts";
import { UPLOAD_NOTE, refuseStale } from "./edit.ts";
import { readNow } from "./read.ts";

export const MOVE = defineTool({
  name: "move",
  title: "Move or rename a document",
  description:
    "Moves a document to a free path, and keeps its id and history. If links are translated, the next sync updates links to it.",
  effect: "edits",
  input: { path: PATH, to: PATH.describe("its new path, with the ending .md"), version: VERSION.optional() },
  async run(mirror, { path, to, version }, host) {
    const { version: now } = await readNow(mirror, path, host);
    if (version !== undefined && version !== now) return refuseStale(mirror, path, version, host);
    const moved = unwrap(await moveDocument(openSaveContext(mirror.root, host.openOptions), { path, to }, now));
    if (moved.kind === "changed") {
      const what = `${path} was not moved: something is at ${to}, or the document changed at this moment`;
      return misused(what, "read both with list and read; then try again, or choose another path", "taken", {
        path,
        to,
      });
    }
    const config = readConfig(`${mirror.root}/${MIRROR_FOLDER}`);
    const follows = config.kind === "ok" && config.value.links.mode === "translate";
    return answer({ path: to, from: path, version: now, linksFollow: follows, next: UPLOAD_NOTE });
  },
});

export const DELETE = defineTool({
  name: "delete",
  title: "Delete a document",
  description:
    "Deletes a document that still is the version that you read. mdmirror deletes it on the service too. A safety check stops many deletions until a person approves them. restore undoes a deletion.",
  effect: "edits",
  isDestructive: true,
  input: { path: PATH, version: VERSION },
  async run(mirror, { path, version }, host) {
    const saving = openSaveContext(mirror.root, host.openOptions);
    const removed = unwrap(await removeDocument(saving, path, version as Digest));
    if (removed.kind === "changed") return refuseStale(mirror, path, version, host);
    const { keptAs } = removed.value;
    const back = `to restore it: restore, or ${MIRROR_FOLDER}/${keptAs} in the folder, where its content is kept`;
    return answer({ path, deleted: version, keptAs: `${MIRROR_FOLDER}/${keptAs}`, next: `${UPLOAD_NOTE}; ${back}` });
  },
});
