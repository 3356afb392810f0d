import { afford } from "./budget.ts";
import { hasCode, openFences } from "../outline/fences.ts";
import { diffFilled, type Reading, readLines } from "./reading.ts";
import { splitLines } from "./split.ts";

/** As many characters of the texts cost a step. */
const LETTERS_A_STEP = 2;

/** Footnotes, or the numbered targets of links. */
type Kind = { readonly definition: RegExp; readonly mention: RegExp };

const FOOTNOTES: Kind = { definition: /^ {0,3}\[\^(\p{N}+)\]:/u, mention: /(?<!\\)\[\^(\p{N}+)\]/gu };
// A number in brackets before a round one, or another square one, is the text of a link.
const TARGETS: Kind = {
  definition: /^ {0,3}\[(\p{N}+)\]:\s*\S/u,
  mention: /(?<![\\[])\[(\p{N}+)\](?!\(|\[[^\]])/gu,
};

/** A text with what tells of its numbers: which are defined, and where each is mentioned. */
type Read = {
  readonly lines: readonly string[];
  readonly definitions: ReadonlyMap<string, string>;
  readonly first: ReadonlyMap<string, number>;
  /** Numbers that stand where they may be no mention, or are defined twice. */
  readonly doubtful: ReadonlySet<string>;
};

/**
 * The sides with one number for each footnote and numbered target of a link, where both gave a new
 * one the same number: the one that is mentioned later, with its mentions, gets a number that is
 * free. Undefined where nothing is to be done, or where it is not certain what the number means.
 */
export function settleNumbers(
  base: string,
  local: string,
  remote: string,
  reading: Reading,
): readonly [local: string, remote: string] | undefined {
  if (!afford(reading, (base.length + local.length + remote.length) / LETTERS_A_STEP)) return undefined;
  if (!areDoubled(local, remote)) return undefined;
  let sides: readonly [string, string] | undefined;
  for (const kind of [FOOTNOTES, TARGETS]) {
    sides = settleKind(kind, base, ...(sides ?? ([local, remote] as const)), reading) ?? sides;
  }
  return sides;
}

const NUMBERED = /^ {0,3}\[(?<number>\^?\p{N}+)\]:(?<what>.*)$/gmu;

/** Whether both sides seem to define one number: the cheap test, which most texts fail. */
function areDoubled(local: string, remote: string): boolean {
  const known = new Map([...local.matchAll(NUMBERED)].map(({ groups }) => [groups?.["number"], groups?.["what"]]));
  if (known.size === 0) return false;
  return remote.matchAll(NUMBERED).some(({ groups }) => {
    const what = known.get(groups?.["number"]);
    return what !== undefined && what !== groups?.["what"];
  });
}

function settleKind(
  kind: Kind,
  base: string,
  local: string,
  remote: string,
  reading: Reading,
): readonly [local: string, remote: string] | undefined {
  const [b, l, r] = [base, local, remote].map((text) => readNumbers(text, kind)) as [Read, Read, Read];
  const doubled = [...l.definitions.keys()].filter(
    (number) => r.definitions.has(number) && r.definitions.get(number) !== l.definitions.get(number),
  );
  const isCertain = (number: string): boolean =>
    !b.first.has(number) && !b.doubtful.has(number) && !l.doubtful.has(number) && !r.doubtful.has(number);
  const known = doubled.filter((number) => !b.definitions.has(number));
  if (known.length === 0 || !known.every(isCertain)) return undefined;
  const turnsLocal = isLocalLater(known, l, r, base, [local, remote], reading);
  const [later, other] = turnsLocal ? [l, r] : [r, l];
  const numbers = newNumbers(known, later, other, b);
  if (numbers === undefined) return undefined;
  const text = renumber(later.lines, kind, numbers);
  return turnsLocal ? [text, remote] : [local, text];
}

/** Reads the numbers of one kind in a text. */
function readNumbers(text: string, kind: Kind): Read {
  const lines = splitLines(text);
  const open = openFences(lines);
  const plain = lines.map((line, at) => (hasCode(open, at, at + 1) ? "" : withoutCode(line)));
  const { definitions, doubtful } = definitionsIn(lines, plain, kind);
  const first = new Map<string, number>();
  for (const [at, line] of plain.entries()) {
    for (const { number, isDoubtful } of mentionsIn(line, kind)) {
      if (!first.has(number)) first.set(number, at);
      if (isDoubtful) doubtful.add(number);
    }
  }
  return { lines, definitions, first, doubtful };
}

/** What each number stands for, and which stand for several things; `plain`: lines without code. */
function definitionsIn(lines: readonly string[], plain: readonly string[], { definition }: Kind) {
  const [definitions, doubtful] = [new Map<string, string>(), new Set<string>()];
  for (const [at, line] of plain.entries()) {
    const number = definition.exec(line)?.[1];
    if (number === undefined) continue;
    if (definitions.has(number)) doubtful.add(number);
    definitions.set(number, saidBy(lines, at));
  }
  return { definitions, doubtful };
}

/** The numbers that a line without code mentions, and whether it is in doubt that it does. */
function mentionsIn(plain: string, kind: Kind): { readonly number: string; readonly isDoubtful: boolean }[] {
  // Indented so far it may be code.
  const isIndented = /^(?: {4}|\t)/.test(plain);
  return [...plain.matchAll(kind.mention)].map(({ 1: number = "", index }) => {
    // Behind a word it may be an index.
    const isIndex = kind === TARGETS && /[\p{L}\p{N})]/u.test(plain[index - 1] ?? "");
    return { number, isDoubtful: isIndented || isIndex };
  });
}

/** What a definition says: its line behind the number, and the indented lines after it. */
function saidBy(lines: readonly string[], at: number): string {
  let end = at + 1;
  while (/^(?: {4}|\t)\s*\S/.test(lines[end] ?? "")) end++;
  const said = lines.slice(at, end).join("");
  return said
    .slice(said.indexOf("]:") + 2)
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** A line with its code spans made blank. */
function withoutCode(line: string): string {
  if (!line.includes("`")) return line;
  return line.replaceAll(/(?<!`)(`+)(?!`).{0,500}?(?<!`)\1(?!`)/g, (found) => " ".repeat(found.length));
}

/**
 * Whether it is the local side whose new numbers come later: the side of which the other one holds
 * what it defined under other numbers, else the one that mentions the first of them further down;
 * at one place the local one, as the remote's insertion comes first.
 */
function isLocalLater(
  numbers: readonly string[],
  l: Read,
  r: Read,
  base: string,
  sides: readonly [string, string],
  reading: Reading,
): boolean {
  const isHeld = (one: Read, other: Read): boolean => {
    const said = new Set(other.definitions.values());
    return numbers.every((number) => said.has(one.definitions.get(number) as string));
  };
  if (isHeld(l, r) !== isHeld(r, l)) return isHeld(l, r);
  const [mine, theirs] = [l, r].map(({ first }, which) => {
    const mentions = numbers.map((number) => first.get(number) ?? Number.POSITIVE_INFINITY);
    const side = sides[which] as string;
    const line = readLines(side, reading).filled.at.indexOf(Math.min(...mentions));
    return diffFilled(base, side, reading).find(({ from, to }) => from <= line && line < to)?.start ?? 0;
  }) as [number, number];
  return mine >= theirs;
}

/** The free numbers for a side's: the ones that the other side has for the same, else the next. */
function newNumbers(numbers: readonly string[], later: Read, other: Read, base: Read): Map<string, string> | undefined {
  let next = 0;
  for (const { definitions, first } of [later, other, base]) {
    for (const number of definitions.keys()) next = Math.max(next, Number(number));
    for (const number of first.keys()) next = Math.max(next, Number(number));
  }
  const same = new Map<string, string>();
  for (const [number, what] of other.definitions) {
    if (!base.definitions.has(number) && !same.has(what)) same.set(what, number);
  }
  const made = new Map<string, string>();
  for (const number of numbers.toSorted((one, two) => Number(one) - Number(two))) {
    made.set(number, same.get(later.definitions.get(number) as string) ?? String(++next));
  }
  const left = [...later.definitions.keys()].map((number) => made.get(number) ?? number);
  return new Set(left).size === left.length && !Number.isNaN(next) ? made : undefined;
}

/** Lines as text, with other numbers. */
function renumber(lines: readonly string[], { mention }: Kind, numbers: ReadonlyMap<string, string>): string {
  const open = openFences(lines);
  const made = lines.map((line, at) => {
    if (hasCode(open, at, at + 1)) return line;
    let [text, from] = ["", 0];
    for (const { 0: found, 1: number = "", index } of withoutCode(line).matchAll(mention)) {
      text += line.slice(from, index) + found.replace(number, numbers.get(number) ?? number);
      from = index + found.length;
    }
    return text + line.slice(from);
  });
  return made.join("");
}
