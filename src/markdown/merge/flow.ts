import { type Cluster, cluster, isReplacement, type Meets, overlaps, type Side, span } from "./cluster.ts";
import type { Ids } from "./evidence.ts";
import { diff, type Edit, isRemoval } from "./myers.ts";
import type { Reading } from "./reading.ts";
import { OWN_WORD, type Words } from "./evidence.ts";
import { addedBy, type Change, isMeantForOld, type RewrittenItem, rewrittenItems, says } from "./items.ts";
import { sentences, type Unit, words } from "./sentences.ts";
import type { Runs } from "./split.ts";
import { keepTokens, withSpace } from "./spaces.ts";
import { subsumes } from "./subsume.ts";
import { endsLineBefore, isAside, isHeadingId, isLineEnd, newRuns, type Passage, type Token } from "./tokens.ts";

type Grain = "sentences" | "words";

/** A passage cut into units, each with a number: equal for equal words. */
type Flow = {
  readonly grain: Grain;
  readonly tokens: Passage;
  readonly units: { readonly base: readonly Unit[]; readonly local: readonly Unit[]; readonly remote: readonly Unit[] };
  readonly ids: { readonly base: Ids; readonly local: Ids; readonly remote: Ids };
  /** What gave the numbers of sentences; those of words are their tokens'. */
  readonly keys: Runs;
  readonly reading: Reading;
};

type Range = { readonly from: number; readonly to: number };

/**
 * Merges running text: sentences first, then words within the sentences that both sides changed.
 * Undefined where that could be wrong.
 */
export function mergeFlow(passage: Passage, reading: Reading, grain: Grain = "sentences"): Token[] | undefined {
  const flow = flowOf(passage, reading, grain);
  const { ids, units } = flow;
  const local = diff(ids.base, ids.local, reading, endsLineBefore);
  const remote = diff(ids.base, ids.remote, reading, endsLineBefore);
  if (reading.left < 0) return undefined;
  const rewritten = grain === "words" ? rewrittenItems(flow.tokens.base, local, remote) : [];
  const meets: Meets = (earlier, side, later) =>
    grain === "sentences" ? sentencesMeet(earlier, later) : wordsMeet(flow.tokens, earlier, side, later, rewritten);
  const merged: Token[] = [];
  const shift = { local: 0, remote: 0 };
  let at = 0;
  for (const found of cluster(local, remote, meets)) {
    const kept = keepTokens(passageOf(flow, at, found.start, shiftedBy(at, found.start, shift)));
    if (kept === undefined) return undefined;
    const l = span(found.local, found.start, found.end, shift.local);
    const r = span(found.remote, found.start, found.end, shift.remote);
    const settled = settle(flow, found, l, r);
    if (settled === undefined) return undefined;
    merged.push(...kept, ...settled);
    shift.local = l.to - found.end;
    shift.remote = r.to - found.end;
    at = found.end;
  }
  const kept = keepTokens(passageOf(flow, at, units.base.length, shiftedBy(at, units.base.length, shift)));
  return kept === undefined ? undefined : [...merged, ...kept];
}

function flowOf(tokens: Passage, reading: Reading, grain: Grain): Flow {
  const keys = newRuns();
  const split = (some: readonly Token[]): Unit[] => (grain === "sentences" ? sentences(some, keys) : words(some));
  const units = { base: split(tokens.base), local: split(tokens.local), remote: split(tokens.remote) };
  const ids = { base: units.base.map(idOf), local: units.local.map(idOf), remote: units.remote.map(idOf) };
  return { grain, tokens, units, ids, keys, reading };
}

function idOf({ id }: Unit): number {
  return id;
}

/** Where both sides have units [from, to) of the base, which they left as they were. */
function shiftedBy(from: number, to: number, shift: { readonly local: number; readonly remote: number }): Ranges {
  return {
    local: { from: from + shift.local, to: to + shift.local },
    remote: { from: from + shift.remote, to: to + shift.remote },
  };
}

type Ranges = { readonly local: Range; readonly remote: Range };

/** The tokens of units [start, end) of the base, and of what stands for them on both sides. */
function passageOf({ tokens, units }: Flow, start: number, end: number, { local, remote }: Ranges): Passage {
  return {
    base: tokensOf(tokens.base, units.base, start, end),
    local: tokensOf(tokens.local, units.local, local.from, local.to),
    remote: tokensOf(tokens.remote, units.remote, remote.from, remote.to),
  };
}

