import type { Explanation, Piece } from "../../../src/markdown/merge/explain.ts";

/** Merges made wrong by chance, and explanations that try to hide it. */

export type Random = (below: number) => number;

/** What is done to the text of a merge; undefined: it changes nothing there. */
export const TEXT_MUTATIONS: Readonly<Record<string, (text: string, random: Random) => string | undefined>> = {
  "a word moved to another line": moveWord,
  "a line doubled": doubleLine,
  "a mark lost": loseMark,
};

function moveWord(text: string, random: Random): string | undefined {
  const lines = text.split("\n");
  const places = lines.flatMap((line, at) =>
    Array.from(line.matchAll(/[\p{L}\p{N}]+/gu), ({ 0: word, index }) => ({ at, word, end: index + word.length })),
  );
  const [taken, target] = [pick(places, random), pick(places, random)];
  if (taken === undefined || target === undefined || taken.at === target.at) return undefined;
  const moved = [...lines];
  const from = lines[taken.at] as string;
  moved[taken.at] = from.slice(0, taken.end - taken.word.length).trimEnd() + from.slice(taken.end);
  const to = lines[target.at] as string;
  moved[target.at] = `${to.slice(0, target.end)} ${taken.word}${to.slice(target.end)}`;
  return moved.join("\n");
}

function doubleLine(text: string, random: Random): string | undefined {
  const lines = text.split("\n");
  const line = pick(
    lines.filter((one) => /[\p{L}\p{N}]/u.test(one)),
    random,
  );
  if (line === undefined) return undefined;
  const at = random(2) === 0 ? lines.indexOf(line) : random(lines.length);
  return [...lines.slice(0, at), line, ...lines.slice(at)].join("\n");
}

function loseMark(text: string, random: Random): string | undefined {
  const mark = pick([...text.matchAll(/\*\*|[[\]*_`|#>~-]/g)], random);
  return mark && text.slice(0, mark.index) + text.slice(mark.index + mark[0].length);
}

function pick<T>(some: readonly T[], random: Random): T | undefined {
  return some[random(some.length)];
}

/**
 * An explanation of another result: the words that are where they were keep their sources, any
 * other word takes those of an equal one near it, or none.
 */
export function repoint({ texts, lines }: Explanation, result: string): Explanation {
  const pieces = lines.flatMap((line) => line.pieces);
  const cells = pieces.flatMap(({ result: cell }, at) => (cell === null ? [] : [{ at, cell }]));
  let [head, start] = [0, 0];
  while (head < cells.length && result.startsWith(cells[head]!.cell, start)) start += cells[head++]!.cell.length;
  let [tail, end] = [cells.length, result.length];
  while (tail > head && end >= start && result.slice(start, end).endsWith(cells[tail - 1]!.cell)) {
    end -= cells[--tail]!.cell.length;
  }
  const words = result.slice(start, end).match(/\s*(?:[\p{L}\p{N}]+|\S)|\s+$/gu) ?? [];
  const [first, last] = [cells[head]?.at ?? pieces.length, cells[tail]?.at ?? pieces.length];
  const made: Piece[] = [];
  let next = 0;
  for (const piece of pieces.slice(first, last)) {
    const found =
      piece.result === null ? -1 : words.findIndex((word, at) => at >= next && word.trim() === piece.result?.trim());
    for (; next < found; next++) made.push(pieceOf(words[next]!));
    made.push(found < 0 ? { ...piece, result: null } : { ...piece, result: words[next++]! });
  }
  made.push(...words.slice(next).map(pieceOf));
  const all = [...pieces.slice(0, first), ...made, ...pieces.slice(last)];
  return { texts, lines: [{ line: 1, rule: "joined", pieces: all }] };
}

function pieceOf(result: string): Piece {
  return { base: null, local: null, remote: null, result };
}

type Names = keyof Piece;

/** What is done to an explanation alone; undefined: it changes nothing there. */
export const CLAIM_MUTATIONS: Readonly<
  Record<string, (explanation: Explanation, random: Random) => Explanation | undefined>
> = {
  "a source left out": (explanation, random) => changeCell(explanation, random, () => null),
  "a source pointed elsewhere": (explanation, random) => {
    const words = explanation.lines.flatMap(({ pieces }) => pieces.map(({ result }) => result));
    return changeCell(explanation, random, () => pick(words, random) ?? null);
  },
  "another rule": ({ texts, lines }, random) => {
    const at = random(lines.length);
    const rule = pick(["kept", "local", "remote", "both", "joined"] as const, random) ?? "kept";
    if (lines[at]?.rule === rule) return undefined;
    return { texts, lines: lines.map((line, index) => (index === at ? { ...line, rule } : line)) };
  },
};

function changeCell(
  { texts, lines }: Explanation,
  random: Random,
  change: (cell: string) => string | null,
): Explanation | undefined {
  const [at, name] = [random(lines.length), pick(["base", "local", "remote", "result"] as Names[], random) as Names];
  const line = lines[at];
  const place = random(line?.pieces.length ?? 0);
  const old = line?.pieces[place]?.[name];
  if (line === undefined || typeof old !== "string" || old === "") return undefined;
  const made = change(old);
  if (made === old) return undefined;
  const pieces = line.pieces.map((piece, index) => (index === place ? { ...piece, [name]: made } : piece));
  return { texts, lines: lines.map((one, index) => (index === at ? { ...one, pieces } : one)) };
}
