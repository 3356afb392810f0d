import type { Budget } from "./budget.ts";
import { type Cluster, cluster, type Meets, overlaps, type Side, span } from "./cluster.ts";
import { Interner } from "./split.ts";
import { diff, type Edit, isRemoval } from "./myers.ts";
import { sentences, type Unit, words } from "./sentences.ts";
import { subsumes } from "./subsume.ts";
import { transfer } from "./transfer.ts";
import { BLANK, BREAK, isHeadingId, isMark, isWord, type Token } from "./tokens.ts";
import { mergeUrl } from "./urls.ts";

type Grain = "sentences" | "words";
type Texts = { readonly base: readonly Token[]; readonly local: readonly Token[]; readonly remote: readonly Token[] };

/**
 * Merges running text: sentences first, then words within the sentences that both sides changed.
 * Undefined where that could be wrong.
 */
export function mergeFlow(texts: Texts, budget: Budget, grain: Grain = "sentences"): Token[] | undefined {
  const split = grain === "sentences" ? sentences : words;
  const interner = new Interner();
  const units = { base: split(texts.base), local: split(texts.local), remote: split(texts.remote) };
  const ids = {
    base: interner.ids(units.base.map((unit) => unit.key)),
    local: interner.ids(units.local.map((unit) => unit.key)),
    remote: interner.ids(units.remote.map((unit) => unit.key)),
  };
  const [line, blank] = [interner.id(BREAK), interner.id(BLANK)];
  const ends = (id: number): boolean => id === line || id === blank;
  const edits = { local: diff(ids.base, ids.local, budget, ends), remote: diff(ids.base, ids.remote, budget, ends) };
  if (budget.left < 0) return undefined;
  const meets = grain === "sentences" ? sentencesMeet : wordsMeet(units.local, units.remote, texts);
  const merged: Token[] = [];
  const shift = { local: 0, remote: 0 };
  const part = (side: Side, from: number, to: number): readonly Token[] => slice(texts[side], units[side], from, to);
  const keep = (from: number, to: number): boolean => {
    const kept = keepTokens(
      slice(texts.base, units.base, from, to),
      part("local", from + shift.local, to + shift.local),
      part("remote", from + shift.remote, to + shift.remote),
    );
    if (kept !== undefined) merged.push(...kept);
    return kept !== undefined;
  };
  let at = 0;
  for (const found of cluster(edits.local, edits.remote, meets)) {
    if (!keep(at, found.start)) return undefined;
    const l = span(found.local, found.start, found.end, shift.local);
    const r = span(found.remote, found.start, found.end, shift.remote);
    const sides = {
      base: slice(texts.base, units.base, found.start, found.end),
      local: part("local", l.from, l.to),
      remote: part("remote", r.from, r.to),
    };
    const settled = settle(found, sides, ids, { l, r }, grain, (id) => interner.text(id), budget);
    if (settled === undefined) return undefined;
    merged.push(...settled);
    shift.local = l.to - found.end;
    shift.remote = r.to - found.end;
    at = found.end;
  }
  return keep(at, units.base.length) ? merged : undefined;
}

type Range = { readonly from: number; readonly to: number };
type Ids = { readonly base: readonly number[]; readonly local: readonly number[]; readonly remote: readonly number[] };

/** The tokens of one cluster; undefined for a conflict. */
function settle(
  found: Cluster,
  sides: Texts,
  ids: Ids,
  at: { readonly l: Range; readonly r: Range },
  grain: Grain,
  unitText: (id: number) => string,
  budget: Budget,
): readonly Token[] | undefined {
  if (found.remote.length === 0 || found.local.length === 0) {
    const [mine, other] = found.remote.length === 0 ? [sides.local, sides.remote] : [sides.remote, sides.local];
    const respaced = sides.base.some((token, place) => token.space !== other[place]?.space);
    const finer = grain === "sentences" && respaced ? mergeFlow(sides, budget, "words") : undefined;
    return finer ?? withSpace(mine, sides.base, other);
  }
  const local = { ids: ids.local, edits: found.local, ...at.l };
  const remote = { ids: ids.remote, edits: found.remote, ...at.r };
  const said = (id: number): string[] => unitText(id).split("\0");
  if (subsumes(ids.base, remote, local, said, budget)) return sides.remote;
  if (subsumes(ids.base, local, remote, said, budget)) return sides.local;
  if (grain === "sentences") return mergeFlow(sides, budget, "words") ?? transfer(sides, budget);
  return withHeadingId(sides) ?? withUrl(sides);
}

/**
 * Rewritten tokens, with the white space that the other side gave the first of them unless the
 * rewriter changed it too.
 */
function withSpace(rewritten: readonly Token[], base: readonly Token[], other: readonly Token[]): readonly Token[] {
  const [first, old, space] = [rewritten[0], base[0], other[0]?.space];
  if (first === undefined || old === undefined || space === undefined || first.space !== old.space) return rewritten;
  return [{ ...first, space }, ...rewritten.slice(1)];
}

