import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { shownName } from "../../common/shown-name.ts";
import type { Command, Io } from "../command.ts";
import { complain, EXIT } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { judgeMove, moveFolder } from "../../mirror/folder/move.ts";
import { reinstallService, withFolderReleased } from "../service-all.ts";

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
    if (found.kind === "trouble") return complain(io, found.trouble);
    const root = realpathSync(found.value);
    const to = placeOfNew(io, target!);
    const judged = judgeMove(root, to, io.env);
    if (judged.kind === "trouble") return complain(io, judged.trouble);
    const held = await withFolderReleased(io, root, "mv");
    if (held.kind === "trouble") return complain(io, held.trouble);
    const moved = moveFolder(root, to, io.env);
    held.value.giveBack();
    if (held.value.hadUnit) await reinstallService(io, moved.kind === "ok" ? to : root);
    if (moved.kind === "trouble") return complain(io, moved.trouble);
    if (moved.value !== null) io.err(`mdmirror: ${moved.value}`);
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
