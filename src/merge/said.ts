import { type Reading, tokenTextsIn } from "./reading.ts";

/**
 * The words of elements: several for a line or a sentence, one for a token. Elements and words are
 * numbers, those of words by `reading.tokenTexts`.
 */
export type Words = {
  readonly of: (id: number) => readonly number[];
};

/** A token is a word of its own. */
export const OWN_WORD: Words = { of: (id) => [id] };

/** The words of lines. */
export function wordsOfLines(reading: Reading): Words {
  return { of: (id) => tokenTextsIn(id, reading) };
}

/** Whether a word occurs more than once in a sequence, whose words are counted once a merge. */
export function occursAgain(word: number, ids: readonly number[], { of }: Words, reading: Reading): boolean {
  let counts = reading.counted.get(ids);
  if (counts === undefined) {
    counts = new Map<number, number>();
    reading.counted.set(ids, counts);
    for (const id of ids) for (const one of of(id)) counts.set(one, (counts.get(one) ?? 0) + 1);
  }
  return (counts.get(word) ?? 0) > 1;
}
