import { rollDice } from "../simulator/dice.ts";

/** Characters of the largest document that the service takes. */
export const LARGEST = 51_200;

/** Base, local and remote version. */
export type Texts = readonly [base: string, local: string, remote: string];

type Random = () => number;
type Make = () => Texts;

/** Returns a document of the largest size, made of pieces that each end with `join`. */
function pieces(seed: number, join: string, piece: (random: Random, at: number) => string): string {
  const random = rollDice(seed).fraction;
  let text = "";
  for (let at = 0; text.length < LARGEST; at++) text += piece(random, at) + join;
  return text.slice(0, LARGEST);
}

/** Returns a function that makes three versions of pieces, each with its own random numbers. */
function three(join: string, piece: (random: Random, at: number, side: number) => string): Make {
  return () => [1, 2, 3].map((side) => pieces(side, join, (random, at) => piece(random, at, side))) as unknown as Texts;
}

function wrapped(head: string, texts: Make, foot: string): Make {
  return () => texts().map((text) => `${head}${text}${foot}`) as unknown as Texts;
}

function pick(random: Random, count: number): string {
  return String.fromCodePoint(97 + Math.floor(random() * count));
}

function ideograph(random: Random, count: number): string {
  return String.fromCodePoint(0x4e00 + Math.floor(random() * count));
}

/**
 * Returns a function that makes versions of a document. Each side changed the first letter of one
 * word in `every`.
 */
function edited(text: () => string, every: number): Make {
  return () => {
    const base = text();
    return [base, markWords(base, "l", every, 0), markWords(base, "r", every, every >> 1)];
  };
}

function markWords(text: string, mark: string, every: number, from: number): string {
  const words = text.split(" ");
  return words.map((word, at) => (at % every === from ? mark + word.slice(1) : word)).join(" ");
}

/**
 * Returns a function that makes versions of a document. `edit` changes characters for side 1 and
 * side 2.
 */
function editedChars(text: () => string, edit: (chars: string[], side: number) => string[]): Make {
  return () => {
    const base = text();
    return [base, edit([...base], 1).join(""), edit([...base], 2).join("")];
  };
}

/** The slowest inputs for known diff libraries, and attacks on the regexes of this merge. */
export const ADVERSARIES: Record<string, Make> = {
  "blank lines alternating with new lines": three("\n\n", (_, at, side) => `${side} ${at}`),
  "blank lines alternating with few lines": three("\n\n", (random) => pick(random, 4)),
  "blank lines only, one short line each": () => [
    "\n".repeat(LARGEST - 2),
    `${"\n".repeat(LARGEST / 2)}l${"\n".repeat(LARGEST / 2 - 2)}`,
    `r${"\n".repeat(LARGEST - 3)}`,
  ],
  "random lines": three("\n", (random) => pick(random, 26) + pick(random, 26)),
  "one-character lines of 2": three("\n", (random) => pick(random, 2)),
  "one-character lines of 26": three("\n", (random) => pick(random, 26)),
  "one line of distinct words": three(" ", (_, at, side) => `${side}w${at}`),
  "one line of repeated words": three(" ", (random) => pick(random, 2)),
  "one line of random words": three(" ", (random) => pick(random, 26) + pick(random, 26)),
  "one line, every tenth word edited": edited(
    () => pieces(7, " ", (random) => pick(random, 26) + pick(random, 26)),
    20,
  ),
  "one line of random ideographs": three("", (random) => ideograph(random, 40)),
  "one line of ideograph sentences": three("", (random, at) => (at % 9 === 8 ? "。" : ideograph(random, 40))),
  "one line of ideographs, some removed": editedChars(
    () => pieces(7, "", (random) => ideograph(random, 400)),
    (chars, side) => chars.filter((_, at) => at % 150 !== side * 9),
  ),
  "one line of ideographs, half replaced": editedChars(
    () => pieces(7, "", (random) => ideograph(random, 4000)),
    (chars, side) =>
      chars.map((char, at) => ((at >> 3) % 4 === side ? String.fromCodePoint(0x6e00 + (at % 999)) : char)),
  ),
  "sentences of few words": three(" ", (random, at) => pick(random, 6) + (at % 5 === 4 ? "." : "")),
  "open comments": three("", (random) => `<!--${pick(random, 3)}`),
  "open heading ids": three("", (random) => `{/*${pick(random, 3)}{#`),
  "open links": three("", (random) => `](${pick(random, 3)}(`),
  "rules and quotes": three("\n", (random) => "> - ".repeat(1 + Math.floor(random() * 9)) + pick(random, 3)),
  "nested list items": three(
    "\n",
    (random, at, side) => `${"  ".repeat(at % 9)}- ${pick(random, 26)}${side} ${at % 40}`,
  ),
  "table rows under a header": wrapped(
    "| a | b | c |\n|---|---|---|\n",
    three("\n", (random, at, side) => `| ${at} | ${(at + side) % 3 === 0 ? pick(random, 9) : "x"} | c |`),
    "\n",
  ),
  "ideographs in many lines": three("", (random, at, side) =>
    at % 30 === 29 ? `\n${at % 4 === side ? side : ""}` : ideograph(random, 3000),
  ),
  fences: three("\n", (random) => (random() < 0.3 ? "```" : pick(random, 3))),
  "deep quotes": three("\n", (_, at, side) => `${"> ".repeat(at % 60)}q${at % (50 + side)} word`),
  "emoji, some edited": editedChars(
    () => pieces(7, " ", (_, at) => String.fromCodePoint(0x1f600 + ((at * 7) % 70))),
    (chars, side) => chars.map((char, at) => (at % 60 === 30 * (side - 1) ? "x" : char)),
  ),
  "emphasis that stays open": wrapped(
    "x\n",
    edited(() => pieces(7, " ", (_, at) => `*a${at}`), 900),
    "\n",
  ),
  "a table of which one side added a column": () => {
    const rows = (row: (at: number) => string): string => Array.from({ length: 2_200 }, (_, at) => row(at)).join("");
    return [
      `| a | b |\n|---|---|\n${rows((at) => `| r${at} | x${at % 7} |\n`)}`,
      `| a | b | c |\n|---|---|---|\n${rows((at) => `| r${at} | x${at % 7} | n |\n`)}`,
      `| a | b |\n|---|---|\n${rows((at) => `| r${at} | ${at % 10 === 0 ? "new" : `x${at % 7}`} |\n`)}`,
    ];
  },
  "many tables of which one side added a column": () => {
    const tables = (table: (at: number) => string): string => pieces(7, "\n", (_, at) => table(at));
    return [
      tables((at) => `| a${at} | b |\n|---|---|\n| 1 | 2 |\n`),
      tables((at) => `| a${at} | b | c |\n|---|---|---|\n| 1 | 2 | 3 |\n`),
      tables((at) => `| a${at} | b |\n|---|---|\n| 1 | ${at} |\n`),
    ];
  },
  "long paragraphs, some words edited": edited(
    () => pieces(7, " ", (random, at) => `w${Math.floor(random() * 3000)}${at % 400 === 399 ? ".\n\n" : ""}`),
    40,
  ),
  "a long piece of equal lines": () => {
    const equal = "a\n".repeat(LARGEST / 2 - 8);
    return ["x\n\ny\n", `x\n\n${equal}b\n\ny\n`, `x\n\n${equal.slice(0, LARGEST / 2)}b\n\ny\n`];
  },
};
