/**
 * Computes the search keys of documents, which are hash values of:
 * - every three adjacent characters of the path and the content
 * - every word of one or two characters
 * - in scripts without spaces, every character and every two adjacent characters
 * - every word of the path, the title and the headings, with another hash, so that a search can
 *   look for a frequent word only in these
 *
 * An index of these keys finds documents that may match a query. The search then reads each of
 * these documents to decide.
 */
import { findFrontMatter, readHeadings } from "../outline/outline.ts";
import { foldText, type QueryUnit, splitIntoPairs, splitIntoUnits } from "./words.ts";

/** Searched parts of a path. `name`: file name without `.md`. `folders`: path of the folder. */
type PathFields = { readonly name: string; readonly folders: string };

export function readPathFields(path: string): PathFields {
  const lastSlash = path.lastIndexOf("/");
  return { name: path.slice(lastSlash + 1).replace(/\.md$/, ""), folders: path.slice(0, Math.max(0, lastSlash)) };
}

const TITLE_LINE = /^title[ \t]*[:=].*/gim;

/** Returns the title from the front matter, then the headings, one per line. */
export function readTitles(text: string): string {
  const frontMatter = findFrontMatter(text);
  const titles = frontMatter === null ? [] : (text.slice(frontMatter.from, frontMatter.to).match(TITLE_LINE) ?? []);
  return [...titles, ...readHeadings(text).map(({ name }) => name)].join("\n");
}

/**
 * A set of documents, given by the keys that a document must have. The set contains every matching
 * document. The set may contain other documents, because different strings can have the same hash.
 * - `any`: all documents
 * - `with`: documents with all of these keys
 * - `each`: documents that are in all of these sets
 * - `one`: documents that are in at least one of these sets
 */
export type KeySet =
  | { readonly kind: "any" }
  | { readonly kind: "with"; readonly keys: readonly number[] }
  | { readonly kind: "each" | "one"; readonly of: readonly KeySet[] };

const ANY_KEYS: KeySet = { kind: "any" };
const GRAM_LENGTH = 3;
/**
 * LIMIT: number of keys with which one word or string is looked up. Further keys would exclude few
 * documents.
 */
const MAX_LOOKUP_KEYS = 12;

/**
 * Initial values of the hash function FNV-1a: one for words in contents, one for words in titles.
 * So a word has different hashes in a content and in a title.
 */
const TEXT_SEED = 0x811c9dc5;
const TITLE_SEED = 0x01000193;
const HASH_PRIME = 0x01000193;

type KeyedPart = { readonly keys: ReadonlySet<number>; readonly characters: number };

/**
 * Yields the keys of a document in parts, so that other tasks can run between the parts. Two parts
 * may have keys in common.
 */
export function* generateKeyParts(path: string, text: string): Generator<KeyedPart, void> {
  const { name, folders } = readPathFields(path);
  const pathText = `${folders}\n${name}`;
  yield* computePartKeys(path, addContentKeys);
  yield* computePartKeys(pathText, addUnitKeys, addTitleKeys);
  yield* computePartKeys(text, addContentKeys, addUnitKeys);
  yield* computePartKeys(readTitles(text), addTitleKeys);
}

type KeyAdder = (keys: Set<number>, text: string) => void;

/** LIMIT: number of UTF-16 units in one part of a document, so that other tasks can run soon. */
const PART_LENGTH = 2_000;
/**
 * Number of UTF-16 units that two consecutive parts share. So each word is complete in at least one
 * part. If the other part cuts the word, the cut word adds some needless keys.
 */
const PART_OVERLAP = 256;

function* computePartKeys(text: string, ...adds: readonly KeyAdder[]): Generator<KeyedPart, void> {
  for (let from = 0; from === 0 || from + PART_OVERLAP < text.length; from += PART_LENGTH) {
    const part = text.slice(from, from + PART_LENGTH + PART_OVERLAP);
    const keys = new Set<number>();
    for (const add of adds) add(keys, part);
    yield { keys, characters: part.length };
  }
}

function addContentKeys(keys: Set<number>, text: string): void {
  addKeysOfLength(keys, foldText(text), GRAM_LENGTH);
}

function addUnitKeys(keys: Set<number>, text: string): void {
  for (const unit of splitIntoUnits(text)) {
    if (unit.kind === "run") addRunKeys(keys, unit.text, TEXT_SEED);
    // Only short words need a key of their own. Longer words are found by the keys of their
    // characters.
    else if (isWholeWordOnly(unit.text)) keys.add(hashString(unit.text));
  }
}

function addTitleKeys(keys: Set<number>, text: string): void {
  for (const unit of splitIntoUnits(text)) {
    if (unit.kind === "run") addRunKeys(keys, unit.text, TITLE_SEED);
    else keys.add(hashString(unit.text, TITLE_SEED));
  }
}