/** Words and a heading's id, added at one place: the id ends its line. */
function withHeadingId({ base, local, remote }: Texts): readonly Token[] | undefined {
  if (base.length > 0) return undefined;
  for (const [id, words] of [
    [local, remote],
    [remote, local],
  ] as const) {
    const plain = words.every(({ text }) => text !== BREAK && text !== BLANK && !isHeadingId(text));
    if (id.length === 1 && isHeadingId(id[0]?.text ?? "") && plain) return [...words, ...id];
  }
  return undefined;
}

/** An address that both sides changed. */
function withUrl({ base, local, remote }: Texts): readonly Token[] | undefined {
  const [was, mine, theirs] = [base[0], local[0], remote[0]];
  if (base.length !== 1 || local.length !== 1 || remote.length !== 1) return undefined;
  if (was === undefined || mine === undefined || theirs === undefined) return undefined;
  const text = mergeUrl(was.text, mine.text, theirs.text);
  return text === undefined ? undefined : [{ text, space: mine.space === was.space ? theirs.space : mine.space }];
}

function sentencesMeet(earlier: Edit, _side: Side, later: Edit): boolean {
  if (overlaps(earlier, later)) return true;
  if (later.start > earlier.end) return false;
  // An edit that only adds or only removes a sentence next to an edited one may have moved text
  // across.
  return !isReplacement(earlier) || !isReplacement(later);
}

/**
 * Touching edits of words stand side by side, unless one removes, or an added piece shares words
 * with the other.
 */
function wordsMeet(local: readonly Unit[], remote: readonly Unit[], texts: Texts): Meets {
  const added = (edit: Edit, side: Side): string[] =>
    slice(texts[side], side === "local" ? local : remote, edit.from, edit.to)
      .map((token) => token.text)
      .filter((text) => isWord(text) || isMark(text));
  const breaks = (tokens: readonly Token[]): number =>
    tokens.filter(({ text }) => text === BREAK || text === BLANK).length;
  // What makes a line a quote or an item was meant for the word that it stands before.
  const leads = (edit: Edit, side: Side): boolean =>
    edit.start === edit.end && texts[side].slice(edit.from, edit.to).some((token) => token.leads === true);
  // What took lines together removed what stood between them.
  const removes = (edit: Edit, side: Side): boolean =>
    isRemoval(edit) || breaks(texts.base.slice(edit.start, edit.end)) > breaks(texts[side].slice(edit.from, edit.to));
  const endsLine = (at: number): boolean => /^\n*$/.test(texts.base[at]?.text ?? "");
  const leadsAt = (at: number): boolean => texts.base[at]?.leads === true;
  // What was added to a line belongs to its words, of which none is left; a heading's id belongs to
  // the heading.
  const losesLine = (added: Edit, side: Side, edit: Edit): boolean => {
    if (added.start !== added.end || !isReplacement(edit) || !endsLine(edit.end)) return false;
    if (!leadsAt(edit.start - 1)) return endsLine(edit.start - 1);
    return !texts[side].slice(added.from, added.to).every(({ text }) => isHeadingId(text));
  };
  return (earlier, side, later) => {
    if (overlaps(earlier, later)) return true;
    if (later.start > earlier.end) return false;
    const otherSide = side === "local" ? "remote" : "local";
    if (losesLine(earlier, side, later) || losesLine(later, otherSide, earlier)) return true;
    if (removes(earlier, side) || removes(later, otherSide)) return true;
    if (isReplacement(earlier) && isReplacement(later)) return false;
    if (leads(earlier, side) || leads(later, otherSide)) return true;
    const words = new Set(added(earlier, side));
    return added(later, otherSide).some((word) => words.has(word));
  };
}

function isReplacement(edit: Edit): boolean {
  return edit.start < edit.end && edit.from < edit.to;
}

function slice(tokens: readonly Token[], units: readonly Unit[], from: number, to: number): readonly Token[] {
  const first = units[from]?.from ?? tokens.length;
  return tokens.slice(first, from === to ? first : (units[to]?.from ?? tokens.length));
}

/** Tokens that neither side changed, each with the white space of the side that changed it. */
function keepTokens(base: readonly Token[], local: readonly Token[], remote: readonly Token[]): Token[] | undefined {
  const kept: Token[] = [];
  for (const [at, token] of base.entries()) {
    const { text, space } = token;
    const l = local[at]?.space ?? space;
    const r = remote[at]?.space ?? space;
    if (l === r || r === space) kept.push({ ...token, space: l });
    else if (l === space) kept.push({ ...token, space: r });
    else if (isFolded(l, r, text)) kept.push({ ...token, space: l });
    else return undefined;
  }
  return kept;
}

/** Whether two spaces differ only in where a running line is broken. */
function isFolded(l: string, r: string, text: string): boolean {
  return text === BREAK || (/^[ \n]+$/.test(l) && /^[ \n]+$/.test(r) && (l === " " || r === " " || l === r));
}
