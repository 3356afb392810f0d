import { afford } from "./budget.ts";
import type { Ids } from "./evidence.ts";
import { diff, type Edit, isRemoval } from "./myers.ts";
import type { Reading } from "./reading.ts";
import { BLANK, BREAK, isMark, isWord, type Passage, type Token } from "./tokens.ts";

/** Most words around a change that are looked at to find its place. */
const REACH = 3;

/**
 * One side rewrote a passage in which the other one changed a few words: where those words stand
 * once in the base and once in the rewriting, the change is made there. Undefined where any of the
 * changes has no such place.
 */
export function transfer({ base, local, remote }: Passage, reading: Reading): Token[] | undefined {
  const [b, l, r] = [textOf(base), textOf(local), textOf(remote)];
  return carry({ base: b, few: l, many: r }, reading) ?? carry({ base: b, few: r, many: l }, reading);
}

type Text = { readonly tokens: readonly Token[]; readonly ids: Ids };

function textOf(tokens: readonly Token[]): Text {
  return { tokens, ids: tokens.map(({ id }) => id) };
}

/** The side with the changes to carry (`few`), and the one that they are carried into (`many`). */
type Sides = { readonly base: Text; readonly few: Text; readonly many: Text };

/** Tokens that replace some of the rewriting's, from one place on. */
type Replacement = { readonly at: number; readonly removed: number; readonly tokens: readonly Token[] };

function carry(sides: Sides, reading: Reading): Token[] | undefined {
  const { base, few, many } = sides;
  const edits = diff(base.ids, few.ids, reading);
  const [old, there] = [new Set(base.ids), new Set(many.ids)];
  const replacements: Replacement[] = [];
  for (const edit of edits) {
    if (!isPlainChange(edit, sides)) return undefined;
    // Of words that stand in the rewriting too, one cannot tell which side they are from.
    if (few.ids.slice(edit.from, edit.to).some((id) => !old.has(id) && there.has(id))) return undefined;
    const at = placeOf(edit, sides, reading);
    if (at === undefined) return undefined;
    if (at >= 0) replacements.push(replacementAt(at, edit, sides));
  }
  return replace(many.tokens, replacements);
}

/** Whether an edit replaced words alone by words alone. */
function isPlainChange(edit: Edit, { base, few }: Sides): boolean {
  if (isRemoval(edit)) return false;
  return isPlain(base.tokens.slice(edit.start, edit.end)) && isPlain(few.tokens.slice(edit.from, edit.to));
}

/** An edit made at a place of the rewriting, with the white space there unless it changed that. */
function replacementAt(at: number, edit: Edit, { base, few, many }: Sides): Replacement {
  const [first, ...rest] = few.tokens.slice(edit.from, edit.to) as [Token, ...Token[]];
  const isRespaced = first.space !== base.tokens[edit.start]?.space;
  const space = isRespaced ? first.space : (many.tokens[at]?.space ?? first.space);
  return { at, removed: edit.end - edit.start, tokens: [{ ...first, space }, ...rest] };
}

/** Tokens with some of them replaced; undefined where two replacements overlap. */
function replace(tokens: readonly Token[], replacements: readonly Replacement[]): Token[] | undefined {
  const replaced: Token[] = [];
  let from = 0;
  for (const { at, removed, tokens: made } of replacements.toSorted((x, y) => x.at - y.at)) {
    if (at < from) return undefined;
    replaced.push(...tokens.slice(from, at), ...made);
    from = at + removed;
  }
  return [...replaced, ...tokens.slice(from)];
}

/**
 * Whether tokens are words alone: what was only added has no words to be known by, and marks are
 * nothing without their place.
 */
function isPlain(tokens: readonly Token[]): boolean {
  return (
    tokens.some(({ text }) => isWord(text)) &&
    tokens.every(({ text }) => text !== BREAK && text !== BLANK && !isMark(text))
  );
}

/**
 * Where the words that an edit replaced stand in the rewriting; -1 where it was made there already;
 * undefined where that is not plain.
 */
function placeOf(edit: Edit, sides: Sides, reading: Reading): number | undefined {
  const [b, f, m] = [sides.base.ids, sides.few.ids, sides.many.ids];
  for (let reach = 0; reach <= REACH; reach++) {
    const [before, after] = [Math.max(0, edit.start - reach), Math.min(b.length, edit.end + reach)];
    const old = b.slice(before, after);
    if (!afford(reading, 2 * (b.length + m.length))) return undefined;
    if (find(b, old).length !== 1) continue;
    const there = find(m, old);
    if (there.length === 1) return (there[0] as number) + edit.start - before;
    const made = f.slice(edit.from - (edit.start - before), edit.to + (after - edit.end));
    if (there.length === 0 && find(b, made).length === 0 && find(m, made).length === 1) return -1;
    return undefined;
  }
  return undefined;
}

/** Where a run of ids begins in others. */
function find(ids: readonly number[], run: readonly number[]): number[] {
  const found: number[] = [];
  for (let at = ids.indexOf(run[0] as number); at >= 0; at = ids.indexOf(run[0] as number, at + 1)) {
    if (run.every((id, place) => ids[at + place] === id)) found.push(at);
  }
  return found;
}
