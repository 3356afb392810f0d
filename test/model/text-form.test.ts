import { describe, expect, test } from "vitest";
import { type KeptForms, learnForms, mayBeNormalised, readBacksLeft } from "../../src/mirror/model/text-form.ts";

const ODD: readonly (readonly [form: string, text: string])[] = [
  ["carriage-return", "a\r\n"],
  ["byte-order-mark", "\ufeffa\n"],
  ["no-final-newline", "a"],
  ["not-nfc", "e\u0301\n"],
];

describe("what a service keeps of a text's form", () => {
  test.each(ODD)("%s is asked about until one such text came back as it was sent", (form, text) => {
    expect(mayBeNormalised(text, {})).toBe(true);
    const kept = learnForms({}, text, true);
    expect(kept).toEqual({ plain: 1, [form]: 1 });
    expect(mayBeNormalised(text, kept)).toBe(false);
    for (const [other, odd] of ODD) if (other !== form) expect(mayBeNormalised(odd, kept)).toBe(true);
  });

  test.each(ODD)("%s that was changed is asked about for ever, and says nothing of plain texts", (form, text) => {
    const changed = learnForms({ plain: 3 }, text, false);
    expect(changed).toEqual({ plain: 3, [form]: 0 });
    expect(mayBeNormalised(text, changed)).toBe(true);
    expect(readBacksLeft(changed)).toBe(0);
  });

  test("three plain texts are read, and three again where one was changed", () => {
    let kept: KeptForms = {};
    const toRead = [1, 2, 3, 4].map(() => {
      kept = learnForms(kept, "a\n", true);
      return readBacksLeft(kept);
    });
    expect(toRead).toEqual([2, 1, 0, 0]);
    expect(readBacksLeft(learnForms(kept, "a\n", false))).toBe(3);
    expect(learnForms(kept, "a\n", true)).toBe(kept);
  });

  test("Latin letters are in NFC, and a text with one that is not has an odd form", () => {
    const latin = `${String.fromCharCode(...Array.from({ length: 0x300 - 0x20 }, (_, n) => 0x20 + n))}\n`;
    expect(latin.normalize("NFC")).toBe(latin);
    expect(mayBeNormalised(latin, {})).toBe(false);
    // In NFC, U+212B becomes U+00C5.
    for (const odd of ["a\u0300", "\u212b", "\u1112\u1161"]) expect(mayBeNormalised(`${latin}${odd}\n`, {})).toBe(true);
  });

  test("an empty text has no odd form", () => {
    expect(mayBeNormalised("", {})).toBe(false);
  });
});
