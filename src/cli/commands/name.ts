import { realpathSync } from "node:fs";
import type { Command } from "../command.ts";
import { complain, EXIT, misuse } from "../exit.ts";
import { findMirror } from "../find-mirror.ts";
import { shownName } from "../../common/shown-name.ts";
import { isMirrorName, NAME_RULE } from "../../mirror/trust/names.ts";
import { nameTrouble } from "../../mirror/trust/list.ts";
import { nameMirror } from "../../mirror/trust/bind.ts";

export const command: Command = {
  about: [
    "Gives a linked folder another NAME. Commands take the name in place of DIR; the path of a linked folder comes first.",
    "Changes nothing on the service, and the folder keeps its name: mdmirror mv moves the folder.",
  ],
  examples: ["mdmirror name notes team-notes"],
  options: {},
  operands: { usage: "[DIR] NAME", least: 1, most: 2, offers: ["mirror", "nothing"] },
  async run(io, args) {
    const [dir, name] = args.operands.length === 1 ? [undefined, args.operands[0]!] : args.operands;
    if (!isMirrorName(name!)) return misuse(io, "name", `it takes ${NAME_RULE}`);
    const found = findMirror(io, dir);
    if (found.kind === "trouble") return complain(io, found.trouble);
    const root = realpathSync(found.value);
    const taken = nameTrouble(io.env, name!, root);
    if (taken !== null) return complain(io, taken);
    const named = nameMirror(root, name!, io.env);
    if (named.kind === "trouble") return complain(io, named.trouble);
    if (named.value !== null) io.err(`mdmirror: ${named.value}`);
    io.out(`${shownName(root)} is now named ${shownName(name!)}`);
    return EXIT.inSync;
  },
};
