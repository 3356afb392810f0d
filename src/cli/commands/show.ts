import { resolve } from "node:path";
import type { Command } from "../command.ts";
import type { Digest } from "../../contract/digest.ts";
import type { LocalPath } from "../../contract/path.ts";
import type { Disk } from "../../mirror/ports/disk.ts";
import type { State } from "../../mirror/ports/state.ts";
import { complain } from "../complain.ts";
import { EXIT } from "../exit.ts";
import { locateDocument } from "../locate-document.ts";
import { useLocal } from "../use-mirror.ts";
import { shownName } from "../../common/shown-name.ts";
import { shellWord } from "../../mirror/model/shell-word.ts";
import { splitVersion } from "../../mirror/operations/history/history.ts";
import { findVersion } from "../../mirror/operations/history/find-version.ts";
import { writeNewFile } from "../new-file.ts";

export const command: Command = {
  usage: "show PATH[@N] | ID[@N] [--output FILE]",
  about: [
    "Prints version N, or the newest without @N. Adds a line feed at the end on standard output if the version has none; --output writes it byte for byte.",
  ],
  examples: ["mdmirror show plan.md@3", "mdmirror show plan.md@3 --output old-plan.md"],
  options: { output: { value: "FILE", short: "o", help: "write to FILE, which must not exist" } },
  operands: { least: 1, most: 1 },
  async run(io, args) {
    const wanted = splitVersion(args.operands[0]!);
    const place = locateDocument(io, wanted.path);
    if (place.kind === "trouble") return complain(io, place.trouble);
    const { root, name } = place.value;
    return useLocal(io, root, ({ state, disk }) => {
      const found = findVersion({ state }, name, wanted.n);
      if (found.kind === "trouble") return complain(io, found.trouble);
      const { entry, document } = found.value;
      const text = shownText(entry.digest, document.path, state, disk);
      if (text === null) {
        io.err(
          `mdmirror: the content of version ${entry.n} of ${shownName(document.path)} is no longer in the history`,
        );
        io.err(`  next: mdmirror history ${shellWord(wanted.path)} lists the remaining versions`);
        return EXIT.usage;
      }
      const output = args.text("output");
      if (output === null) {
        if (text !== "") io.text(text.endsWith("\n") ? text : `${text}\n`);
        return EXIT.inSync;
      }
      const written = writeNewFile(resolve(io.cwd, output), text);
      if (written.kind === "trouble") return complain(io, written.trouble);
      io.out(`version ${entry.n} of ${shownName(document.path)} is in ${shownName(output)}`);
      return EXIT.inSync;
    });
  },
};

function shownText(digest: Digest, path: LocalPath, state: State, disk: Disk): string | null {
  const text = state.text(digest);
  return text === null ? null : (disk.shown?.(path, text) ?? text);
}
