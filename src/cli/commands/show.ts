import { resolve } from "node:path";
import { shownName } from "../../common/shown-name.ts";
import { show } from "../../mirror/operations/history/versions.ts";
import { locateVersion } from "../find-mirror.ts";
import { readCommand } from "../operation-command.ts";
import { writeNewFile } from "../exit.ts";

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
