import { staysBetweenSides } from "../../src/markdown/merge/counts.ts";
import { StringNumbers } from "../../src/markdown/merge/split.ts";
import { splitIntoWords } from "../../src/markdown/merge/tokens.ts";

/**
 * Returns true if the merged document has each word as often as the changes of the sides explain.
 */
export function keepsCounts(base: string, local: string, remote: string, merged: string): boolean {
  const interner = new StringNumbers();
  const words = [base, local, remote, merged].map((text) => interner.ids(splitIntoWords(text)));
  const counts = words.map((ids) => {
    const count = new Int32Array(interner.size);
    for (const id of ids) count[id] = (count[id] as number) + 1;
    return count;
  });
  return staysBetweenSides(counts as [Int32Array, Int32Array, Int32Array, Int32Array]);
}
