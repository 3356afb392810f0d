import { afford } from "./budget.ts";
import { type Reading, tokenTextsIn } from "./reading.ts";
import { endsLine } from "./tokens.ts";

/**
 * The words of elements: several for a line or a sentence, one for a token. Elements and words are
 * numbers, those of words by `reading.tokenTexts`.
 */
export type Words = {
  readonly of: (id: number) => readonly number[];
  /** Whether an element may have a word, where that costs less than to know its words. */
  readonly mayHave?: (id: number, word: number) => boolean;
};

/** A token is a word of its own. */
export const OWN_WORD: Words = { of: (id) => [id] };

/** The words of lines. */
export function wordsOfLines(reading: Reading): Words {
  const { interner, tokenTexts } = reading;
  return {
    of: (id) => tokenTextsIn(id, reading),
    mayHave: (id, word) => endsLine(word) || interner.text(id).includes(tokenTexts.text(word)),
  };
}

/** Words that are looked for one by one, before all of a sequence is read. */
const MOST_SOUGHT = 16;

/** Whether a word occurs in a sequence exactly once, found once a merge. */
export function occursOnce(word: number, ids: readonly number[], words: Words, reading: Reading): boolean {
  let known = reading.counted.get(ids);
  if (known === undefined) {
    known = { once: new Map() };
    reading.counted.set(ids, known);
  }
  if (known.counts === undefined && (words.mayHave === undefined || known.once.size >= MOST_SOUGHT)) {
    known.counts = countAll(ids, words, reading);
  }
  if (known.counts !== undefined) return known.counts.get(word) === 1;
  const found = known.once.get(word) ?? isSoughtOnce(word, ids, words, reading);
  known.once.set(word, found);
  return found;
}

/** Whether a word occurs once, by a look at the elements that may have it. */
function isSoughtOnce(word: number, ids: readonly number[], { of, mayHave }: Words, reading: Reading): boolean {
  let count = 0;
  afford(reading, ids.length);
  for (let at = 0; at < ids.length && count < 2; at++) {
    const id = ids[at] as number;
    if (mayHave?.(id, word) === false) continue;
    for (const one of of(id)) if (one === word) count++;
  }
  return count === 1;
}

function countAll(ids: readonly number[], words: Words, reading: Reading): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  let all = 0;
  for (const id of ids) {
    const said = words.of(id);
    all += said.length;
    for (let at = 0; at < said.length; at++) {
      const word = said[at] as number;
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  afford(reading, all);
  return counts;
}