function tokensOf(tokens: readonly Token[], units: readonly Unit[], from: number, to: number): readonly Token[] {
  const first = units[from]?.from ?? tokens.length;
  return tokens.slice(first, from === to ? first : (units[to]?.from ?? tokens.length));
}

/** The tokens of one cluster; undefined for a conflict. */
function settle(flow: Flow, found: Cluster, local: Range, remote: Range): readonly Token[] | undefined {
  const { grain, ids, keys, reading } = flow;
  const passage = passageOf(flow, found.start, found.end, { local, remote });
  if (found.remote.length === 0) return settleOneSide(flow, passage, passage.local, passage.remote);
  if (found.local.length === 0) return settleOneSide(flow, passage, passage.remote, passage.local);
  const l = { ids: ids.local, edits: found.local, ...local };
  const r = { ids: ids.remote, edits: found.remote, ...remote };
  const said: Words = grain === "words" ? OWN_WORD : { of: (id) => keys.run(id) };
  if (subsumes(ids.base, r, l, said, reading)) return passage.remote;
  if (subsumes(ids.base, l, r, said, reading)) return passage.local;
  if (grain === "sentences") return mergeFlow(passage, reading, "words");
  return withHeadingId(passage);
}

/** The tokens of one side, where the other one changed nothing but, at most, white space. */
function settleOneSide(
  { grain, reading }: Flow,
  passage: Passage,
  mine: readonly Token[],
  other: readonly Token[],
): readonly Token[] {
  const respaced = passage.base.some((token, place) => token.space !== other[place]?.space);
  const finer = grain === "sentences" && respaced ? mergeFlow(passage, reading, "words") : undefined;
  return finer ?? withSpace(mine, passage.base, other);
}

/** Words and a heading's id, added at one place: the id ends its line. */
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
  // An edit that only adds or only removes a sentence next to an edited one may have moved text
  // across.
  return later.start === earlier.end && !(isReplacement(earlier) && isReplacement(later));
}

/**
 * Touching edits of words stand side by side, unless one removes words, or adds some. Wherever they
 * stand in an item that a side rewrote, what the other side adds to it meets the rewriting.
 */
function wordsMeet(
  tokens: Passage,
  earlier: Edit,
  side: Side,
  later: Edit,
  rewritten: readonly RewrittenItem[],
): boolean {
  if (overlaps(earlier, later)) return true;
  const one: Change = { edit: earlier, side };
  const other: Change = { edit: later, side: side === "local" ? "remote" : "local" };
  if (isMeantForOld(tokens, one, other, rewritten) || isMeantForOld(tokens, other, one, rewritten)) return true;
  if (later.start > earlier.end) return false;
  if (dropsAside(tokens, one) || dropsAside(tokens, other)) return false;
  const both = [one, other];
  if (both.some((change) => removes(tokens, change))) return true;
  if (both.every(({ edit }) => isReplacement(edit))) return false;
  return both.some((change) => addsWords(tokens, change));
}

/** Whether a change took away nothing but comments and ids: the words beside them do without. */
function dropsAside(tokens: Passage, { edit }: Change): boolean {
  if (edit.start === edit.end || edit.from < edit.to) return false;
  return tokens.base.slice(edit.start, edit.end).every(({ text }) => isAside(text));
}

function isEndOfLine(token: Token | undefined): boolean {
  return /^\n*$/.test(token?.text ?? "");
}

/** Whether a change takes text away: what took lines together removed what stood between. */
function removes(tokens: Passage, change: Change): boolean {
  const { start, end } = change.edit;
  return isRemoval(change.edit) || countBreaks(tokens.base.slice(start, end)) > countBreaks(addedBy(tokens, change));
}

function countBreaks(tokens: readonly Token[]): number {
  return tokens.filter(({ text }) => isLineEnd(text)).length;
}

/**
 * Whether a change adds words to a line: they say something of the words beside them, so they do
 * not go to what the other side put in place of those.
 */
function addsWords(tokens: Passage, change: Change): boolean {
  const { start, end } = change.edit;
  return start === end && !addsLines(tokens, change) && addedBy(tokens, change).some(({ text }) => says(text));
}

/** Whether a change adds whole lines, and nothing to the lines beside them. */
function addsLines(tokens: Passage, change: Change): boolean {
  const { start, end } = change.edit;
  const added = addedBy(tokens, change);
  if (start < end || added.length === 0) return false;
  const [before, after] = [tokens.base[start - 1], tokens.base[start]];
  return isEndOfLine(before) ? isEndOfLine(added.at(-1)) : isEndOfLine(after) && isEndOfLine(added[0]);
}
