import {
  isReplacement,
  isUnchanged,
  type RelatedEditsTest,
  doOverlap,
  type MergePart,
  splitIntoParts,
  type ElementRange,
  type VersionRanges,
  type MergeSide,
} from "./edits.ts";
import { type ElementIds, includesAllChanges, readAsOneWord, type WordReader } from "./evidence.ts";
import {
  readAddedTokens,
  type SideEdit,
  rewritesItem,
  type RewrittenItem,
  findRewrittenItems,
  isWordOrBracket,
} from "./items.ts";
import { diff, type Edit, isRemoval } from "./diff.ts";
import type { MergeReading } from "./reading.ts";
import type { SequenceNumbers } from "./split.ts";
import {
  BLANK_LINE,
  LINE_BREAK,
  endsLineBefore,
  isHiddenToken,
  isHeadingId,
  isLineEnd,
  createSentenceNumbers,
  type TokenPassage,
  type Token,
} from "./tokens.ts";

type UnitSize = "sentences" | "words";

/**
 * Three versions of a passage, split into units: sentences or words. Units with equal words have
 * equal numbers.
 */
type SplitPassage = {
  readonly size: UnitSize;
  readonly tokens: TokenPassage;
  readonly units: {
    readonly base: readonly TextUnit[];
    readonly local: readonly TextUnit[];
    readonly remote: readonly TextUnit[];
  };
  readonly ids: { readonly base: ElementIds; readonly local: ElementIds; readonly remote: ElementIds };
  readonly keys: SequenceNumbers;
  readonly reading: MergeReading;
};

/**
 * Merges running text by sentences. Sentences that both sides changed are merged by words. Returns
 * undefined for a conflict.
 */
export function mergeRunningText(
  passage: TokenPassage,
  reading: MergeReading,
  size: UnitSize = "sentences",
): Token[] | undefined {
  const splitText = splitPassage(passage, reading, size);
  const { ids } = splitText;
  const local = diff(ids.base, ids.local, reading, endsLineBefore);
  const remote = diff(ids.base, ids.remote, reading, endsLineBefore);
  if (reading.left < 0) return undefined;
  const rewrittenItems = size === "words" ? findRewrittenItems(splitText.tokens.base, local, remote) : [];
  const areRelated: RelatedEditsTest = (earlier, side, later) =>
    size === "sentences"
      ? areSentenceEditsRelated(earlier, later)
      : areWordEditsRelated(splitText.tokens, earlier, side, later, rewrittenItems);
  const rangeOfAll = (some: ElementIds) => ({ from: 0, to: some.length });
  const wholeRanges = { base: rangeOfAll(ids.base), local: rangeOfAll(ids.local), remote: rangeOfAll(ids.remote) };
  const mergedTokens: Token[] = [];
  for (const part of splitIntoParts(wholeRanges, { local, remote }, areRelated)) {
    const passage = readPartTokens(splitText, part);
    const mergedPart = isUnchanged(part) ? mergeUnchangedTokens(passage) : mergeChangedPart(splitText, part, passage);
    if (mergedPart === undefined) return undefined;
    mergedTokens.push(...mergedPart);
  }
  return mergedTokens;
}

function splitPassage(tokens: TokenPassage, reading: MergeReading, size: UnitSize): SplitPassage {
  const keys = createSentenceNumbers();
  const splitVersion = (all: readonly Token[]): TextUnit[] =>
    size === "sentences" ? splitIntoSentences(all, keys) : splitIntoWords(all);
  const units = {
    base: splitVersion(tokens.base),
    local: splitVersion(tokens.local),
    remote: splitVersion(tokens.remote),
  };
  const ids = { base: units.base.map(readId), local: units.local.map(readId), remote: units.remote.map(readId) };
  return { size, tokens, units, ids, keys, reading };
}

function readId({ id }: TextUnit): number {
  return id;
}

function readPartTokens({ tokens, units }: SplitPassage, { base, local, remote }: VersionRanges): TokenPassage {
  return {
    base: readUnitTokens(tokens.base, units.base, base),
    local: readUnitTokens(tokens.local, units.local, local),
    remote: readUnitTokens(tokens.remote, units.remote, remote),
  };
}

function readUnitTokens(
  tokens: readonly Token[],
  units: readonly TextUnit[],
  { from, to }: ElementRange,
): readonly Token[] {
  const firstToken = units[from]?.from ?? tokens.length;
  return tokens.slice(firstToken, from === to ? firstToken : (units[to]?.from ?? tokens.length));
}

