/**
 * Computes the keys of documents, which are hashes. A document has a key for every three adjacent
 * characters of its folded path or text, and for every shorter word. It also has one for every
 * character and pair of a script without spaces. Words of the path and of headings have a second
 * key, so that titles are found even for very frequent words.
 *
 * Keys narrow a search in any script; the documents found are then read and judged.
 */

import { titlesOf, pathFieldsOf } from "./fields.ts";
import { foldText } from "./fold.ts";
import { pairsOf, type Unit, unitsOf } from "./tokens.ts";

/**
 * A set of documents, described by keys. It may include too many documents, since hashes can
 * collide, but never too few. `any`: every document may be in the set.
 */
export type KeySet =
  | { readonly kind: "any" }
  | { readonly kind: "with"; readonly keys: readonly number[] }
  | { readonly kind: "each" | "one"; readonly of: readonly KeySet[] };

const ANY_KEYS: KeySet = { kind: "any" };
/** Characters per key. */
const GRAM_LENGTH = 3;
/** LIMIT: keys for looking up one word or literal. More keys would hardly narrow the set. */
const MAX_KEYS = 12;

/** Start values of the hashes (FNV-1a offset basis). Keys of titles have their own. */
const TEXT_SEED = 0x811c9dc5;
const TITLE_SEED = 0x01000193;
const PRIME = 0x01000193;

/** Returns all keys of a document. */
export function keysOf(path: string, text: string): Set<number> {
  const all = new Set<number>();
  for (const { keys } of keysInParts(path, text)) for (const key of keys) all.add(key);
  return all;
}

/** The keys of a part of a document: at most three per character. */
type KeyedPart = { readonly keys: ReadonlySet<number>; readonly characters: number };

/** Yields all keys of a document in bounded parts. Two parts may have a key in common. */
export function* keysInParts(path: string, text: string): Generator<KeyedPart, void> {
  const { name, folders } = pathFieldsOf(path);
  const called = `${folders}\n${name}`;
  yield* eachPart(path, addGrams);
  yield* eachPart(called, addUnits, addTitles);
  yield* eachPart(text, addGrams, addUnits);
  yield* eachPart(titlesOf(text), addTitles);
}

type AddKeys = (keys: Set<number>, text: string) => void;

/** LIMIT: UTF-16 units of content that are turned into keys in one part. */
const PART = 2_000;
/**
 * UTF-16 units that two consecutive parts share. So the longest unit with a key, a word of a
 * heading, is complete in one of them. A word that is cut also gets keys of its fragments, which
 * only widens the set.
 */
const OVERLAP = 256;

function* eachPart(text: string, ...adds: readonly AddKeys[]): Generator<KeyedPart, void> {
  for (let from = 0; from === 0 || from + OVERLAP < text.length; from += PART) {
    const part = text.slice(from, from + PART + OVERLAP);
    const keys = new Set<number>();
    for (const add of adds) add(keys, part);
    yield { keys, characters: part.length };
  }
}

function addGrams(keys: Set<number>, text: string): void {
  addSpans(keys, foldText(text), GRAM_LENGTH);
}

function addUnits(keys: Set<number>, text: string): void {
  for (const unit of unitsOf(text)) {
    if (unit.kind === "run") addRun(keys, unit.text, TEXT_SEED);
    // A longer word is found by its trigrams.
    else if (isWholeWordOnly(unit.text)) keys.add(keyOf(unit.text));
  }
}

function addTitles(keys: Set<number>, text: string): void {
  for (const unit of unitsOf(text)) {
    if (unit.kind === "run") addRun(keys, unit.text, TITLE_SEED);
    else keys.add(keyOf(unit.text, TITLE_SEED));
  }
}

/** Adds a key for each character, and for each pair of adjacent characters. */
function addRun(keys: Set<number>, run: string, seed: number): void {
  addSpans(keys, run, 1, seed);
  addSpans(keys, run, 2, seed);
}

