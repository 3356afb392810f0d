import { findCounterparts, type MergeSide } from "./edits.ts";
import type { Edit } from "./diff.ts";
import { isCheckBox, isLineEnd, isWord, type TokenPassage, type Token } from "./tokens.ts";

export type SideEdit = { readonly edit: Edit; readonly side: MergeSide };

export function readAddedTokens(tokens: TokenPassage, { edit, side }: SideEdit): readonly Token[] {
  return tokens[side].slice(edit.from, edit.to);
}

/** Returns true if the meaning of a token depends on the words beside it. */
export function isWordOrBracket(text: string): boolean {
  return /^(?:[\p{L}\p{N}\p{M}_]+|\[\[|\]\])$/u.test(text);
}

/**
 * Item of base in which one side (`by`) replaced most words. `from`, `to`: range of the item's
 * tokens.
 */
export type RewrittenItem = ItemRange & { readonly by: MergeSide };

type ItemRange = { readonly from: number; readonly to: number };

export function findRewrittenItems(
  base: readonly Token[],
  local: readonly Edit[],
  remote: readonly Edit[],
): readonly RewrittenItem[] {
  const counterpartsOfSides = {
    local: findCounterparts(base.length, local),
    remote: findCounterparts(base.length, remote),
  };
  const isRewritten = (item: ItemRange, side: MergeSide): boolean => {
    const words = findWordIndexes(base, item);
    return 2 * words.filter((index) => (counterpartsOfSides[side][index] as number) < 0).length > words.length;
  };
  return findItems(base).flatMap((item) =>
    (["local", "remote"] as const).filter((side) => isRewritten(item, side)).map((by) => ({ ...item, by })),
  );
}

function findItems(tokens: readonly Token[]): ItemRange[] {
  const items: ItemRange[] = [];
  let from = 0;
  let isItem = false;
  for (const [index, { text, leads, space }] of tokens.entries()) {
    if (isLineEnd(text) || text === "|") {
      if (isItem && from < index) items.push({ from, to: index });
      from = index + 1;
    }
    // The number of an item is part of the white space before its first token.
    isItem = !isLineEnd(text) && (isItem || leads || /\S/.test(space));
  }
  if (isItem && from < tokens.length) items.push({ from, to: tokens.length });
  return items;
}

function findWordIndexes(tokens: readonly Token[], { from, to }: ItemRange): number[] {
  const indexes: number[] = [];
  for (let index = from; index < to; index++) {
    const { text } = tokens[index] as Token;
    if (isWord(text) && !isCheckBox(text)) indexes.push(index);
  }
  return indexes;
}

/**
 * Returns true if `one` is part of the rewriting of an item, and `other` adds words to that item or
 * changes its check box. The side of `other` saw the old words of the item, so the two edits must
 * be merged together.
 */
export function rewritesItem(
  tokens: TokenPassage,
  one: SideEdit,
  other: SideEdit,
  rewritten: readonly RewrittenItem[],
): boolean {
  return rewritten.some(
    (item) =>
      item.by === one.side && one.edit.start < item.to && item.from < one.edit.end && addsToItem(tokens, other, item),
  );
}

function addsToItem(tokens: TokenPassage, change: SideEdit, { from, to }: ItemRange): boolean {
  const { start, end } = change.edit;
  if (start < from || end > to) return false;
  const addedTokens = readAddedTokens(tokens, change);
  if (start < end) return addedTokens.some(({ text }) => isCheckBox(text));
  return !addedTokens.some(({ text }) => isLineEnd(text)) && addedTokens.some(({ text }) => isWordOrBracket(text));
}
