/** Formats versions of a document for a terminal or a pipe: conflicts, differences and merges. */

import { quoteForShell } from "../mirror/model/shell-word.ts";
import type { WordOrigin } from "../markdown/merge/origin.ts";
import type { ConflictHunk } from "../markdown/merge/merge.ts";
import { shownName } from "../common/shown-words.ts";
import { refuse, unwrap } from "../common/trouble.ts";
import { makeLocalLookup } from "../mirror/operations/history/lookup.ts";
import { describeParts, findVersion } from "../mirror/operations/history/history.ts";
import {
  collectMergeFacts,
  type MergeOrigins,
  type MergeRow,
  makeOriginHunks,
  readOrigins,
} from "../mirror/operations/history/origins.ts";
import { formatPatch, type PatchNames } from "../mirror/operations/results/patch.ts";
import { formatLocalTime } from "../mirror/operations/results/times.ts";
import type { CommandEnd, Io } from "./command.ts";
import { locateDocument } from "./find-mirror.ts";
import { choosePaint, countCells, escapeForTerminal, type Paint } from "./text.ts";
import { withLocalMirror } from "./use-mirror.ts";

/**
 * Returns lines that show each hunk of a conflict: a heading with line numbers from 1, then the
 * lines of base, mine and theirs. Each line begins with a mark for its version.
 */
export function formatHunks(io: Io, hunks: readonly ConflictHunk[]): string[] {
  const paint = choosePaint(io);
  return hunks.flatMap((hunk, index) => {
    const lineNumbers = `mine line ${hunk.localLine + 1}, theirs line ${hunk.remoteLine + 1}, base line ${hunk.baseLine + 1}`;
    const formatSide = (name: string, text: string, brush: (line: string) => string) =>
      text === ""
        ? [brush(`${name} | (nothing)`)]
        : splitIntoLines(text).map((line) => brush(`${name} | ${escapeForTerminal(io, line)}`));
    return [
      paint.place(`@@ ${index + 1} of ${hunks.length}: ${lineNumbers} @@`),
      ...formatSide("base  ", hunk.base, paint.dim),
      ...formatSide("mine  ", hunk.local, paint.added),
      ...formatSide("theirs", hunk.remote, paint.removed),
    ];
  });
}

const BRUSH_BY_SIGN: Readonly<Record<string, keyof Paint>> = { "@": "place", "+": "added", "-": "removed" };

export function formatUnifiedDiff(io: Io, names: PatchNames, before: string, after: string): string[] {
  const paint = choosePaint(io);
  return formatPatch(names, before, after).map((line, index) => {
    const brush = index < 2 ? "strong" : BRUSH_BY_SIGN[line[0]!];
    return brush === undefined ? escapeForTerminal(io, line) : paint[brush](escapeForTerminal(io, line));
  });
}