/** Adds a key for every `length` adjacent code points. */
function addSpans(keys: Set<number>, text: string, length: number, seed: number = TEXT_SEED): void {
  const isAstral = /[\ud800-\udfff]/.test(text);
  const nextOffset = (offset: number) => offset + (isAstral && text.codePointAt(offset)! > 0xffff ? 2 : 1);
  let to = 0;
  for (let n = 0; n < length; n++) to = nextOffset(to);
  for (let from = 0; to <= text.length; from = nextOffset(from)) {
    keys.add(hashOf(text, from, to, seed));
    to = nextOffset(to);
  }
}

function keyOf(token: string, seed: number = TEXT_SEED): number {
  return hashOf(token, 0, token.length, seed);
}

function hashOf(text: string, from: number, to: number, seed: number = TEXT_SEED): number {
  let hash = seed;
  for (let offset = from; offset < to; offset++) hash = Math.imul(hash ^ text.charCodeAt(offset), PRIME);
  return hash | 0;
}

/**
 * Returns true if a word is searched only as a whole word, because parts of longer words would
 * match nearly everywhere.
 */
export function isWholeWordOnly(word: string): boolean {
  return word.length < 2 * GRAM_LENGTH && [...foldText(word)].length < GRAM_LENGTH;
}

/**
 * Returns the intersection of sets. Keys of several sets are combined in one: the database then
 * starts with the rare keys, and does not scan the documents of common ones.
 */
export function intersectionOf(sets: readonly KeySet[]): KeySet {
  const keys = new Set(sets.flatMap((set) => (set.kind === "with" ? set.keys : [])));
  const others = sets.filter(({ kind }) => kind === "each" || kind === "one");
  const known: KeySet[] = keys.size === 0 ? others : [{ kind: "with", keys: [...keys] }, ...others];
  return known.length > 1 ? { kind: "each", of: known } : (known[0] ?? ANY_KEYS);
}

function unionOf(sets: readonly KeySet[]): KeySet {
  if (sets.some(({ kind }) => kind === "any")) return ANY_KEYS;
  return sets.length === 1 ? sets[0]! : { kind: "one", of: sets };
}

/** Returns the set of documents with a unit: a word, a part of a word, or a run. */
export function documentsWithUnit({ kind, text }: Unit): KeySet {
  if (kind === "run") return withKeys(pairsOf(text).map((token) => keyOf(token)));
  return isWholeWordOnly(text) ? withKeys([keyOf(text)]) : documentsWithLiteral(text);
}

/** Returns the set of documents with a word or run in their path or a heading. */
export function documentsWithTitle({ kind, text }: Unit): KeySet {
  const tokens = kind === "word" ? [text] : pairsOf(text);
  return withKeys(tokens.map((token) => keyOf(token, TITLE_SEED)));
}

/** Returns the set of documents with a text as typed, ignoring case and marks. */
export function documentsWithLiteral(literal: string): KeySet {
  const keys = new Set<number>();
  addSpans(keys, foldText(literal), GRAM_LENGTH);
  return withKeys([...keys]);
}

/**
 * Text that each match of a regex contains, by re2js: `str`, or what all or any of `subs` require.
 */
export type RequiredText = { readonly type: number; readonly str: string; readonly subs: readonly RequiredText[] };

/** The types of required text in re2js; any other type requires nothing. */
const REQUIRED = { text: 1, all: 2, any: 3 } as const;

/** LIMIT: nesting depth of required text; the index accepts no deeper expressions. */
const MAX_DEPTH = 16;

/** Returns the documents with all text that a match of the regex requires: only these can match. */
export function documentsWithRequired({ type, str, subs }: RequiredText, depth = 0): KeySet {
  if (depth === MAX_DEPTH) return ANY_KEYS;
  if (type === REQUIRED.text) return documentsWithLiteral(str);
  const sets = subs.map((part) => documentsWithRequired(part, depth + 1));
  if (type === REQUIRED.all) return intersectionOf(sets);
  return type === REQUIRED.any ? unionOf(sets) : ANY_KEYS;
}

function withKeys(keys: readonly number[]): KeySet {
  if (keys.length === 0) return ANY_KEYS;
  const step = Math.max(1, keys.length / MAX_KEYS);
  const chosen = Array.from({ length: Math.min(keys.length, MAX_KEYS) }, (_, i) => keys[Math.floor(i * step)]!);
  return { kind: "with", keys: chosen };
}
