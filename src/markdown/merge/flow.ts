import {
  isReplacement,
  isUnchanged,
  type MustSettleTogether,
  overlaps,
  type Part,
  partsOf,
  type Range,
  type Ranges,
  type Side,
} from "./edits.ts";
import { type Ids, ONE_WORD, type WordsOf } from "./evidence.ts";
import { addedBy, type SideEdit, rewritesItem, type RewrittenItem, rewrittenItems, isWordOrBracket } from "./items.ts";
import { diff, type Edit, isRemoval } from "./myers.ts";
import type { LineReader } from "./reading.ts";
import type { RunNumbers } from "./split.ts";
import { includesAllChanges } from "./subsume.ts";
import {
  BLANK,
  BREAK,
  endsLineBefore,
  isHiddenToken,
  isHeadingId,
  isLineEnd,
  newRuns,
  type Passage,
  type Token,
} from "./tokens.ts";

type UnitSize = "sentences" | "words";

/** A passage cut into units, each with a number. Units with the same words have the same number. */
type Flow = {
  readonly size: UnitSize;
  readonly tokens: Passage;
  readonly units: { readonly base: readonly Unit[]; readonly local: readonly Unit[]; readonly remote: readonly Unit[] };
  readonly ids: { readonly base: Ids; readonly local: Ids; readonly remote: Ids };
  /** Gives each distinct sentence a number. A word needs none: it has the number of its token. */
  readonly keys: RunNumbers;
  readonly reading: LineReader;
};

/**
 * Merges running text: by sentences first, then by words within the sentences that both sides
 * changed. Undefined when the result could be wrong.
 */
export function mergeFlow(passage: Passage, reading: LineReader, size: UnitSize = "sentences"): Token[] | undefined {
  const flow = flowOf(passage, reading, size);
  const { ids } = flow;
  const local = diff(ids.base, ids.local, reading, endsLineBefore);
  const remote = diff(ids.base, ids.remote, reading, endsLineBefore);
  if (reading.left < 0) return undefined;
  const rewritten = size === "words" ? rewrittenItems(flow.tokens.base, local, remote) : [];
  const meets: MustSettleTogether = (earlier, side, later) =>
    size === "sentences" ? sentencesMeet(earlier, later) : wordsMeet(flow.tokens, earlier, side, later, rewritten);
  const allOf = (some: Ids) => ({ from: 0, to: some.length });
  const whole = { base: allOf(ids.base), local: allOf(ids.local), remote: allOf(ids.remote) };
  const merged: Token[] = [];
  for (const part of partsOf(whole, { local, remote }, meets)) {
    const passage = passageOf(flow, part);
    const settled = isUnchanged(part) ? keepTokens(passage) : settle(flow, part, passage);
    if (settled === undefined) return undefined;
    merged.push(...settled);
  }
  return merged;
}

function flowOf(tokens: Passage, reading: LineReader, size: UnitSize): Flow {
  const keys = newRuns();
  const split = (all: readonly Token[]): Unit[] => (size === "sentences" ? sentences(all, keys) : words(all));
  const units = { base: split(tokens.base), local: split(tokens.local), remote: split(tokens.remote) };
  const ids = { base: units.base.map(idOf), local: units.local.map(idOf), remote: units.remote.map(idOf) };
  return { size, tokens, units, ids, keys, reading };
}

function idOf({ id }: Unit): number {
  return id;
}

/** Returns the tokens of some ranges of units. */
function passageOf({ tokens, units }: Flow, { base, local, remote }: Ranges): Passage {
  return {
    base: tokensOf(tokens.base, units.base, base),
    local: tokensOf(tokens.local, units.local, local),
    remote: tokensOf(tokens.remote, units.remote, remote),
  };
}

function tokensOf(tokens: readonly Token[], units: readonly Unit[], { from, to }: Range): readonly Token[] {
  const first = units[from]?.from ?? tokens.length;
  return tokens.slice(first, from === to ? first : (units[to]?.from ?? tokens.length));
}