function addRunKeys(keys: Set<number>, run: string, seed: number): void {
  addKeysOfLength(keys, run, 1, seed);
  addKeysOfLength(keys, run, 2, seed);
}

function addKeysOfLength(keys: Set<number>, text: string, length: number, seed: number = TEXT_SEED): void {
  const isAstral = /[\ud800-\udfff]/.test(text);
  const nextOffset = (offset: number) => offset + (isAstral && text.codePointAt(offset)! > 0xffff ? 2 : 1);
  let to = 0;
  for (let n = 0; n < length; n++) to = nextOffset(to);
  for (let from = 0; to <= text.length; from = nextOffset(from)) {
    keys.add(hashRange(text, from, to, seed));
    to = nextOffset(to);
  }
}

function hashString(token: string, seed: number = TEXT_SEED): number {
  return hashRange(token, 0, token.length, seed);
}

function hashRange(text: string, from: number, to: number, seed: number): number {
  let hash = seed;
  for (let offset = from; offset < to; offset++) hash = Math.imul(hash ^ text.charCodeAt(offset), HASH_PRIME);
  return hash | 0;
}

/**
 * Returns true if a word has fewer than three characters. Such a word is only searched as a whole
 * word, because as a part of other words it would occur nearly everywhere.
 */
export function isWholeWordOnly(word: string): boolean {
  return word.length < 2 * GRAM_LENGTH && [...foldText(word)].length < GRAM_LENGTH;
}

/**
 * Returns the documents that are in all sets. Joins the keys of several sets into one list. SQLite
 * begins with the rarest key of the list, and so skips most documents of the frequent keys.
 */
export function intersectSets(sets: readonly KeySet[]): KeySet {
  const keys = new Set(sets.flatMap((set) => (set.kind === "with" ? set.keys : [])));
  const otherSets = sets.filter(({ kind }) => kind === "each" || kind === "one");
  const knownSets: KeySet[] = keys.size === 0 ? otherSets : [{ kind: "with", keys: [...keys] }, ...otherSets];
  return knownSets.length > 1 ? { kind: "each", of: knownSets } : (knownSets[0] ?? ANY_KEYS);
}

function uniteSets(sets: readonly KeySet[]): KeySet {
  if (sets.some(({ kind }) => kind === "any")) return ANY_KEYS;
  return sets.length === 1 ? sets[0]! : { kind: "one", of: sets };
}

/**
 * Returns the documents that may contain a unit. A unit is a word, which may be a part of another
 * word, or characters of a script without spaces.
 */
export function documentsWithUnit({ kind, text }: QueryUnit): KeySet {
  if (kind === "run") return createKeySet(splitIntoPairs(text).map((token) => hashString(token)));
  return isWholeWordOnly(text) ? createKeySet([hashString(text)]) : documentsWithLiteral(text);
}

/** Returns the documents that may contain a unit in a title. A title is a path or a heading. */
export function documentsWithTitle({ kind, text }: QueryUnit): KeySet {
  const tokens = kind === "word" ? [text] : splitIntoPairs(text);
  return createKeySet(tokens.map((token) => hashString(token, TITLE_SEED)));
}

export function documentsWithLiteral(literal: string): KeySet {
  const keys = new Set<number>();
  addKeysOfLength(keys, foldText(literal), GRAM_LENGTH);
  return createKeySet([...keys]);
}

/**
 * Strings that each match of a regex contains, in the form of the package `re2js`: the string
 * `str`, or all or one of `subs`.
 */
export type RequiredText = { readonly type: number; readonly str: string; readonly subs: readonly RequiredText[] };

/** Values of `type` in the package `re2js`. Any other value requires no string. */
const REQUIREMENT_TYPES = { text: 1, all: 2, any: 3 } as const;

/** LIMIT: depth of nested requirements. FTS5 refuses queries with deeper nesting. */
const MAX_REQUIREMENT_DEPTH = 16;

export function documentsWithRequired({ type, str, subs }: RequiredText, depth = 0): KeySet {
  if (depth === MAX_REQUIREMENT_DEPTH) return ANY_KEYS;
  if (type === REQUIREMENT_TYPES.text) return documentsWithLiteral(str);
  const sets = subs.map((part) => documentsWithRequired(part, depth + 1));
  if (type === REQUIREMENT_TYPES.all) return intersectSets(sets);
  return type === REQUIREMENT_TYPES.any ? uniteSets(sets) : ANY_KEYS;
}

function createKeySet(keys: readonly number[]): KeySet {
  if (keys.length === 0) return ANY_KEYS;
  const step = Math.max(1, keys.length / MAX_LOOKUP_KEYS);
  const chosenKeys = Array.from(
    { length: Math.min(keys.length, MAX_LOOKUP_KEYS) },
    (_, i) => keys[Math.floor(i * step)]!,
  );
  return { kind: "with", keys: chosenKeys };
}
