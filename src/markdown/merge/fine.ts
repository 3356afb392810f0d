import { type FrontMatter, mergeEntries, readFrontMatter } from "./front-matter.ts";
import { type ConflictHunk, mergeHunks, type MergeInput } from "./hunk.ts";
import type { Edit } from "./myers.ts";
import { diffFilledLines, type VersionLines, type MergeReading, readLines } from "./reading.ts";
import { applyStyle, mergeStyle, normaliseText, readStyle } from "./style.ts";

type FineMerge = { readonly text: string } | { readonly conflicts: readonly ConflictHunk[] };

/**
 * Merges versions that conflict line by line, in parts smaller than a line. Three properties are
 * merged separately from the content: line ends, byte order mark, and the line break at the end of
 * the document.
 */
export function mergeWithinLines(base: string, local: string, remote: string, reading: MergeReading): FineMerge {
  const styles = [readStyle(base), readStyle(local), readStyle(remote)] as const;
  const mixed = styles.some((style) => style.feed === "mixed");
  const style = { ...mergeStyle(...styles), ...(mixed && { feed: undefined }) };
  const [b, l, r] = [base, local, remote].map((text) => normaliseText(text, mixed)) as [string, string, string];
  const merged = mergeNormalised(b, l, r, reading);
  return "text" in merged ? { text: applyStyle(merged.text, style) } : merged;
}

/**
 * Merges normalised versions: the front matter by its keys, then the body. Merges the whole
 * documents by lines in two cases: a side has no front matter, or the front matter of a version
 * cannot be read.
 */
function mergeNormalised(base: string, local: string, remote: string, reading: MergeReading): FineMerge {
  const [b, l, r] = [readBaseFrontMatter(base), readFrontMatter(local), readFrontMatter(remote)];
  if (b === undefined || l === undefined || r === undefined)
    return mergeHunks(prepareMerge(base, local, remote, reading));
  const frontMatter = mergeEntries(b.entries, l.entries, r.entries);
  const body = mergeHunks(prepareMerge(b.body, l.body, r.body, reading));
  if (frontMatter !== undefined && "text" in body) return { text: `---\n${frontMatter}---\n${body.text}` };
  const bodyConflicts =
    "text" in body ? [] : body.conflicts.map((hunk) => shiftConflict(hunk, b.lines, l.lines, r.lines));
  if (frontMatter !== undefined) return { conflicts: bodyConflicts };
  const frontMatterConflict: ConflictHunk = {
    base: readFrontMatterLines(base, b),
    local: readFrontMatterLines(local, l),
    remote: readFrontMatterLines(remote, r),
    baseLine: 0,
    localLine: 0,
    remoteLine: 0,
  };
  return { conflicts: [frontMatterConflict, ...bodyConflicts] };
}

/**
 * Reads the front matter of base; returns undefined if it cannot be read. If base has none, returns
 * an empty one, because both sides may have created front matter.
 */
function readBaseFrontMatter(base: string): FrontMatter | undefined {
  if (base.startsWith("---\n")) return readFrontMatter(base);
  return { entries: new Map(), lines: 0, body: base };
}

function readFrontMatterLines(text: string, { body }: FrontMatter): string {
  return text.slice(0, text.length - body.length);
}

/**
 * Converts line numbers in a conflict of the body to line numbers in the documents.
 * @param base number of lines of the front matter in base; `local`, `remote`: the same number for
 * the sides
 */
function shiftConflict(hunk: ConflictHunk, base: number, local: number, remote: number): ConflictHunk {
  return {
    ...hunk,
    baseLine: hunk.baseLine + base,
    localLine: hunk.localLine + local,
    remoteLine: hunk.remoteLine + remote,
  };
}

/**
 * Computes the edits of both sides. Leaves out blank lines: they are merged as white space before
 * the next line.
 */
export function prepareMerge(base: string, local: string, remote: string, reading: MergeReading): MergeInput {
  const [b, l, r] = [base, local, remote].map((text) => readLines(text, reading)) as [
    VersionLines,
    VersionLines,
    VersionLines,
  ];
  const [mine, theirs] = [diffFilledLines(base, local, reading), diffFilledLines(base, remote, reading)];
  const edits = { local: mine, remote: theirs, changed: new Set<Edit>() };
  return { texts: { base: b, local: l, remote: r }, edits, reading };
}
