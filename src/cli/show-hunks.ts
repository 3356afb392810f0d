import type { ConflictHunk } from "../markdown/merge/merge.ts";
import type { DiffHunk } from "../markdown/merge/line-diff.ts";
import { shownName } from "../common/shown-name.ts";
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

const PAINTED: Readonly<Record<DiffHunk["lines"][number]["kind"], (paint: Paint, line: string) => string>> = {
  same: (_, line) => ` ${line}`,
  added: (paint, line) => paint.added(`+${line}`),
  removed: (paint, line) => paint.removed(`-${line}`),
};

/**
 * Returns a unified diff.
 * @param names shown after `---` and `+++`; null if that version does not exist
 */
export function unifiedLines(
  io: Io,
  names: { readonly before: string | null; readonly after: string | null },
  hunks: readonly DiffHunk[],
): string[] {
  const paint = paintFor(io);
  const [before, after] = [names.before, names.after].map((name) => (name === null ? "/dev/null" : shownName(name)));
  const lines = [paint.strong(`--- ${before}`), paint.strong(`+++ ${after}`)];
  for (const { before: from, after: to, lines: own } of hunks) {
    lines.push(paint.place(`@@ -${range(from)} +${range(to)} @@`));
    for (const { kind, text } of own) {
      const line = text.endsWith("\n") ? text.slice(0, -1) : text;
      lines.push(PAINTED[kind](paint, shown(io, line)));
      if (line.length === text.length) lines.push("\\ No newline at end of file");
    }
  }
  return lines;
}

function range({ line, count }: DiffHunk["before"]): string {
  return count === 1 ? String(line) : `${line},${count}`;
}

function whole(text: string): string[] {
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}
