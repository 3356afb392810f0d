import { makeFolderCommand } from "../find-mirror.ts";
import type { Command, Io } from "../command.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { plural } from "../../common/quantities.ts";
import { shownName, shownWords } from "../../common/shown-words.ts";
import { withOpenedMirror } from "../use-mirror.ts";
import { fixNames } from "../../mirror/operations/manual/fix-names.ts";

export const command: Command = {
  about: [
    "A local name that the service refuses (My notes.md) is uploaded under an accepted one (My-notes.md). This command renames the local file, too. The document stays the same.",
  ],
  examples: ["mdmirror fix-names --dry-run"],
  options: { "dry-run": { help: "print the names and rename nothing" } },
  ...makeFolderCommand(async (io, args, root) => {
    const isDryRun = args.flag("dry-run");
    const mirrorOptions = { mode: isDryRun ? "read" : "write", what: "fix-names" } as const;
    return withOpenedMirror(io, root, mirrorOptions, async (mirror) =>
      showFixes(io, fixNames(mirror, !isDryRun), isDryRun),
    );
  }),
};

function showFixes(io: Io, fixes: ReturnType<typeof fixNames>, isDryRun: boolean): ExitCode {
  for (const { from, to, left: why } of fixes) {
    if (why !== null) io.err(`${shownName(from)}: not renamed: ${shownWords(why)}`);
    else io.out(`${shownName(from)} → ${shownName(to)}`);
  }
  const unfixedCount = fixes.filter((fix) => fix.left !== null).length;
  const fixableCount = fixes.length - unfixedCount;
  if (fixes.length === 0) io.out("the service accepts every name");
  else if (isDryRun) io.out(`${plural(fixableCount, "name")} to change; nothing was renamed`);
  else io.out(`${plural(fixableCount, "name")} changed${fixableCount === 0 ? "" : "; next: mdmirror sync"}`);
  return unfixedCount > 0 ? EXIT.attention : EXIT.inSync;
}