function mergeChangedPart(
  splitText: SplitPassage,
  { local, remote, edits }: MergePart,
  passage: TokenPassage,
): readonly Token[] | undefined {
  const { size, ids, keys, reading } = splitText;
  if (edits.remote.length === 0) return mergeOneSide(splitText, passage, passage.local, passage.remote);
  if (edits.local.length === 0) return mergeOneSide(splitText, passage, passage.remote, passage.local);
  const localSide = { ids: ids.local, edits: edits.local, ...local };
  const remoteSide = { ids: ids.remote, edits: edits.remote, ...remote };
  const wordsOfUnit: WordReader = size === "words" ? readAsOneWord : (id) => keys.run(id);
  if (includesAllChanges(ids.base, remoteSide, localSide, wordsOfUnit, reading)) return passage.remote;
  if (includesAllChanges(ids.base, localSide, remoteSide, wordsOfUnit, reading)) return passage.local;
  if (size === "sentences") return mergeRunningText(passage, reading, "words");
  return appendHeadingId(passage);
}

/**
 * Merges a part in which one side (`other`) changed nothing, or only white space. Merges this white
 * space word by word. If that merge fails, keeps only the white space of `other` before the first
 * token.
 */
function mergeOneSide(
  { size, reading }: SplitPassage,
  passage: TokenPassage,
  mine: readonly Token[],
  other: readonly Token[],
): readonly Token[] {
  const isSpaceChanged = passage.base.some((token, place) => token.space !== other[place]?.space);
  const finerMerge = size === "sentences" && isSpaceChanged ? mergeRunningText(passage, reading, "words") : undefined;
  return finerMerge ?? keepOtherSpace(mine, passage.base, other);
}

/**
 * Merges a part in which one side added words, and the other side added a heading id at the same
 * position. Returns the words, then the id; undefined for any other part.
 */
function appendHeadingId({ base, local, remote }: TokenPassage): readonly Token[] | undefined {
  if (base.length > 0) return undefined;
  for (const [id, words] of [
    [local, remote],
    [remote, local],
  ] as const) {
    const areOnlyWords = words.every(({ text }) => !isLineEnd(text) && !isHeadingId(text));
    if (id.length === 1 && isHeadingId(id[0]?.text ?? "") && areOnlyWords) return [...words, ...id];
  }
  return undefined;
}

function areSentenceEditsRelated(earlier: Edit, later: Edit): boolean {
  if (doOverlap(earlier, later)) return true;
  // If one side adds or removes a sentence beside a sentence that the other side edited, words may
  // have moved between the two sentences.
  return later.start === earlier.end && !(isReplacement(earlier) && isReplacement(later));
}

/**
 * Returns true if two edits of words must be merged together. An edit that removes only comments or
 * heading ids is independent of edits that touch it. Other edits must be merged together in these
 * cases:
 * - they overlap
 * - one edit adds words to an item that the other edit rewrote
 * - they touch, and one of them removes words or only adds words
 */
function areWordEditsRelated(
  tokens: TokenPassage,
  earlier: Edit,
  side: MergeSide,
  later: Edit,
  rewritten: readonly RewrittenItem[],
): boolean {
  if (doOverlap(earlier, later)) return true;
  const earlierEdit: SideEdit = { edit: earlier, side };
  const laterEdit: SideEdit = { edit: later, side: side === "local" ? "remote" : "local" };
  if (
    rewritesItem(tokens, earlierEdit, laterEdit, rewritten) ||
    rewritesItem(tokens, laterEdit, earlierEdit, rewritten)
  )
    return true;
  if (later.start > earlier.end) return false;
  if (removesHiddenOnly(tokens, earlierEdit) || removesHiddenOnly(tokens, laterEdit)) return false;
  const bothEdits = [earlierEdit, laterEdit];
  if (bothEdits.some((change) => removesWords(tokens, change))) return true;
  if (bothEdits.every(({ edit }) => isReplacement(edit))) return false;
  return bothEdits.some((change) => addsWords(tokens, change));
}

/**
 * Returns true if an edit removes only comments and heading ids. Such an edit does not change the
 * meaning of the words beside them.
 */
function removesHiddenOnly(tokens: TokenPassage, { edit }: SideEdit): boolean {
  if (edit.start === edit.end || edit.from < edit.to) return false;
  return tokens.base.slice(edit.start, edit.end).every(({ text }) => isHiddenToken(text));
}

function isEndOfLine(token: Token | undefined): boolean {
  return /^\n*$/.test(token?.text ?? "");
}

