import { resolve } from "node:path";
import type { Origin } from "../../core/merge/origin.ts";
import type { Command } from "../command.ts";
import { complain } from "../complain.ts";
import { EXIT } from "../exit.ts";

export const command: Command = {
  usage: "merge BASE MINE THEIRS [-p | --origins | --driver]",
  about: [
    "Merge three Markdown files as the mirror does. Without an option the result is written into MINE, as git merge-file does.",
    "As git's merge driver:  git config merge.mdmirror.driver 'mdmirror merge --driver %O %A %B'",
    "and a line in .gitattributes:  *.md merge=mdmirror",
    "Exit: 0 merged, 3 a conflict: then the text has git's markers.",
  ],
  options: {
    print: { help: "print the result; write nothing", short: "p" },
    origins: { help: "print each line of a clean merge with the side that it is from; write nothing" },
    driver: { help: "write into MINE and say nothing but what went wrong" },
  },
  operands: { least: 3, most: 3 },
  async run(io, args) {
    const [base, mine, theirs] = args.operands.map((path) => resolve(io.cwd, path)) as [string, string, string];
    const { mergeFiles, writeMerged } = await import("../../app/merge-files.ts");
    const merged = mergeFiles(base, mine, theirs);
    if (merged.kind === "trouble") return complain(io, merged.trouble);
    const { text, conflicts, origins } = merged.value;
    const end = conflicts === 0 ? EXIT.inSync : EXIT.attention;
    if (args.flag("origins") && conflicts === 0) {
      for (const one of origins) io.out(`${COLUMNS[one.from]} ${one.line.trimEnd()}`);
      return end;
    }
    if (args.flag("print") || args.flag("origins")) {
      if (text !== "") io.out(text.endsWith("\n") ? text.slice(0, -1) : text);
      return end;
    }
    const written = writeMerged(mine, text);
    if (written.kind === "trouble") return complain(io, written.trouble);
    if (!args.flag("driver")) io.out(conflicts === 0 ? "merged" : `${conflicts} conflict${conflicts === 1 ? "" : "s"}`);
    return end;
  },
};

/** Three columns: mine, theirs, and words of both in one line. */
const COLUMNS: Readonly<Record<Origin["from"], string>> = {
  base: "                 |",
  local: "mine             |",
  remote: "      theirs     |",
  both: "mine  theirs     |",
  mixed: "            both |",
};
