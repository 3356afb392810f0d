import { resolve } from "node:path";
import { shownName, shownWords } from "../../common/shown-words.ts";
import { history, show } from "../../mirror/operations/history/versions.ts";
import { formatByteCount, formatLocalTime } from "../../mirror/operations/results/times.ts";
import type { Answer } from "../../mirror/operations/define.ts";
import { refuseUsage, writeNewFile } from "../exit.ts";
import { locateDocument, locateVersion } from "../find-mirror.ts";
import { makeReadCommand } from "../operation-command.ts";
import { showMerge } from "../show-versions.ts";
import { formatColumns } from "../text.ts";

export const command = makeReadCommand(history, {
  operands: { usage: "PATH|ID", least: 1, most: 1 },
  examples: ["mdmirror history plan.md", "mdmirror history plan.md --as-of 3d"],
  options: {
    origins: {
      value: "N",
      range: [1, 999_999_999],
      help: "show which side each line of the merged version N came from: M (mine), T (theirs) or B (both)",
    },
  },
  runInstead(io, args) {
    const mergedVersion = args.number("origins");
    if (mergedVersion === null) return null;
    if (args.text("as-of") !== null) return refuseUsage("--as-of and --origins exclude each other");
    return showMerge(io, args.operands[0]!, mergedVersion);
  },
  locate(io, { operands }) {
    const { root, path } = locateDocument(io, operands[0]!);
    return { root, input: { path } };
  },
  lines(_io, { id, path, gone, deleted, versions }, args) {
    const head = `${shownName(path)}  ${id ?? "(no document at this path now)"}${id !== null && gone ? "  (gone)" : ""}`;
    const lines = [head, ...formatColumns(versions.map(formatRow))];
    if (deleted === null || args.text("as-of") !== null) return lines;
    const runClause = deleted.run === null ? "" : ` by run ${deleted.run}`;
    const reasonClause = deleted.what === null ? "" : `: ${shownWords(deleted.what)}`;
    return [...lines, `deleted ${formatLocalTime(deleted.at)}${runClause}${reasonClause}`];
  },
});

type HistoryVersion = Answer<(typeof history)["declared"]>["versions"][number];

function formatRow({ n, at, size, from, what, mergedFrom, other, isLocal }: HistoryVersion): string[] {
  const mergedClause = mergedFrom === null ? "" : `  (merged from ${mergedFrom})`;
  const otherClause = other === null ? "" : `  (a version of ${shownName(other)}, which was at this path then)`;
  return [
    `@${n}`,
    at <= 0 ? "before" : formatLocalTime(at),
    from,
    formatByteCount(size, "no longer in the history"),
    `${shownWords(what)}${mergedClause}${otherClause}${isLocal ? "  (local)" : ""}`,
  ];
}

export const showVersion = makeReadCommand(show, {
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