function splitIntoLines(text: string): string[] {
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/**
 * Legend for the marks before the lines of a merge. Without colours, only a mark shows which side a
 * line comes from.
 */
const MARKS_LEGEND =
  "M mine, T theirs, B both sides alike, M T words from both sides, listed below; + added, - removed, ! do not merge";

type StyleName = keyof Paint;
type OriginStyle = { readonly marks: string; readonly brush: StyleName | null };

const STYLE_BY_ORIGIN: Readonly<Record<string, OriginStyle>> = {
  base: { marks: "     ", brush: null },
  both: { marks: "    B", brush: "strong" },
  mixed: { marks: "M T  ", brush: "asks" },
  mine: { marks: "M    ", brush: "added" },
  theirs: { marks: "  T  ", brush: "place" },
};
const KIND_SIGNS = { kept: " ", added: "+", removed: "-", conflict: "!" } as const;

/**
 * Returns the changed lines of a merge, each with three lines before and after it. Returns an empty
 * list if no line changed.
 */
export function formatChangedOrigins(io: Io, rows: readonly MergeRow[]): string[] {
  const paint = choosePaint(io);
  const hunks = makeOriginHunks(rows);
  const lines = hunks.flatMap(({ before, after, lines: hunkLines }) => [
    paint.dim(`@@ -${before.line},${before.count} +${after.line},${after.count} @@`),
    ...formatOrigins(io, hunkLines),
  ]);
  return lines.length === 0 ? [] : [paint.dim(MARKS_LEGEND), ...lines];
}

export function formatOrigins(io: Io, rows: readonly MergeRow[]): string[] {
  const paint = choosePaint(io);
  return rows.flatMap((row) => {
    const { marks, brush } = STYLE_BY_ORIGIN[row.kind === "conflict" ? row.of : row.from] as OriginStyle;
    const line = row.line.endsWith("\n") ? row.line.slice(0, -1) : row.line;
    const markedLine = `${marks} |${KIND_SIGNS[row.kind]}${escapeForTerminal(io, line)}`;
    const paintedLine =
      row.kind === "removed" ? paint.removed(markedLine) : brush === null ? markedLine : paint[brush](markedLine);
    const marksBelow = row.kind === "conflict" ? "" : formatWordMarks(row.words);
    return [
      paintedLine,
      ...(marksBelow === "" ? [] : [`      |?${marksBelow}`]),
      ...(line.length === row.line.length ? ["      |\\ No newline at end of file"] : []),
    ];
  });
}

const ORIGIN_LETTERS: Readonly<Record<WordOrigin["from"], string>> = {
  base: " ",
  mine: "M",
  theirs: "T",
  both: "B",
  none: "?",
};

/**
 * Returns a line to print below a merged line, with a letter below each character that does not
 * come from base. `?` means that no version has the character. Keeps tabs, so that the letters stay
 * below their characters.
 */
function formatWordMarks(words: readonly WordOrigin[]): string {
  return words
    .map(({ from, text }) => {
      const tabbedParts = text.replace(/\r?\n$/, "").split("\t");
      return tabbedParts.map((part) => ORIGIN_LETTERS[from].repeat(countCells(part))).join("\t");
    })
    .join("")
    .trimEnd();
}

/**
 * Returns which side each line of a merged version comes from.
 * @param n number of the version in the history; null for the last merge
 */
export function showMerge(io: Io, name: string, n: number | null): Promise<CommandEnd> {
  const location = locateDocument(io, name);
  return withLocalMirror(io, location.root, (local) => {
    const foundVersion = unwrap(findVersion(local, location.path, n));
    const { document, entries } = foundVersion;
    const mergedEntry = n === null ? entries.findLast(({ merge }) => merge !== null) : foundVersion.entry;
    const { path } = document;
    if (mergedEntry === undefined || mergedEntry.merge === null) {
      const message =
        mergedEntry === undefined
          ? `no version of ${shownName(path)} is`
          : `version ${mergedEntry.n} of ${shownName(path)} is not`;
      const nextStep = `mdmirror history ${quoteForShell(location.path)} lists the merged versions`;
      return refuse(`${message} a merge with a known origin`, nextStep);
    }
    const { merge } = mergedEntry;
    const origins = readOrigins(makeLocalLookup(local, path), merge);
    const mergedVersions = describeParts(merge, entries.slice(0, mergedEntry.n));
    const head = `${shownName(path)}@${mergedEntry.n}: merged ${formatLocalTime(merge.at)} from ${mergedVersions}`;
    return {
      json: { path, n: mergedEntry.n, merge: collectMergeFacts(merge, origins) },
      lines: [head, ...formatMergeOrigins(io, origins)],
    };
  });
}

function formatMergeOrigins(io: Io, origins: MergeOrigins): string[] {
  if (origins.kind === "found") {
    const lines = formatChangedOrigins(io, origins.rows);
    return lines.length === 0 ? ["the result is equal to the version that both edits started from"] : lines;
  }
  const missingVersions = origins.gone.map((name) => (name === "result" ? "the result" : name)).join(" and ");
  return [
    `the origin of each line is not known: ${missingVersions} ${origins.gone.length === 1 ? "is" : "are"} no longer in the history`,
  ];
}
