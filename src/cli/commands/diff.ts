import { plural } from "../../common/quantities.ts";
import { shownName } from "../../common/shown-words.ts";
import type { DIFF } from "../../mirror/operations/declared/reads.ts";
import type { Answer } from "../../mirror/operations/define.ts";
import { compareEdits, diff } from "../../mirror/operations/history/diff.ts";
import type { Args, Io } from "../command.ts";
import { EXIT, refuseUsage } from "../exit.ts";
import { locateVersion, splitVersion } from "../find-mirror.ts";
import { ON_FOLDER, makeReadCommand } from "../operation-command.ts";
import { formatChangedOrigins, showMerge, formatUnifiedDiff } from "../show-versions.ts";
import { formatColumns } from "../text.ts";

type DiffRow = Answer<typeof DIFF>["documents"][number];

export const command = makeReadCommand(diff, {
  operands: { usage: "[DIR | PATH | PATH@N]", least: 0, most: 1 },
  examples: ["mdmirror diff", "mdmirror diff plan.md", "mdmirror diff plan.md@3"],
  options: {
    origins: { help: "show which side each line of PATH@N, or of the last merged version, came from; exits 0" },
  },
  runInstead(io, args) {
    if (!args.flag("origins")) return null;
    if (!isDocumentOperand(args)) return refuseUsage("--origins needs a document: PATH.md or PATH.md@N");
    const { path, n } = splitVersion(args.operands[0]!);
    return showMerge(io, path, n);
  },
  locate: (io, args) => (isDocumentOperand(args) ? locateVersion(io, args.operands[0]!) : ON_FOLDER.locate(io, args)),
  exit: ({ documents }) => (documents.every(({ kind }) => kind === "same") ? EXIT.inSync : EXIT.attention),
  print(io, { documents }, { args }) {
    const [row] = documents;
    if (row !== undefined && isDocumentOperand(args)) showDocumentDiff(io, row, splitVersion(args.operands[0]!).n);
    else for (const line of formatRows(documents)) io.out(line);
  },
});

/**
 * Matches an operand that means a document: a path or id, with or without a version number. Any
 * other operand means a folder.
 */
const DOCUMENT_OPERAND = /(?:\.md|^doc_[\w-]+)(?:@\d+)?$/;

function isDocumentOperand({ operands: [name] }: Args): boolean {
  return name !== undefined && DOCUMENT_OPERAND.test(name);
}

const KIND_WORDS: Readonly<Record<DiffRow["kind"], string>> = {
  same: "equal",
  differs: "differs",
  "only-local": "only local",
  "only-service": "only on the service",
};

function formatRows(rows: readonly DiffRow[]): readonly string[] {
  if (rows.length === 0) return ["both sides are equal"];
  return formatColumns(
    rows.map(({ path, kind, lines }) => [
      shownName(path),
      lines === null ? KIND_WORDS[kind] : `+${lines.added} -${lines.removed}`,
    ]),
  );
}

/**
 * Prints how one document differs between both sides. For a conflict, prints the lines of both
 * edits, and marks the lines that do not merge. Otherwise, or if the edits cannot be compared line
 * by line, prints a unified diff.
 */
function showDocumentDiff(io: Io, row: DiffRow, n: number | null): void {
  const { path, before, after, base, conflict } = row;
  const isComparable = conflict?.kind === "parts" && base !== null && before !== null && after !== null;
  const lines = isComparable ? compareEdits({ base, mine: after, theirs: before }) : null;
  if (lines?.kind !== "parts") {
    if (conflict !== null) io.err(`mdmirror: ${shownName(path)} is in conflict: ${explainConflict(conflict)}`);
    showPatch(io, row, n === null ? "service" : `version ${n}`);
    return;
  }
  io.out(`${shownName(path)}: in conflict at ${plural(lines.conflicts, "place")} (!); the rest merges`);
  for (const line of formatChangedOrigins(io, lines.rows)) io.out(line);
}

function explainConflict({ kind, reason = "" }: NonNullable<DiffRow["conflict"]>): string {
  if (kind === "merges") return "the two edits now merge; the next sync resolves the conflict";
  if (kind === "no-base") return "the version that both edits started from is no longer in the history";
  return `a merge of the two edits could be wrong (${reason}), so mdmirror does not merge them`;
}

function showPatch(io: Io, { path, kind, before, after }: DiffRow, side: string): void {
  const names = { before: before === null ? null : `${side}/${path}`, after: after === null ? null : `local/${path}` };
  if (kind === "same") {
    // This message goes to standard error, so that standard output is a valid, empty patch.
    io.err(`mdmirror: ${shownName(names.before!)} and ${shownName(names.after!)} are equal`);
    return;
  }
  // In a pipe, a patch must have the exact bytes of the document. On a terminal, control characters
  // are escaped.
  const print = io.terminal.output ? io.out : (line: string) => io.text(`${line}\n`);
  for (const line of formatUnifiedDiff(io, names, before ?? "", after ?? "")) print(line);
}
