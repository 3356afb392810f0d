import { counterparts } from "./edits.ts";
import { diff, type Edit } from "./myers.ts";
import { newReading, type LineReader, readLines, tokenise } from "./reading.ts";
import { isWord, writeTokens } from "./tokens.ts";

/** Origin of a text: base, one of the sides, or both sides with equal text. */
type Source = "base" | "mine" | "theirs" | "both";

/** A piece of a line that has words of both sides. `none`: no text has the piece near this line. */
export type WordOrigin = { readonly from: Source | "none"; readonly text: string };

/**
 * A line of a merge with its origin. `mixed`: no side has the whole line. Only then does `words`
 * have entries: the pieces of the line, in order. For a removed line, `from` is the side that
 * removed it, or `base` if neither side did.
 */
export type Origin = {
  readonly kind: "kept" | "added" | "removed";
  readonly from: Source | "mixed";
  /** The line with its line feed, if it has one. */
  readonly line: string;
  readonly words: readonly WordOrigin[];
};

/** The lines of one side, with its edits of base. */
type Side = {
  /**
   * `keeps`: for each base line, the index of this line in the side. `has`: for each line of the
   * merge, the index of this line in the side. -1: the side lacks the line.
   */
  readonly keeps: Int32Array;
  readonly has: Int32Array;
  readonly edits: readonly Edit[];
  readonly lines: readonly string[];
  readonly added: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
};

/**
 * Finds the side that added each line of a merged text, and the side that removed each missing line
 * of base. Compares only the texts and ignores how the merge was made, so the result can verify a
 * merge. The kept and added lines, joined, are the merged text; the kept and removed lines are
 * base.
 */
export function originsOf(base: string, local: string, remote: string, merged: string): Origin[] {
  const reading = newReading();
  const { lines: was } = readLines(base, reading);
  const { lines: is } = readLines(merged, reading);
  const sides = [readSide(base, local, merged, reading), readSide(base, remote, merged, reading)] as const;
  const rows: Origin[] = [];
  let index = 0;
  for (const edit of diffLines(base, merged, reading)) {
    rows.push(...was.slice(index, edit.start).map(keptRow));
    index = edit.start;
    for (; index < edit.end; index++) rows.push(removedRow(was[index] as string, index, sides));
    for (let to = edit.from; to < edit.to; to++) {
      const line = is[to] as string;
      const from = sourceOf(line, to, sides);
      const words = from === "mixed" ? wordsOf(line, was.slice(edit.start, edit.end), edit, sides, reading) : [];
      rows.push({ kind: "added", from, line, words });
    }
  }
  rows.push(...was.slice(index).map(keptRow));
  return rows;
}

function keptRow(line: string): Origin {
  return { kind: "kept", from: "base", line, words: [] };
}

function readSide(base: string, side: string, merged: string, reading: LineReader): Side {
  const { lines } = readLines(side, reading);
  const edits = diffLines(base, side, reading);
  const added = new Set(edits.flatMap(({ from, to }) => lines.slice(from, to)));
  return {
    keeps: counterparts(readLines(base, reading).lines.length, edits),
    has: counterparts(readLines(merged, reading).lines.length, diffLines(merged, side, reading)),
    edits,
    lines,
    added,
    words: new Set([...added].flatMap((line) => tokenise([line], reading).map(({ text }) => text))),
  };
}

function diffLines(from: string, to: string, reading: LineReader): Edit[] {
  return diff(readLines(from, reading).ids, readLines(to, reading).ids, reading);
}

type SidePair = readonly [local: Side, remote: Side];

function removedRow(line: string, index: number, [local, remote]: SidePair): Origin {
  const from = either((local.keeps[index] as number) < 0, (remote.keeps[index] as number) < 0) ?? "base";
  return { kind: "removed", from, line, words: [] };
}

/**
 * Returns the origin of a line; "mixed" if no side has the line. A line that a side wrote
 * elsewhere, and that the merge moved, also has that side as its origin.
 */
function sourceOf(line: string, index: number, [local, remote]: SidePair): Origin["from"] {
  return (
    either((local.has[index] as number) >= 0, (remote.has[index] as number) >= 0) ??
    either(local.added.has(line), remote.added.has(line)) ??
    "mixed"
  );
}

function either(mine: boolean, theirs: boolean): "mine" | "theirs" | "both" | null {
  if (mine && theirs) return "both";
  return mine ? "mine" : theirs ? "theirs" : null;
}

/**
 * Finds the origin of each word of a line: compares the line with the lines at the same place in
 * base and in both sides. Looks up a word that none of them has in everything that a side added.
 */
function wordsOf(
  line: string,
  was: readonly string[],
  place: Edit,
  sides: SidePair,
  reading: LineReader,
): WordOrigin[] {
  // A blank line has no words: like all white space, it is attributed to base.
  if (line.trim() === "") return [{ from: "base", text: line }];
  const tokens = tokenise([line], reading);
  const ids = tokens.map(({ id }) => id);
  const inBase = findIn(was, ids, reading);
  const [inLocal, inRemote] = sides.map((side) => findIn(near(side, place), ids, reading)) as [Int32Array, Int32Array];
  const words: { from: WordOrigin["from"]; text: string }[] = [];
  for (const [index, token] of tokens.entries()) {
    const [mine, theirs] = [(inLocal[index] as number) >= 0, (inRemote[index] as number) >= 0];
    const from =
      (inBase[index] as number) >= 0
        ? "base"
        : (either(mine, theirs) ??
          either(sides[0].words.has(token.text), sides[1].words.has(token.text)) ??
          (isWord(token.text) ? "none" : "base"));
    // White space before a piece is attributed to base, so that marks of origin cover only words.
    if (token.space !== "") join(words, "base", token.space);
    join(words, from, writeTokens([{ ...token, space: "" }]));
  }
  // White space after the last piece is attributed to base, too.
  const rest = line.slice(writeTokens(tokens).length);
  if (rest !== "") join(words, "base", rest);
  return words;
}

function join(words: { from: WordOrigin["from"]; text: string }[], from: WordOrigin["from"], text: string): void {
  const last = words.at(-1);
  if (last?.from === from) last.text += text;
  else words.push({ from, text });
}

/**
 * Returns, for each token of `ids`, the index of its match among all tokens of `lines`; -1 if it
 * has none.
 */
function findIn(lines: readonly string[], ids: readonly number[], reading: LineReader): Int32Array {
  const others = lines.flatMap((line) => tokenise([line], reading).map(({ id }) => id));
  return counterparts(ids.length, diff(ids, others, reading));
}

/** Returns the lines of a side's edits that touch `place` of base. */
function near({ edits, lines }: Side, place: Edit): string[] {
  return edits
    .filter(({ start, end }) => start <= place.end && end >= place.start)
    .flatMap(({ from, to }) => lines.slice(from, to));
}
