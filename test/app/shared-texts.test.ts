import { expect, it } from "vitest";
import { SharedTexts } from "../../src/app/mirror/shared-texts.ts";

it("I33 texts that are a little longer than all before need no memory of their own", () => {
  const texts = new SharedTexts();
  const first = texts.take(300_000);
  expect(first.byteLength).toBe(768 * 1024);
  texts.giveBack(first);
  expect(texts.take(390_000)).toBe(first);
  expect(texts.take(390_000)).not.toBe(first);
  expect(texts.take().byteLength).toBe(256 * 1024);
});
