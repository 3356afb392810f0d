import { plural } from "../../common/count.ts";
import { shownName } from "../../common/shown-name.ts";
import type { DIFF } from "../../mirror/operations/declared/history.ts";
import type { Answer } from "../../mirror/operations/define.ts";
import { compareEdits } from "../../mirror/operations/history/conflict-lines.ts";
import { diff } from "../../mirror/operations/history/diff.ts";
import type { Args, Io } from "../command.ts";
import { EXIT, misuse } from "../exit.ts";
import { locateVersion, splitVersion } from "../find-mirror.ts";
import { FOLDER_OPERAND, readCommand } from "../operation-command.ts";
import { originLines, showMerge, unifiedLines } from "../show-versions.ts";
import { columns } from "../text.ts";

type Row = Answer<typeof DIFF>["documents"][number];

export const command = readCommand(diff, {
  operands: { usage: "[DIR | PATH | PATH@N]", least: 0, most: 1 },
  examples: ["mdmirror diff", "mdmirror diff plan.md", "mdmirror diff plan.md@3"],
  options: {
    origins: { help: "show which side each line of PATH@N, or of the last merged version, came from; exits 0" },
  },
  runInstead(io, args) {
    if (!args.flag("origins")) return null;
    if (!namesDocument(args)) return misuse("--origins needs a document: PATH.md or PATH.md@N");
    const { path, n } = splitVersion(args.operands[0]!);
    return showMerge(io, path, n, args.flag("json"));
  },
  locate: (io, args) => (namesDocument(args) ? locateVersion(io, args.operands[0]!) : FOLDER_OPERAND.locate(io, args)),
  exit: ({ documents }) => (documents.every(({ kind }) => kind === "same") ? EXIT.inSync : EXIT.attention),
  print(io, { documents }, { args }) {
    const [row] = documents;
    if (row !== undefined && namesDocument(args)) showRow(io, row, splitVersion(args.operands[0]!).n);
    else for (const line of listLines(documents)) io.out(line);
  },
});

/**
 * Matches an operand that is a document: its path or id, with or without a version number. Any
 * other operand is a folder.
 */
const NAMES_DOCUMENT = /(?:\.md|^doc_[\w-]+)(?:@\d+)?$/;

function namesDocument({ operands: [name] }: Args): boolean {
  return name !== undefined && NAMES_DOCUMENT.test(name);
}

const KIND_WORDS: Readonly<Record<Row["kind"], string>> = {
  same: "equal",
  differs: "differs",
  "only-local": "only local",
  "only-service": "only on the service",
};

function listLines(rows: readonly Row[]): readonly string[] {
  if (rows.length === 0) return ["both sides are equal"];
  return columns(
    rows.map(({ path, kind, lines }) => [
      shownName(path),
      lines === null ? KIND_WORDS[kind] : `+${lines.added} -${lines.removed}`,
    ]),
  );
}

/**
 * Prints how one document differs between both sides. For a conflict, prints the lines of both
 * edits and marks each place that does not merge. Prints a unified diff if there is no conflict, or
 * if the edits cannot be compared line by line.
 */
function showRow(io: Io, row: Row, n: number | null): void {
  const { path, before, after, base, conflict } = row;
  const isParted = conflict?.kind === "parts" && base !== null && before !== null && after !== null;
  const lines = isParted ? compareEdits({ base, mine: after, theirs: before }) : null;
  if (lines?.kind !== "parts") {
    if (conflict !== null) io.err(`mdmirror: ${shownName(path)} is in conflict: ${whyNotMerged(conflict)}`);
    showPatch(io, row, n === null ? "service" : `version ${n}`);
    return;
  }
  io.out(`${shownName(path)}: in conflict at ${plural(lines.conflicts, "place")} (!); the rest merges`);
  for (const line of originLines(io, lines.rows)) io.out(line);
}

function whyNotMerged({ kind, reason = "" }: NonNullable<Row["conflict"]>): string {
  if (kind === "merges") return "the two edits now merge; the next sync resolves the conflict";
  if (kind === "no-base") return "the version that both edits started from is no longer in the history";
  return `a merge of the two edits could be wrong (${reason}), so mdmirror does not merge them`;
}

function showPatch(io: Io, { path, kind, before, after }: Row, side: string): void {
  const names = { before: before === null ? null : `${side}/${path}`, after: after === null ? null : `local/${path}` };
  if (kind === "same") {
    // Printed on standard error, so that standard output stays a valid patch: an empty one.
    io.err(`mdmirror: ${shownName(names.before!)} and ${shownName(names.after!)} are equal`);
    return;
  }
  // A patch in a pipe must have the exact bytes of the document; only a terminal gets them escaped.
  const put = io.terminal.output ? io.out : (line: string) => io.text(`${line}\n`);
  for (const line of unifiedLines(io, names, before ?? "", after ?? "")) put(line);
}
