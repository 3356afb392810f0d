import { afford, type Budget } from "./budget.ts";
import { Interner } from "./split.ts";
import { diff, type Edit, isRemoval } from "./myers.ts";
import { BLANK, BREAK, isMark, isWord, type Token } from "./tokens.ts";

type Texts = { readonly base: readonly Token[]; readonly local: readonly Token[]; readonly remote: readonly Token[] };

/** Most words around a change that are looked at to find its place. */
const REACH = 3;

/**
 * One side rewrote a passage in which the other one changed a few words: where those words stand
 * once in the base and once in the rewriting, the change is made there. Undefined where any of the
 * changes has no such place.
 */
export function transfer({ base, local, remote }: Texts, budget: Budget): Token[] | undefined {
  const interner = new Interner();
  const ids = (tokens: readonly Token[]): number[] => interner.ids(tokens.map((token) => token.text));
  const [b, l, r] = [ids(base), ids(local), ids(remote)];
  const places = { base, b, budget };
  return (
    carry({ ...places, few: local, f: l, many: remote, m: r }) ??
    carry({ ...places, few: remote, f: r, many: local, m: l })
  );
}

type Carried = {
  readonly base: readonly Token[];
  readonly b: readonly number[];
  /** The side with the changes to carry, and the one that they are carried into. */
  readonly few: readonly Token[];
  readonly f: readonly number[];
  readonly many: readonly Token[];
  readonly m: readonly number[];
  readonly budget: Budget;
};

function carry(all: Carried): Token[] | undefined {
  const { base, few, many, budget } = all;
  const edits = diff(all.b, all.f, budget);
  const [old, there] = [new Set(all.b), new Set(all.m)];
  const made: { readonly at: number; readonly removed: number; readonly tokens: readonly Token[] }[] = [];
  for (const edit of edits) {
    if (isRemoval(edit) || !isPlain(base.slice(edit.start, edit.end)) || !isPlain(few.slice(edit.from, edit.to))) {
      return undefined;
    }
    // Of words that stand in the rewriting too, one cannot tell which side they are from.
    if (all.f.slice(edit.from, edit.to).some((id) => !old.has(id) && there.has(id))) return undefined;
    const at = placeOf(edit, all);
    if (at === undefined) return undefined;
    if (at < 0) continue;
    const [first, ...rest] = few.slice(edit.from, edit.to) as [Token, ...Token[]];
    const tokens = [{ ...first, space: many[at]?.space ?? first.space }, ...rest];
    made.push({ at, removed: edit.end - edit.start, tokens });
  }
  made.sort((x, y) => x.at - y.at);
  const carried: Token[] = [];
  let from = 0;
  for (const { at, removed, tokens } of made) {
    if (at < from) return undefined;
    carried.push(...many.slice(from, at), ...tokens);
    from = at + removed;
  }
  return [...carried, ...many.slice(from)];
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
function placeOf(edit: Edit, { b, f, m, budget }: Carried): number | undefined {
  for (let reach = 0; reach <= REACH; reach++) {
    const [before, after] = [Math.max(0, edit.start - reach), Math.min(b.length, edit.end + reach)];
    const old = b.slice(before, after);
    if (!afford(budget, 2 * (b.length + m.length))) return undefined;
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
