/** Characters of the service's largest document. */
export const LARGEST = 51_200;

/** Base, local and remote text. */
export type Texts = readonly [base: string, local: string, remote: string];

type Random = () => number;
type Make = () => Texts;

/** A text of the largest size: pieces, each with `join` behind it. */
function pieces(seed: number, join: string, piece: (random: Random, at: number) => string): string {
  const random = mulberry32(seed);
  let text = "";
  for (let at = 0; text.length < LARGEST; at++) text += piece(random, at) + join;
  return text.slice(0, LARGEST);
}

/** Three texts of pieces, each with random numbers of its own. */
function three(join: string, piece: (random: Random, at: number, side: number) => string): Make {
  return () => [1, 2, 3].map((side) => pieces(side, join, (random, at) => piece(random, at, side))) as unknown as Texts;
}

/** A base of nothing but a head, under which each side put a text of its own. */
function below(head: string, texts: Make, foot: string): Make {
  return () => {
    const [, local, remote] = texts();
    return [head, `${head}${local}${foot}`, `${head}${remote}${foot}`];
  };
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

/** A text of words, of which each side changed the first letter of one in `every`. */
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

/** A text of which each side, 1 and 2, changed characters. */
function editedChars(text: () => string, edit: (chars: string[], side: number) => string[]): Make {
  return () => {
    const base = text();
    return [base, edit([...base], 1).join(""), edit([...base], 2).join("")];
  };
}

/** A text of lines, of which each side wrote on at the end of one in `every`. */
function editedLines(line: (at: number) => string, every: number): Make {
  return () => {
    const base = pieces(7, "\n", (_, at) => line(at)).split("\n");
    const sides = [0, every >> 1].map((from) => base.map((one, at) => (at % every === from ? `${one} more` : one)));
    return [base, ...sides].map((lines) => lines.join("\n")) as unknown as Texts;
  };
}

/** Inputs that cost most in known diff libraries, and attacks on this one's patterns. */
const ADVERSARIES: Record<string, Make> = {
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
  "one giant word": three("", (random) => pick(random, 26)),
  "one line of distinct words": three(" ", (_, at, side) => `${side}w${at}`),
  "one line of repeated words": three(" ", (random) => pick(random, 2)),
  "one line of random words": three(" ", (random) => pick(random, 26) + pick(random, 26)),
  "one line, every tenth word edited": edited(
    () => pieces(7, " ", (random) => pick(random, 26) + pick(random, 26)),
    20,
  ),
  "many lines, every tenth word edited": edited(
    () => pieces(7, " ", (random, at) => pick(random, 26) + (at % 11 === 0 ? "\n" : pick(random, 26))),
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
  "list items on both sides": below(
    "# List\n\n",
    three("\n", (random, at, side) => `- ${pick(random, 26)}${side}${at} x`),
    "\n",
  ),
  "table rows on both sides": below(
    "",
    three("\n", (random, at, side) => `|${side}${at}|${pick(random, 9)}|`),
    "",
  ),
  "sentences of few words": three(" ", (random, at) => pick(random, 6) + (at % 5 === 4 ? "." : "")),
  "back quotes": three("", (random) => "`".repeat(1 + Math.floor(random() * 9)) + pick(random, 3)),
  "open comments": three("", (random) => `<!--${pick(random, 3)}`),
  "open heading ids": three("", (random) => `{/*${pick(random, 3)}{#`),
  "open links": three("", (random) => `](${pick(random, 3)}(`),
  schemes: three("", (random) => `http:${pick(random, 3)}.`),
  "rules and quotes": three("\n", (random) => "> - ".repeat(1 + Math.floor(random() * 9)) + pick(random, 3)),
  spaces: three("", (random) => " ".repeat(1 + Math.floor(random() * 999)) + pick(random, 3)),
  "nested list items": three(
    "\n",
    (random, at, side) => `${"  ".repeat(at % 9)}- ${pick(random, 26)}${side} ${at % 40}`,
  ),
  "table rows under a header": wrapped(
    "| a | b | c |\n|---|---|---|\n",
    three("\n", (random, at, side) => `| ${at} | ${(at + side) % 3 === 0 ? pick(random, 9) : "x"} | c |`),
    "\n",
  ),
  "equal words, some edited": edited(() => pieces(7, " ", () => "same"), 50),
  "lines of equal words, some edited": edited(
    () => pieces(7, " ", (_, at) => (at % 10 === 9 ? "same\nsame" : "same")),
    50,
  ),
  "ideographs in many lines": three("", (random, at, side) =>
    at % 30 === 29 ? `\n${at % 4 === side ? side : ""}` : ideograph(random, 3000),
  ),
  fences: three("\n", (random) => (random() < 0.3 ? "```" : pick(random, 3))),
  "front matter": wrapped(
    "---\n",
    three("\n", (random, at, side) => `k${at}: ${at % 3 === side % 3 ? side : 0}${pick(random, 2)}`),
    "\n---\n",
  ),
  "deep quotes": three("\n", (_, at, side) => `${"> ".repeat(at % 60)}q${at % (50 + side)} word`),
  "deep directives": editedLines((at) => (at % 500 < 240 ? `:::tip${at}` : at % 500 < 260 ? `t${at}` : ":::"), 61),
  "open wiki links": editedLines((at) => "[[a] ".repeat(1 + (at % 300)), 3),
  "details, some edited": editedLines((at) => ["<details>", `t${at}`, `u${at}`, "</details>"][at % 4] as string, 10),
  "table rows, some edited": wrapped(
    "| a | b | c |\n|---|---|---|\n",
    editedLines((at) => `| r${at} | x | y |`, 8),
    "",
  ),
  "emoji, some edited": editedChars(
    () => pieces(7, " ", (_, at) => String.fromCodePoint(0x1f600 + ((at * 7) % 70))),
    (chars, side) => chars.map((char, at) => (at % 60 === 30 * (side - 1) ? "x" : char)),
  ),
  "reference definitions": below(
    "# t\n",
    three("\n", (_, at, side) => `[r${at}]: http://${side}.b/c${at}`),
    "",
  ),
  "front matter of one list": wrapped(
    "---\ntags: [",
    three(", ", (_, at, side) => `t${at * side}`),
    "]\n---\nx\n",
  ),
  "emphasis that stays open": wrapped(
    "x\n",
    edited(() => pieces(7, " ", (_, at) => `*a${at}`), 900),
    "\n",
  ),
  "stars of all lengths": edited(() => pieces(7, " ", (_, at) => `${"*".repeat(1 + (at % 9))}a${at}`), 90),
  "footnotes of both sides": below(
    "t\n\n",
    three("\n", (_, at, side) => `[^${at}]: a[^${at}] ${side}`),
    "",
  ),
  "numbered links of both sides": below(
    "t\n\n",
    three("\n", (_, at, side) => `[${at}]: http://${side}/${at}`),
    "",
  ),
  "directives one in another": () => {
    const open = Array.from({ length: LARGEST / 14 }, (_, at) => `:::tip${at % 9}\n`).join("");
    const texts = ["one two three", "one two three four", "uno two three"];
    return texts.map((text) => `${open}${text}\n${":::\n".repeat(LARGEST / 14)}`) as unknown as Texts;
  },
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
  "code blocks, some edited": () => {
    const blocks = (side: number): string =>
      pieces(7, "\n", (_, at) => {
        const [one, other] = [at % 4 === side ? side : at, at % 6 === side ? "x" : "y"];
        return `text ${at}\n\n\`\`\`js\nconst a${at} = ${one};\nreturn a${at} + ${other};\n\`\`\`\n`;
      });
    return [blocks(-1), blocks(0), blocks(2)];
  },
  "long paragraphs, some words edited": edited(
    () => pieces(7, " ", (random, at) => `w${Math.floor(random() * 3000)}${at % 400 === 399 ? ".\n\n" : ""}`),
    40,
  ),
  "a long piece of equal lines": () => {
    const equal = "a\n".repeat(LARGEST / 2 - 8);
    return ["x\n\ny\n", `x\n\n${equal}b\n\ny\n`, `x\n\n${equal.slice(0, LARGEST / 2)}b\n\ny\n`];
  },
  "sections of other names": below(
    "# t\n",
    three("\n\n", (_, at, side) => `## ${side}h${at}\n\nx`),
    "",
  ),
};

/** The costliest inputs that are known, by name; each is made when it is called for. */
export function adversaries(): Record<string, Make> {
  return ADVERSARIES;
}

/** A small seeded generator (mulberry32), so that every run measures the same inputs. */
export function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
