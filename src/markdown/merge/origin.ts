import { findCounterparts } from "./edits.ts";
import { diff, type Edit } from "./diff.ts";
import { createReading, type MergeReading, readLines, tokenise } from "./reading.ts";
import { isWord, writeTokens } from "./tokens.ts";

type TextSource = "base" | "mine" | "theirs" | "both";

/** Part of a line with one origin. `none`: no version has these words near the line. */
export type WordOrigin = { readonly from: TextSource | "none"; readonly text: string };

/**
 * A line of a merge, or a removed line, with its origin.
 * - `from`: the side that added or removed the line; `base` if neither side added or removed the
 *   line; `mixed` if no side has the whole line
 * - `words`: the parts of a mixed line, in order; otherwise empty
 */
export type LineOrigin = {
  readonly kind: "kept" | "added" | "removed";
  readonly from: TextSource | "mixed";
  readonly line: string;
  readonly words: readonly WordOrigin[];
};

type OriginSide = {
  /**
   * One side. `keeps`: for each line of base, its index in this side. `has`: for each line of the
   * merge, its index in this side. The index is -1 if the side lacks the line.
   */
  readonly keeps: Int32Array;
  readonly has: Int32Array;
  readonly edits: readonly Edit[];
  readonly lines: readonly string[];
  readonly added: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
};

/**
 * Returns which side added each line of a merge, and which side removed each missing line of base.
 * The result does not depend on how the merge was made, so that the origins can verify the merge.
 * The kept and added lines, joined, are the merged version. The kept and removed lines, joined, are
 * base.
 */
export function findOrigins(base: string, local: string, remote: string, merged: string): LineOrigin[] {
  const reading = createReading();
  const { lines: was } = readLines(base, reading);
  const { lines: is } = readLines(merged, reading);
  const sides = [readSide(base, local, merged, reading), readSide(base, remote, merged, reading)] as const;
  const rows: LineOrigin[] = [];
  let index = 0;
  for (const edit of diffByLines(base, merged, reading)) {
    rows.push(...was.slice(index, edit.start).map(createKeptRow));
    index = edit.start;
    for (; index < edit.end; index++) rows.push(createRemovedRow(was[index] as string, index, sides));
    for (let to = edit.from; to < edit.to; to++) {
      const line = is[to] as string;
      const from = findLineSource(line, to, sides);
      const words =
        from === "mixed" ? findWordOrigins(line, was.slice(edit.start, edit.end), edit, sides, reading) : [];
      rows.push({ kind: "added", from, line, words });
    }
  }
  rows.push(...was.slice(index).map(createKeptRow));
  return rows;
}

function createKeptRow(line: string): LineOrigin {
  return { kind: "kept", from: "base", line, words: [] };
}

function readSide(base: string, side: string, merged: string, reading: MergeReading): OriginSide {
  const { lines } = readLines(side, reading);
  const edits = diffByLines(base, side, reading);
  const addedLines = new Set(edits.flatMap(({ from, to }) => lines.slice(from, to)));
  return {
    keeps: findCounterparts(readLines(base, reading).lines.length, edits),
    has: findCounterparts(readLines(merged, reading).lines.length, diffByLines(merged, side, reading)),
    edits,
    lines,
    added: addedLines,
    words: new Set([...addedLines].flatMap((line) => tokenise([line], reading).map(({ text }) => text))),
  };
}

function diffByLines(from: string, to: string, reading: MergeReading): Edit[] {
  return diff(readLines(from, reading).ids, readLines(to, reading).ids, reading);
}

type SidePair = readonly [local: OriginSide, remote: OriginSide];

function createRemovedRow(line: string, index: number, [local, remote]: SidePair): LineOrigin {
  const from = combineSides((local.keeps[index] as number) < 0, (remote.keeps[index] as number) < 0) ?? "base";
  return { kind: "removed", from, line, words: [] };
}

/**
 * Returns the side from which a line of a merge comes; `mixed` if no side has the line. A side
 * counts even if it has the line at another position.
 */
function findLineSource(line: string, index: number, [local, remote]: SidePair): LineOrigin["from"] {
  return (
    combineSides((local.has[index] as number) >= 0, (remote.has[index] as number) >= 0) ??
    combineSides(local.added.has(line), remote.added.has(line)) ??
    "mixed"
  );
}

function combineSides(mine: boolean, theirs: boolean): "mine" | "theirs" | "both" | null {
  if (mine && theirs) return "both";
  return mine ? "mine" : theirs ? "theirs" : null;
}

/**
 * Finds the origin of each word of a mixed line. First compares the word with the words at the same
 * position in base and in the sides. Then searches all lines that a side added.
 */
function findWordOrigins(
  line: string,
  was: readonly string[],
  place: Edit,
  sides: SidePair,
  reading: MergeReading,
): WordOrigin[] {
  if (line.trim() === "") return [{ from: "base", text: line }];
  const tokens = tokenise([line], reading);
  const ids = tokens.map(({ id }) => id);
  const indexesInBase = findMatches(was, ids, reading);
  const [inLocal, inRemote] = sides.map((side) => findMatches(readNearbyLines(side, place), ids, reading)) as [
    Int32Array,
    Int32Array,
  ];
  const words: { from: WordOrigin["from"]; text: string }[] = [];
  for (const [index, token] of tokens.entries()) {
    const [mine, theirs] = [(inLocal[index] as number) >= 0, (inRemote[index] as number) >= 0];
    const from =
      (indexesInBase[index] as number) >= 0
        ? "base"
        : (combineSides(mine, theirs) ??
          combineSides(sides[0].words.has(token.text), sides[1].words.has(token.text)) ??
          (isWord(token.text) ? "none" : "base"));
    // White space before a word counts as part of base. The marks for a side then cover only words.
    if (token.space !== "") appendWord(words, "base", token.space);
    appendWord(words, from, writeTokens([{ ...token, space: "" }]));
  }
  const remainder = line.slice(writeTokens(tokens).length);
  if (remainder !== "") appendWord(words, "base", remainder);
  return words;
}

function appendWord(words: { from: WordOrigin["from"]; text: string }[], from: WordOrigin["from"], text: string): void {
  const lastWord = words.at(-1);
  if (lastWord?.from === from) lastWord.text += text;
  else words.push({ from, text });
}

/** Returns, for each token, the index of an equal token in `lines`; -1 if there is none. */
function findMatches(lines: readonly string[], ids: readonly number[], reading: MergeReading): Int32Array {
  const otherIds = lines.flatMap((line) => tokenise([line], reading).map(({ id }) => id));
  return findCounterparts(ids.length, diff(ids, otherIds, reading));
}

function readNearbyLines({ edits, lines }: OriginSide, place: Edit): string[] {
  return edits
    .filter(({ start, end }) => start <= place.end && end >= place.start)
    .flatMap(({ from, to }) => lines.slice(from, to));
}