/** Returns the tokens of a part that at least one side changed; undefined for a conflict. */
function settle(flow: Flow, { local, remote, edits }: Part, passage: Passage): readonly Token[] | undefined {
  const { size, ids, keys, reading } = flow;
  if (edits.remote.length === 0) return settleOneSide(flow, passage, passage.local, passage.remote);
  if (edits.local.length === 0) return settleOneSide(flow, passage, passage.remote, passage.local);
  const localSide = { ids: ids.local, edits: edits.local, ...local };
  const remoteSide = { ids: ids.remote, edits: edits.remote, ...remote };
  const wordsOfUnit: WordsOf = size === "words" ? ONE_WORD : (id) => keys.run(id);
  if (includesAllChanges(ids.base, remoteSide, localSide, wordsOfUnit, reading)) return passage.remote;
  if (includesAllChanges(ids.base, localSide, remoteSide, wordsOfUnit, reading)) return passage.local;
  if (size === "sentences") return mergeFlow(passage, reading, "words");
  return withHeadingId(passage);
}

/**
 * Returns the tokens of a part in which `other` changed white space at most. Merges this white
 * space word by word. If that fails, takes over only the white space before the first token.
 */
function settleOneSide(
  { size, reading }: Flow,
  passage: Passage,
  mine: readonly Token[],
  other: readonly Token[],
): readonly Token[] {
  const respaced = passage.base.some((token, place) => token.space !== other[place]?.space);
  const finer = size === "sentences" && respaced ? mergeFlow(passage, reading, "words") : undefined;
  return finer ?? withSpace(mine, passage.base, other);
}

/**
 * Joins words and a heading's id that the sides added at one place; the id must end its line.
 * Undefined for any other part.
 */
function withHeadingId({ base, local, remote }: Passage): readonly Token[] | undefined {
  if (base.length > 0) return undefined;
  for (const [id, words] of [
    [local, remote],
    [remote, local],
  ] as const) {
    const plain = words.every(({ text }) => !isLineEnd(text) && !isHeadingId(text));
    if (id.length === 1 && isHeadingId(id[0]?.text ?? "") && plain) return [...words, ...id];
  }
  return undefined;
}

function sentencesMeet(earlier: Edit, later: Edit): boolean {
  if (overlaps(earlier, later)) return true;
  // If an edit only adds or removes a sentence beside an edited sentence, text may have moved from
  // one sentence to the other.
  return later.start === earlier.end && !(isReplacement(earlier) && isReplacement(later));
}

/**
 * Returns true if two edits of words must be decided together. Edits that touch are independent,
 * unless one removes text (see `removes`) or only adds words. In an item that a side rewrote,
 * additions of the other side must always be decided with the rewriting.
 */
function wordsMeet(
  tokens: Passage,
  earlier: Edit,
  side: Side,
  later: Edit,
  rewritten: readonly RewrittenItem[],
): boolean {
  if (overlaps(earlier, later)) return true;
  const first: SideEdit = { edit: earlier, side };
  const second: SideEdit = { edit: later, side: side === "local" ? "remote" : "local" };
  if (rewritesItem(tokens, first, second, rewritten) || rewritesItem(tokens, second, first, rewritten)) return true;
  if (later.start > earlier.end) return false;
  if (removesHiddenOnly(tokens, first) || removesHiddenOnly(tokens, second)) return false;
  const both = [first, second];
  if (both.some((change) => removes(tokens, change))) return true;
  if (both.every(({ edit }) => isReplacement(edit))) return false;
  return both.some((change) => addsWords(tokens, change));
}

/**
 * Returns true if a change removed only comments and ids. The words beside the change do not depend
 * on comments and ids.
 */
function removesHiddenOnly(tokens: Passage, { edit }: SideEdit): boolean {
  if (edit.start === edit.end || edit.from < edit.to) return false;
  return tokens.base.slice(edit.start, edit.end).every(({ text }) => isHiddenToken(text));
}

function isEndOfLine(token: Token | undefined): boolean {
  return /^\n*$/.test(token?.text ?? "");
}

/**
 * Returns true if a change removes text, or joins two lines: this removes the break between them.
 */
function removes(tokens: Passage, change: SideEdit): boolean {
  const { start, end } = change.edit;
  return isRemoval(change.edit) || countBreaks(tokens.base.slice(start, end)) > countBreaks(addedBy(tokens, change));
}

