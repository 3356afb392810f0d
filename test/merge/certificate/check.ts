import type { ExplainedLine, Explanation, ExplainedWord } from "../../../src/markdown/merge/explain.ts";

export type Texts = { readonly base: string; readonly local: string; readonly remote: string };

/**
 * The law that a merge breaks. The check shares no code with the merge and does not trust its
 * explanation.
 */
export type Fault =
  | "no-explanation" // the merge does not explain its lines
  | "fitted" // a version was fitted in more than its dates
  | "incomplete" // the pieces do not add up to the four versions, byte for byte
  | "unlike" // the versions have different words or marks in one piece
  | "lost" // the result lacks what a side added, or what both sides kept
  | "unwritten" // the result has a piece that neither side has, or that one side removed
  | "astray" // a word that a side kept is at another place in the result
  | "twice" // the result has twice what both sides added
  | "run-together" // words of both sides are in one line
  | "space" // the white space before a piece is in no version
  | "rule"; // the rule that made a line does not explain it

const NAMES = ["base", "local", "remote", "result"] as const;

export function faultOf(texts: Texts, result: string, explanation: Explanation | null): Fault | null {
  if (explanation === null) return "no-explanation";
  const [base, local, remote] = explanation.texts;
  if (!isFitted(texts, { base, local, remote })) return "fitted";
  const pieces = explanation.lines.flatMap((line) => line.pieces);
  const wholes = NAMES.map((name) => pieces.map((piece) => piece[name] ?? "").join(""));
  if ([base, local, remote, result].some((text, at) => text !== wholes[at])) return "incomplete";
  const read = readPieces(pieces);
  if (read === null) return "unlike";
  for (const { who } of read) if (!ALLOWED.has(who)) return who.includes("m") ? "unwritten" : "lost";
  return faultOfPlaces(read) ?? faultOfSeams(read) ?? (explanation.lines.every(isExplained) ? null : "rule");
}

/**
 * Allowed combinations of versions that contain a piece. A letter each: base, local, remote,
 * merged.
 */
const ALLOWED = new Set(["blrm", "bl", "br", "b", "lm", "rm", "lrm"]);

/**
 * A piece of the explanation: the versions that contain it, its word or mark, and the white space
 * before it in each version.
 */
type Read = { readonly who: string; readonly word: string; readonly spaces: readonly (string | null)[] };
/** The end of all versions. */
const LAST: Read = { who: "blrm", word: "", spaces: ["\n", "\n", "\n", "\n"] };

const NUMBER = String.raw`(?:(?:\p{N}{1,4}(?:\.\p{N}{1,3})*|[a-z])[.)](?=\s)|\p{N}{1,2}:\p{N}{2}(?=\s)|\p{N}{1,4}、|\p{N}{1,4}(?=\s*\|$))?`;
const ONE = String.raw`[\p{L}\p{M}\p{N}]+(?:_+[\p{L}\p{M}\p{N}]+)*|([*_~=#:\x60-])\2*|\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?|\[[ xX]\]|\S`;
const CELL = new RegExp(String.raw`^(\s*${NUMBER}\s*)(?:${ONE})$`, "u");

/**
 * Reads the pieces. Returns null if a piece is not one word, or not the same word in all versions.
 */
