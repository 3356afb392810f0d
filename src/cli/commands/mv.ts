import { TroubleError, unwrap } from "../../common/trouble.ts";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { shownName } from "../../common/shown-name.ts";
import type { Command, Io } from "../command.ts";
import { EXIT, misuse } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { judgeMove, moveFolder } from "../../mirror/folder/move.ts";
import { reinstallService, withFolderReleased } from "../service-all.ts";
import { nameTrouble, isMirrorName, NAME_RULE, nameMirror } from "../../mirror/trust/list.ts";

export const command: Command = {
  about: [
    "Moves the folder, and updates its entry in the list of linked folders, its background service and its daemon. The folder keeps its name.",
    "NEWDIR must not exist and must be on the same disk. Uploads nothing. If a file manager moved the folder, mdmirror finds it, too.",
  ],
  examples: ["mdmirror mv notes ~/Documents/notes"],
  options: {},
  operands: { usage: "[DIR] NEWDIR", least: 1, most: 2, offers: ["mirror", "folder"] },
  async run(io, args) {
    const [dir, target] = args.operands.length === 1 ? [undefined, args.operands[0]!] : args.operands;
    const found = findMirror(io, dir);
    const root = realpathSync(found);
    const to = placeOfNew(io, target!);
    unwrap(judgeMove(root, to, io.env));
    const held = unwrap(await withFolderReleased(io, root, "mv"));
    const moved = moveFolder(root, to, io.env);
    held.giveBack();
    if (held.hadUnit) await reinstallService(io, moved.kind === "ok" ? to : root);
    const note = unwrap(moved);
    if (note !== null) io.err(`mdmirror: ${note}`);
    io.out(`moved ${shownName(root)} to ${shownName(to)}`);
    return EXIT.inSync;
  },
};

/**
 * Returns the real path of the target: resolves symbolic links in the folders above the last name,
 * which is new.
 */
function placeOfNew(io: Io, target: string): string {
  const to = resolve(io.cwd, target);
  return existsSync(dirname(to)) ? join(realpathSync(dirname(to)), basename(to)) : to;
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
    const [dir, given] = args.operands.length === 1 ? [undefined, args.operands[0]!] : args.operands;
    if (!isMirrorName(given!)) return misuse(`it takes ${NAME_RULE}`);
    const found = findMirror(io, dir);
    const root = realpathSync(found);
    const taken = nameTrouble(io.env, given!, root);
    if (taken !== null) throw new TroubleError(taken);
    const named = unwrap(nameMirror(root, given!, io.env));
    if (named !== null) io.err(`mdmirror: ${named}`);
    io.out(`${shownName(root)} is now named ${shownName(given!)}`);
    return EXIT.inSync;
  },
};