function countBreaks(tokens: readonly Token[]): number {
  return tokens.filter(({ text }) => isLineEnd(text)).length;
}

/**
 * Returns true if a change adds words to a line. The added words belong to the words beside them,
 * so they must not join words that the other side wrote at the same place.
 */
function addsWords(tokens: Passage, change: SideEdit): boolean {
  const { start, end } = change.edit;
  return (
    start === end && !addsLines(tokens, change) && addedBy(tokens, change).some(({ text }) => isWordOrBracket(text))
  );
}

/** Returns true if an addition has whole lines only, and keeps the lines beside it unchanged. */
function addsLines(tokens: Passage, change: SideEdit): boolean {
  const { start } = change.edit;
  const added = addedBy(tokens, change);
  const [before, after] = [tokens.base[start - 1], tokens.base[start]];
  return isEndOfLine(before) ? isEndOfLine(added.at(-1)) : isEndOfLine(after) && isEndOfLine(added[0]);
}

/**
 * Returns tokens whose words neither side changed, with merged white space. If only one side
 * changed the white space of a token, that change is kept. Undefined if both sides changed the
 * white space of a token differently.
 */
function keepTokens({ base, local, remote }: Passage): Token[] | undefined {
  const kept: Token[] = [];
  for (let index = 0; index < base.length; index++) {
    const token = base[index] as Token;
    const space = mergeSpace(token, local[index]?.space ?? token.space, remote[index]?.space ?? token.space);
    if (space === undefined) return undefined;
    kept.push(space === token.space ? token : { ...token, space });
  }
  return kept;
}

function mergeSpace({ space }: Token, local: string, remote: string): string | undefined {
  if (local === space && remote !== local) return remote;
  return local === remote || remote === space ? local : undefined;
}

/**
 * Returns rewritten tokens. The first token gets the white space of the other side, unless the side
 * that rewrote the tokens changed this white space too.
 */
function withSpace(rewritten: readonly Token[], base: readonly Token[], other: readonly Token[]): readonly Token[] {
  const [first, old, space] = [rewritten[0], base[0], other[0]?.space];
  if (first === undefined || old === undefined || space === undefined || first.space !== old.space) return rewritten;
  return [{ ...first, space }, ...rewritten.slice(1)];
}

/**
 * Tokens that are compared as one unit. `from`: index of the first token. `id`: equal for equal
 * words, whatever their white space.
 */
type Unit = { readonly from: number; readonly id: number };

function words(tokens: readonly Token[]): Unit[] {
  return tokens.map(({ id }, from) => ({ from, id }));
}

const STOP = /^[.!?…]$/;
const WIDE_STOP = /^[。！？；]$/;
const CLOSING = /^[)\]"'”’»」』）*_]$/;

/**
 * Splits tokens into sentences at full stops. Structural line breaks and blank lines are units of
 * their own. `keys` numbers the units.
 */
function sentences(tokens: readonly Token[], keys: RunNumbers): Unit[] {
  const ids = tokens.map(({ id }) => id);
  const units: Unit[] = [];
  let from = 0;
  for (let index = 0; index < tokens.length; index++) {
    const text = (tokens[index] as Token).text;
    const alone = text === BREAK || text === BLANK;
    if (from < index && (alone || endsSentence(tokens, index))) {
      units.push({ from, id: keys.id(ids, from, index) });
      from = index;
    }
    if (alone) {
      units.push({ from, id: keys.id(ids, from, index + 1) });
      from = index + 1;
    }
  }
  if (from < tokens.length) units.push({ from, id: keys.id(ids, from, tokens.length) });
  return units;
}

/** Returns true if a sentence ends right before token `index`. */
function endsSentence(tokens: readonly Token[], index: number): boolean {
  let last = index - 1;
  while (last > 0 && tokens[last]?.space === "" && CLOSING.test(tokens[last]?.text ?? "")) last--;
  const stop = tokens[last]?.text ?? "";
  if (WIDE_STOP.test(stop)) return !CLOSING.test(tokens[index]?.text ?? "");
  return STOP.test(stop) && tokens[index]?.space !== "";
}
