import type { Command, Io } from "../command.ts";
import { originClause } from "../../mirror/operations/results/origin.ts";
import { complain } from "../complain.ts";
import type { OpenBlockedPath } from "../../mirror/operations/manual/conflicts.ts";
import { nextFor } from "../../mirror/operations/results/next-step.ts";
import { EXIT, type ExitCode } from "../exit.ts";
import { findMirror, locate } from "../find-mirror.ts";
import { paintFor } from "../paint.ts";
import { useLocal } from "../use-mirror.ts";
import { bytes, localTime } from "../../mirror/operations/results/when.ts";
import { age, columns } from "../when.ts";
import { jsonLine } from "../json-line.ts";
import { shownName, shownWords } from "../../common/shown-name.ts";
import { byPath } from "../../mirror/model/by-path.ts";
import { conflictHunks, listConflicts, readThree } from "../../mirror/operations/manual/conflicts.ts";
import { findProblem } from "../../mirror/operations/manual/open-problem.ts";
import { hunkLines } from "../show-hunks.ts";

export const command: Command = {
  usage: "conflicts [DIR] [--json] | conflicts show PATH [--json]",
  about: [
    "Lists documents whose local and remote versions do not merge, and documents that are blocked until you decide. Reads only local data.",
    "show PATH prints the lines that do not merge: mine (local), theirs (on the service), and base (the last version that both sides had).",
    "Exit codes: 0 if there are none, 3 if there are some.",
  ],
  examples: ["mdmirror conflicts", "mdmirror conflicts show plan.md"],
  options: { json: { help: "print one JSON object" } },
  operands: { least: 0, most: 2 },
  async run(io, args): Promise<ExitCode> {
    const [first, second] = args.operands;
    const json = args.flag("json");
    if (first === "show" && second !== undefined) return show(io, second, json);
    if (second !== undefined) {
      io.err("mdmirror conflicts: takes one folder, or: show PATH");
      return EXIT.usage;
    }
    const root = findMirror(io, first);
    if (root.kind === "trouble") return complain(io, root.trouble);
    return list(io, root.value, json);
  },
};

async function list(io: Io, root: string, json: boolean): Promise<ExitCode> {
  return useLocal(io, root, (mirror) => {
    const { conflicts, blocked } = listConflicts(mirror);
    const exit = conflicts.length + blocked.length === 0 ? EXIT.inSync : EXIT.attention;
    if (json) {
      io.out(jsonLine({ conflicts, blocked: blocked.map(holdJson) }));
      return exit;
    }
    const paint = paintFor(io);
    if (exit === EXIT.inSync) io.out("no conflicts and no blocked documents");
    const rows = conflicts
      .toSorted(byPath)
      .map(({ path, since, mine, theirs, inReview, renewed }) => [
        paint.strong(shownName(path)),
        `${paint.asks(inReview ? "in review" : "conflict")} for ${age(io, since)}`,
        `mine ${bytes(mine)}`,
        `theirs ${bytes(theirs, "no longer in the history")}${renewed === 0 ? "" : `, updated ${renewed} times since`}`,
      ]);
    for (const line of columns(rows)) io.out(line);
    if (rows.length > 0)
      io.out(
        "  next: mdmirror conflicts show PATH, then mdmirror resolve PATH --mine | --theirs | --merged FILE | --tool",
      );
    if (rows.length > 1)
      io.out("  all: mdmirror resolve --all --mine | --theirs | --merged-where-clean, with --dry-run first");
    for (const hold of blocked.toSorted(byPath)) {
      const { path, kind, detail, code, requestId, since } = hold;
      io.out(
        `${paint.strong(shownName(path))}  blocked for ${age(io, since)}  ${paint.asks(kind)}: ${shownWords(detail)}${originClause(code, requestId)}`,
      );
      io.out(`  next: ${shownWords(nextFor(hold))}`);
    }
    return exit;
  });
}

function holdJson(hold: OpenBlockedPath): object {
  const { path, kind, code, detail, requestId, waits, since } = hold;
  return { path, kind, code, detail, requestId, next: nextFor(hold), waits, since };
}

async function show(io: Io, name: string, json: boolean): Promise<ExitCode> {
  const place = locate(io, name);
  if (place.kind === "trouble") return complain(io, place.trouble);
  return useLocal(io, place.value.root, (mirror) => {
    const subject = findProblem(mirror, place.value.path);
    if (subject.kind === "trouble") return complain(io, subject.trouble);
    const three = readThree(mirror, subject.value);
    if (three.kind === "trouble") return complain(io, three.trouble);
    const { path, conflict } = subject.value;
    const hunks = conflictHunks(three.value);
    if (json) {
      io.out(jsonLine({ path, since: conflict?.since ?? null, hunks }));
      return EXIT.attention;
    }
    if (conflict !== null)
      io.out(
        `${shownName(path)}: in conflict since ${localTime(conflict.since)}; theirs is ${shownName(conflict.newestCopyPath)}`,
      );
    if (hunks.length === 0) io.out("the two edits now merge; the next sync resolves the conflict");
    for (const line of hunkLines(io, hunks)) io.out(line);
    return EXIT.attention;
  });
}