/** Returns true if a change removes words, or joins two lines. */
function removesWords(tokens: TokenPassage, change: SideEdit): boolean {
  const { start, end } = change.edit;
  return (
    isRemoval(change.edit) || countBreaks(tokens.base.slice(start, end)) > countBreaks(readAddedTokens(tokens, change))
  );
}

function countBreaks(tokens: readonly Token[]): number {
  return tokens.filter(({ text }) => isLineEnd(text)).length;
}

/**
 * Returns true if a change only adds words within a line. Such words continue the words beside
 * them. So a merge must not add words of the other side at the same position.
 */
function addsWords(tokens: TokenPassage, change: SideEdit): boolean {
  const { start, end } = change.edit;
  return (
    start === end &&
    !addsLines(tokens, change) &&
    readAddedTokens(tokens, change).some(({ text }) => isWordOrBracket(text))
  );
}

function addsLines(tokens: TokenPassage, change: SideEdit): boolean {
  const { start } = change.edit;
  const addedTokens = readAddedTokens(tokens, change);
  const [before, after] = [tokens.base[start - 1], tokens.base[start]];
  return isEndOfLine(before) ? isEndOfLine(addedTokens.at(-1)) : isEndOfLine(after) && isEndOfLine(addedTokens[0]);
}

/**
 * Merges the white space before each token of a part whose words are unchanged. Returns undefined
 * if both sides changed the same white space differently.
 */
function mergeUnchangedTokens({ base, local, remote }: TokenPassage): Token[] | undefined {
  const mergedTokens: Token[] = [];
  for (let index = 0; index < base.length; index++) {
    const token = base[index] as Token;
    const space = mergeSpace(token, local[index]?.space ?? token.space, remote[index]?.space ?? token.space);
    if (space === undefined) return undefined;
    mergedTokens.push(space === token.space ? token : { ...token, space });
  }
  return mergedTokens;
}

function mergeSpace({ space }: Token, local: string, remote: string): string | undefined {
  if (local === space && remote !== local) return remote;
  return local === remote || remote === space ? local : undefined;
}

/**
 * Returns tokens that one side rewrote, with the white space of the other side before the first
 * token. If both sides changed this white space, returns the tokens unchanged.
 */
function keepOtherSpace(
  rewritten: readonly Token[],
  base: readonly Token[],
  other: readonly Token[],
): readonly Token[] {
  const [first, old, space] = [rewritten[0], base[0], other[0]?.space];
  if (first === undefined || old === undefined || space === undefined || first.space !== old.space) return rewritten;
  return [{ ...first, space }, ...rewritten.slice(1)];
}

/**
 * Sentence or word. `from`: index of its first token. `id`: number of the unit; units with equal
 * words have equal numbers, whatever their white space.
 */
type TextUnit = { readonly from: number; readonly id: number };

function splitIntoWords(tokens: readonly Token[]): TextUnit[] {
  return tokens.map(({ id }, from) => ({ from, id }));
}

const SENTENCE_END = /^[.!?…]$/;
const WIDE_SENTENCE_END = /^[。！？；]$/;
const CLOSING_MARK = /^[)\]"'”’»」』）*_]$/;

/**
 * Splits tokens into sentences. A blank line is a sentence by itself, and so is the line break that
 * ends a heading or item.
 */
function splitIntoSentences(tokens: readonly Token[], keys: SequenceNumbers): TextUnit[] {
  const ids = tokens.map(({ id }) => id);
  const units: TextUnit[] = [];
  let from = 0;
  for (let index = 0; index < tokens.length; index++) {
    const text = (tokens[index] as Token).text;
    const isLineEnd = text === LINE_BREAK || text === BLANK_LINE;
    if (from < index && (isLineEnd || endsSentence(tokens, index))) {
      units.push({ from, id: keys.id(ids, from, index) });
      from = index;
    }
    if (isLineEnd) {
      units.push({ from, id: keys.id(ids, from, index + 1) });
      from = index + 1;
    }
  }
  if (from < tokens.length) units.push({ from, id: keys.id(ids, from, tokens.length) });
  return units;
}

function endsSentence(tokens: readonly Token[], index: number): boolean {
  let lastIndex = index - 1;
  while (lastIndex > 0 && tokens[lastIndex]?.space === "" && CLOSING_MARK.test(tokens[lastIndex]?.text ?? ""))
    lastIndex--;
  const lastText = tokens[lastIndex]?.text ?? "";
  if (WIDE_SENTENCE_END.test(lastText)) return !CLOSING_MARK.test(tokens[index]?.text ?? "");
  return SENTENCE_END.test(lastText) && tokens[index]?.space !== "";
}
