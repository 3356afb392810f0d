import { shownName } from "../../../common/shown-words.ts";
import { type DiffHunk, diffLines } from "../../../markdown/merge/line-diff.ts";

export type PatchNames = { readonly before: string | null; readonly after: string | null };

const LINE_SIGNS = { same: " ", added: "+", removed: "-" } as const;

/** Returns a unified diff as lines: two lines with the names of the versions, then the hunks. */
export function formatPatch(names: PatchNames, before: string, after: string): string[] {
  const [from, to] = [names.before, names.after].map((name) => (name === null ? "/dev/null" : shownName(name)));
  const hunks = diffLines(before, after).flatMap((hunk) => [
    `@@ -${formatRange(hunk.before)} +${formatRange(hunk.after)} @@`,
    ...hunk.lines.flatMap(({ kind, text }) => {
      const isWhole = text.endsWith("\n");
      const line = `${LINE_SIGNS[kind]}${isWhole ? text.slice(0, -1) : text}`;
      return isWhole ? [line] : [line, "\\ No newline at end of file"];
    }),
  ]);
  return [`--- ${from}`, `+++ ${to}`, ...hunks];
}

function formatRange({ line, count }: DiffHunk["before"]): string {
  return count === 1 ? String(line) : `${line},${count}`;
}
