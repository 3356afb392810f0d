import { unwrap } from "../../common/trouble.ts";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { shownName } from "../../common/shown-words.ts";
import type { Args, Command, Io } from "../command.ts";
import { findMirror, requireMirrorName } from "../find-mirror.ts";
import { checkMove, moveFolder } from "../../mirror/folder/move.ts";
import { reinstallService, withFolderReleased } from "./service.ts";
import { nameMirror } from "../../mirror/trust/list.ts";

export const command: Command = {
  about: [
    "Moves the folder, and updates its entry in the list of linked folders, its background service and its daemon. The folder keeps its name.",
    "NEWDIR must not exist and must be on the same disk. Uploads nothing. If a file manager moved the folder, mdmirror finds it, too.",
  ],
  examples: ["mdmirror mv notes ~/Documents/notes"],
  options: {},
  operands: { usage: "[DIR] NEWDIR", least: 1, most: 2, offers: ["mirror", "folder"] },
  async run(io, args) {
    const { root, last } = readOperands(io, args);
    // Resolves symbolic links in the parent folders of NEWDIR. NEWDIR itself does not exist yet.
    const newPath = resolve(io.cwd, last);
    const to = existsSync(dirname(newPath)) ? join(realpathSync(dirname(newPath)), basename(newPath)) : newPath;
    unwrap(checkMove(root, to, io.env));
    const releasedFolder = await withFolderReleased(io, root, "mv");
    const moveResult = moveFolder(root, to, io.env);
    releasedFolder.giveBack();
    if (releasedFolder.hadUnit) await reinstallService(io, moveResult.kind === "ok" ? to : root);
    const moveNote = unwrap(moveResult);
    if (moveNote !== null) io.err(`mdmirror: ${moveNote}`);
    return { lines: [`moved ${shownName(root)} to ${shownName(to)}`] };
  },
};

function readOperands(io: Io, { operands }: Args): { readonly root: string; readonly last: string } {
  return { root: findMirror(io, operands.at(-2)), last: operands.at(-1)! };
}

export const name: Command = {
  about: [
    "Gives a linked folder another NAME. Commands take the name in place of DIR; the path of a linked folder comes first.",
    "Changes nothing on the service, and the folder keeps its name: mdmirror mv moves the folder.",
  ],
  examples: ["mdmirror name notes team-notes"],
  options: {},
  operands: { usage: "[DIR] NAME", least: 1, most: 2, offers: ["mirror", "nothing"] },
  async run(io, args) {
    const { root, last: given } = readOperands(io, args);
    requireMirrorName(io, given, root, "it");
    const nameNote = unwrap(nameMirror(root, given, io.env));
    if (nameNote !== null) io.err(`mdmirror: ${nameNote}`);
    return { lines: [`${shownName(root)} is now named ${shownName(given)}`] };
  },
};
