import { expect, it } from "vitest";
import { LentTexts } from "../../src/app/mirror/lent-texts.ts";

const HALF = 32;

/** A burst of texts of one byte each, all of them `letter`. */
function burst(letter: string, count: number) {
  const memory = new SharedArrayBuffer(2 * HALF);
  Buffer.from(memory, HALF).fill(letter);
  const ends = Array.from({ length: count }, (_, n) => 2 * (n + 1));
  return [memory, ends, { codecs: ends.map(() => 1), lengths: ends.map(() => 1) }] as const;
}

const shown = ({ texts }: ReturnType<LentTexts["copy"]>) => texts.map(({ bytes }) => bytes.toString()).join("");

it("I33 memory of packed texts is used again when each of them was given back, and not before", () => {
  const lending = new LentTexts();
  const first = lending.copy(...burst("a", 3));
  expect([shown(first), first.texts[0]]).toEqual(["aaa", { codec: 1, size: 2, bytes: Buffer.from("a") }]);
  for (let n = 0; n < 2; n++) first.lent.giveBack();
  const second = lending.copy(...burst("b", 2));
  expect([shown(first), shown(second)]).toEqual(["aaa", "bb"]);
  first.lent.giveBack();
  const third = lending.copy(...burst("c", 3));
  expect(third.texts[0]!.bytes.buffer).toBe(first.texts[0]!.bytes.buffer);
  expect(shown(second)).toBe("bb");
});
