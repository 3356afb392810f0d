/**
 * Computes the search keys of documents, which are hash values of:
 * - every three adjacent characters of the path and the content
 * - every word of one or two characters
 * - every character, and every two adjacent ones, in scripts without spaces
 * - every word of the path and the headings, with another hash, so that a frequent word can be
 *   searched in titles only
 *
 * An index of these keys finds documents that may match a query. The search then reads each of them
 * to decide.
 */

import { titlesOf, pathFieldsOf } from "./fields.ts";
import { foldText } from "./fold.ts";
import { pairsOf, type Unit, unitsOf } from "./tokens.ts";

/**
 * A set of documents, given by the keys that they must have. It never lacks a matching document,
 * but may have others, because different strings can have the same hash.
 * - `any`: all documents
 * - `with`: documents with all of these keys
 * - `each`, `one`: documents that are in all, or in at least one, of these sets
 */
export type KeySet =
  | { readonly kind: "any" }
  | { readonly kind: "with"; readonly keys: readonly number[] }
  | { readonly kind: "each" | "one"; readonly of: readonly KeySet[] };

const ANY_KEYS: KeySet = { kind: "any" };
/** Number of characters in one key. */
const GRAM_LENGTH = 3;
/**
 * LIMIT: keys with which one word or string is looked up. More keys would exclude few documents.
 */
const MAX_KEYS = 12;

/** Initial values of the hash function FNV-1a. Words of titles have another value than contents. */
const TEXT_SEED = 0x811c9dc5;
const TITLE_SEED = 0x01000193;
const PRIME = 0x01000193;

/** Returns all keys of a document. */
export function keysOf(path: string, text: string): Set<number> {
  const all = new Set<number>();
  for (const { keys } of keysInParts(path, text)) for (const key of keys) all.add(key);
  return all;
}

/** Keys of a part of a document. `characters`: length of that part. */
type KeyedPart = { readonly keys: ReadonlySet<number>; readonly characters: number };

/**
 * Yields the keys of a document in parts, so that other work can run in between. Parts may have
 * keys in common.
 */
export function* keysInParts(path: string, text: string): Generator<KeyedPart, void> {
  const { name, folders } = pathFieldsOf(path);
  const called = `${folders}\n${name}`;
  yield* eachPart(path, addGrams);
  yield* eachPart(called, addUnits, addTitles);
  yield* eachPart(text, addGrams, addUnits);
  yield* eachPart(titlesOf(text), addTitles);
}

type AddKeys = (keys: Set<number>, text: string) => void;

/** LIMIT: UTF-16 units of a document for one part. */
const PART = 2_000;
/**
 * Number of UTF-16 units that two consecutive parts share, so that every word is complete in one of
 * them. A word that is cut in the other part adds some needless keys.
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
    // Longer words are found by the keys of their characters.
    else if (isWholeWordOnly(unit.text)) keys.add(keyOf(unit.text));
  }
}

function addTitles(keys: Set<number>, text: string): void {
  for (const unit of unitsOf(text)) {
    if (unit.kind === "run") addRun(keys, unit.text, TITLE_SEED);
    else keys.add(keyOf(unit.text, TITLE_SEED));
  }
}

/** Adds a key for each character, and for each two adjacent characters. */
function addRun(keys: Set<number>, run: string, seed: number): void {
  addSpans(keys, run, 1, seed);
  addSpans(keys, run, 2, seed);
}

/** Adds a key for each `length` adjacent code points. */
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
 * Returns true if a word has fewer than three characters. Such a word is only searched as a whole
 * word, because as a part it would occur nearly everywhere.
 */
export function isWholeWordOnly(word: string): boolean {
  return word.length < 2 * GRAM_LENGTH && [...foldText(word)].length < GRAM_LENGTH;
}

/**
 * Returns the documents that are in all sets. The keys of several sets become one list: SQLite then
 * begins with the rarest key, and skips most documents of frequent ones.
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

/**
 * Returns the documents that may have a unit: a word, also as a part of another word, or characters
 * of a script without spaces.
 */
export function documentsWithUnit({ kind, text }: Unit): KeySet {
  if (kind === "run") return withKeys(pairsOf(text).map((token) => keyOf(token)));
  return isWholeWordOnly(text) ? withKeys([keyOf(text)]) : documentsWithLiteral(text);
}

/** Returns the documents that may have a unit in their path or in a heading. */
export function documentsWithTitle({ kind, text }: Unit): KeySet {
  const tokens = kind === "word" ? [text] : pairsOf(text);
  return withKeys(tokens.map((token) => keyOf(token, TITLE_SEED)));
}

/** Returns the documents that may contain a string; case and accents are ignored. */
export function documentsWithLiteral(literal: string): KeySet {
  const keys = new Set<number>();
  addSpans(keys, foldText(literal), GRAM_LENGTH);
  return withKeys([...keys]);
}

/**
 * Strings that each match of a regex contains, in the form of the package `re2js`: the string
 * `str`, or all or one of `subs`.
 */
export type RequiredText = { readonly type: number; readonly str: string; readonly subs: readonly RequiredText[] };

/** Values of `type` in the package `re2js`. With any other value, no string is required. */
const REQUIRED = { text: 1, all: 2, any: 3 } as const;

/** LIMIT: depth of nested requirements. FTS5 refuses queries that are nested deeper. */
const MAX_DEPTH = 16;

/**
 * Returns the documents that may match a regex: those with the strings that each match contains.
 */
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
