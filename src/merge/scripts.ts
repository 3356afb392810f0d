import { type Budget, type Lines, spend } from "./budget.ts";
import { type Contexts, contextsOf } from "./contexts.ts";
import { diff, type Edit } from "./myers.ts";
import { splitLines } from "./split.ts";
import { wordsOf } from "./words.ts";

/** What a line costs in steps: to cut, to number and to compare. */
const STEPS_A_LINE = 20;

/** The lines of a text, read once a merge. */
export function readLines(text: string, budget: Budget): Lines {
  const known = budget.texts.get(text);
  if (known !== undefined) return known;
  const lines = splitLines(text);
  spend(budget, (text.length >> 2) + STEPS_A_LINE * lines.length);
  const read: Lines = { lines, ids: budget.interner.ids(lines), scripts: new Map() };
  budget.texts.set(text, read);
  return read;
}

/** The edits of lines from one text to another, found once a merge. */
export function diffLines(from: string, to: string, budget: Budget): Edit[] {
  const [before, after] = [readLines(from, budget), readLines(to, budget)];
  const known = before.scripts.get(to);
  if (known !== undefined) return known;
  const edits = diff(before.ids, after.ids, budget);
  before.scripts.set(to, edits);
  return edits;
}

/** What the lines of a text stand in, found once a merge. */
export function contextsIn(text: Lines): Contexts {
  text.contexts ??= contextsOf(text.lines);
  return text.contexts;
}

/** The numbers of the words of a line, by the line's number, found once a merge. */
export function wordsIn(line: number, budget: Budget): readonly number[] {
  const known = budget.said.get(line) ?? budget.words.ids(wordsOf(budget.interner.text(line)));
  budget.said.set(line, known);
  return known;
}
