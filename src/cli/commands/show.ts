import { resolve } from "node:path";
import { shownName } from "../../common/shown-name.ts";
import { errnoClause } from "../../common/trouble.ts";
import { show } from "../../mirror/operations/history/versions.ts";
import { refuse } from "../exit.ts";
import { locateVersion } from "../find-mirror.ts";
import { readCommand } from "../operation-command.ts";
import { writeFileSync } from "node:fs";

export const command = readCommand(show, {
  operands: { usage: "PATH[@N] | ID[@N]", least: 1, most: 1 },
  examples: ["mdmirror show plan.md@3", "mdmirror show plan.md@3 --output old-plan.md"],
  options: { output: { value: "FILE", short: "o", help: "write to FILE, which must not exist" } },
  locate: (io, { operands }) => locateVersion(io, operands[0]!),
  print(io, { path, n, text }, { args }) {
    const output = args.text("output");
    if (output === null) {
      if (text !== "") io.text(text.endsWith("\n") ? text : `${text}\n`);
      return;
    }
    writeNewFile(resolve(io.cwd, output), text);
    io.out(`version ${n} of ${shownName(path)} is in ${shownName(output)}`);
  },
});

/**
 * Writes a file that the user named, inside or outside the linked folder. Never overwrites.
 * @param path absolute
 */
export function writeNewFile(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "it exists already" : errnoClause(error);
    refuse(`${path} cannot be written: ${why}`, "give another file");
  }
}