function readPieces(pieces: readonly ExplainedWord[]): Read[] | null {
  const read: Read[] = [];
  const isBegun = [false, false, false, false];
  for (const [at, piece] of pieces.entries()) {
    const cells = NAMES.map((name) => piece[name]);
    if (at === pieces.length - 1 && cells.every((cell) => cell !== null && cell.trim() === "")) continue;
    const spaces = cells.map((cell) => (cell === null ? null : (CELL.exec(cell)?.[1] ?? null)));
    const words = cells.map((cell, text) => {
      if (cell === null) return null;
      const space = spaces[text] ?? null;
      if (space === null) return "";
      const word = cell.slice(space.length);
      const leads = /^(?:[->*+|]|#{1,6})$/.test(word) && (!isBegun[text] || space.includes("\n"));
      if (!isBegun[text]) spaces[text] = `\n${space}`;
      isBegun[text] = true;
      return leads ? `\n${word}` : word;
    });
    const known = new Set(words.filter((word) => word !== null));
    const [word] = known;
    if (known.size !== 1 || word === undefined || word === "") return null;
    read.push({ who: [..."blrm"].filter((_, text) => cells[text] !== null).join(""), word, spaces });
  }
  return read;
}

/** Checks each side's changes between two pieces that both base and the side contain. */
function faultOfPlaces(read: readonly Read[]): Fault | null {
  for (const side of ["l", "r"]) {
    if (couldKeepMore(read, side)) return "astray";
    let [removed, added] = [new Set<string>(), new Set<string>()];
    for (const { who, word } of read) {
      const [was, is] = [who.includes("b"), who.includes(side)];
      if (was && is && (who === "blrm" || isWord(word))) [removed, added] = [new Set(), new Set()];
      else if (was && !is) removed.add(word);
      else if (is && !was) added.add(word);
      if (removed.has(word) && added.has(word)) return "astray";
    }
  }
  let [gone, come] = [new Set<string>(), new Set<string>()];
  let both: Record<string, string> = { lm: "", rm: "" };
  for (const { who, word } of [...read, LAST]) {
    if (who in both) both[who] += ` ${word}`;
    if (who === "blrm") {
      if (isTwice(both["lm"]!, both["rm"]!)) return "twice";
      both = { lm: "", rm: "" };
    }
    if (who === "blrm" && isWord(word)) [gone, come] = [new Set(), new Set()];
    // A side must not add a word that both sides removed. Both sides must not add a word that one
    // side removed.
    else if (who === "b" && isWord(word)) gone.add(word);
    else if (who in both && isWord(word)) come.add(word);
    else if (who === "bl" || who === "br") gone.add(`one ${word}`);
    else if (who === "lrm") come.add(`one ${word}`);
    for (const one of [word, `one ${word}`]) if (gone.has(one) && come.has(one)) return "astray";
  }
  return null;
}

type Line = { readonly word: string; readonly pieces: readonly Read[] };

/**
 * Returns true if a side could keep more of base than the explanation says, both line by line and
 * as a whole.
 */
function couldKeepMore(read: readonly Read[], side: string): boolean {
  const [were, are] = ["b", side].map((text) => linesIn(read, text)) as [Line[], Line[]];
  const isSame = (a: Line, b: Line): boolean => a.word === b.word && a.pieces.every((one, at) => one === b.pieces[at]);
  const kept = were.filter((line) => are.some((other) => isSame(line, other)));
  const keptPieces = new Set(kept.flatMap(({ pieces }) => pieces));
  const between: Read[][] = [[]];
  for (const piece of read) keptPieces.has(piece) ? between.push([]) : between.at(-1)!.push(piece);
  const isByLines = mostInCommon(were, are) === kept.length && between.every((part) => hasMostInCommon(part, side));
  return !isByLines && !hasMostInCommon(read, side);
}

function linesIn(read: readonly Read[], text: string): Line[] {
  const all = read.filter(({ who }) => who.includes(text));
  const starts = [...all.keys()].filter((at) => all[at]!.spaces["blr".indexOf(text)]!.includes("\n"));
  const lines = starts.map((from, line) => all.slice(from, starts[line + 1]));
  return lines.map((pieces) => ({ word: pieces.map(({ word }) => word).join(" "), pieces }));
}

/** Returns true if the explanation pairs as many words, or as many words and marks, as possible. */
function hasMostInCommon(read: readonly Read[], side: string): boolean {
  return [read, read.filter(({ word }) => isWord(word))].some((pieces) => {
    const [were, are] = ["b", side].map((text) => pieces.filter(({ who }) => who.includes(text))) as [Read[], Read[]];
    return mostInCommon(were, are) === were.filter(({ who }) => who.includes(side)).length;
  });
}

/** Returns the length of the longest common subsequence. */
function mostInCommon(were: readonly { word: string }[], are: readonly { word: string }[]): number {
  let counts = [0, ...are.map(() => 0)];
  for (const { word } of were) {
    const next = [0];
    for (const [at, is] of are.entries())
      next.push(is.word === word ? counts[at]! + 1 : Math.max(counts[at + 1]!, next[at]!));
    counts = next;
  }
  return counts.at(-1)!;
}

/** Returns true if two additions are equal, or if one contains a whole line of the other. */
function isTwice(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short !== "" && (short === long || (short.startsWith(" \n") && `${long} \n`.includes(`${short} \n`)));
}

function isWord(word: string): boolean {
  return /[\p{L}\p{N}]/u.test(word);
}

/**
 * Checks pieces that are neighbours only in the result: words of two sides in one line, and white
 * space.
 */
function faultOfSeams(read: readonly Read[]): Fault | null {
  let last: Read | undefined;
  let line = new Set<string>();
  for (const piece of [...read.filter(({ who }) => who.endsWith("m")), LAST]) {
    const own = piece.spaces[3] as string;
    const isNewLine = own.includes("\n");
    if (isNewLine && line.size > 1 && !line.has("blrm")) return "run-together";
    if (isNewLine) line = new Set();
    line.add(piece.who);
    const isMet = [last?.who, piece.who].sort().join() === "lm,rm" && isWord(last?.word ?? "") && isWord(piece.word);
    if (isMet && !isNewLine) return "run-together";
    const kinds = piece.spaces.slice(0, 3).map((space) => (space === null ? null : kindOf(space)));
    const isSeam = isNewLine && last?.who !== piece.who;
    if (!kinds.some((kind) => kind === kindOf(own) || (isSeam && (kind === "break" || kind === "blank"))))
      return "space";
    last = piece;
  }
  return null;
}

function kindOf(space: string): string {
  const feeds = space.split("\n").length - 1;
  return feeds > 1 ? "blank" : feeds === 1 ? "break" : space === "" ? "none" : "space";
}

function isExplained({ rule, pieces }: ExplainedLine): boolean {
  const by = new Set<string>();
  for (const { base, local, remote } of pieces) {
    const changes = [local, remote].map((side) => (side === null) !== (base === null));
    if (changes[0] && changes[1]) by.add("both");
    else if (changes[0]) by.add("local");
    else if (changes[1]) by.add("remote");
  }
  return rule === (by.size > 1 ? "joined" : ([...by][0] ?? "kept"));
}

/** Returns true if the fitted versions differ from the given ones in dates only. */
function isFitted(texts: Texts, fitted: Texts): boolean {
  return (["base", "local", "remote"] as const).every((name) => {
    if (texts[name] === fitted[name]) return true;
    const [were, are] = [texts[name].split("\n"), fitted[name].split("\n")];
    const others = NAMES.slice(0, 3).flatMap((other) =>
      other === name ? [] : texts[other as keyof Texts].split("\n"),
    );
    return were.length === are.length && were.every((was, at) => isFitLine(was, are[at]!, others));
  });
}

function isFitLine(was: string, is: string, others: readonly string[]): boolean {
  if (was === is) return true;
  const date = /^([\w -]+): *["']?(\d{4}-[\d T:.+Z-]*\d)/;
  const [from, to] = [date.exec(was), date.exec(is)];
  return from !== null && to !== null && from[1] === to[1] && to[2]! > from[2]! && others.includes(is);
}
