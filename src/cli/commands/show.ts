import { resolve } from "node:path";
import { shownName } from "../../common/shown-name.ts";
import { errnoClause, ok, type Result, trouble } from "../../common/trouble.ts";
import { show } from "../../mirror/operations/history/versions.ts";
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
      return ok(null);
    }
    const written = writeNewFile(resolve(io.cwd, output), text);
    if (written.kind === "trouble") return written;
    io.out(`version ${n} of ${shownName(path)} is in ${shownName(output)}`);
    return ok(null);
  },
});

/**
 * Writes a file that the user named, inside or outside the linked folder. Never overwrites.
 * @param path absolute
 */
export function writeNewFile(path: string, text: string): Result<null> {
  try {
    writeFileSync(path, text, { flag: "wx" });
    return ok(null);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EEXIST" ? "it exists already" : errnoClause(error);
    return trouble("usage", `${path} cannot be written: ${why}`, "give another file");
  }
}
