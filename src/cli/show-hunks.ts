import type { ConflictHunk } from "../markdown/merge/merge.ts";
import { patchLines, type PatchNames } from "../mirror/operations/results/patch.ts";
import type { Io } from "./command.ts";
import { type Paint, paintFor, shown } from "./text.ts";

/** Formats conflicting or differing lines of two or three versions, for a terminal or a pipe. */

/**
 * Returns each hunk: a heading with line numbers from 1, then the lines of base, mine and theirs,
 * each with a mark.
 */
export function hunkLines(io: Io, hunks: readonly ConflictHunk[]): string[] {
  const paint = paintFor(io);
  return hunks.flatMap((hunk, index) => {
    const place = `mine line ${hunk.localLine + 1}, theirs line ${hunk.remoteLine + 1}, base line ${hunk.baseLine + 1}`;
    const side = (name: string, text: string, brush: (line: string) => string) =>
      text === "" ? [brush(`${name} | (nothing)`)] : whole(text).map((line) => brush(`${name} | ${shown(io, line)}`));
    return [
      paint.place(`@@ ${index + 1} of ${hunks.length}: ${place} @@`),
      ...side("base  ", hunk.base, paint.dim),
      ...side("mine  ", hunk.local, paint.added),
      ...side("theirs", hunk.remote, paint.removed),
    ];
  });
}

/** Colours of the lines of hunks in a unified diff, by their first character. */
const BRUSHES: Readonly<Record<string, keyof Paint>> = { "@": "place", "+": "added", "-": "removed" };

/** Returns a unified diff. */
export function unifiedLines(io: Io, names: PatchNames, before: string, after: string): string[] {
  const paint = paintFor(io);
  return patchLines(names, before, after).map((line, at) => {
    const brush = at < 2 ? "strong" : BRUSHES[line[0]!];
    return brush === undefined ? shown(io, line) : paint[brush](shown(io, line));
  });
}

function whole(text: string): string[] {
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
