import { zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeText, encodeText } from "../../src/service/store/files-table.ts";

const ZSTD = 1;
const LENGTHS = [0, 1, 63, 64, 255, 256, 257, 1_023, 1_024, 1_025, 5_000, 65_535, 65_536, 65_791, 65_792, 614_400];

const textOf = (length: number) => Array.from({ length }, (_, n) => "ab c\n"[(n * n + (n >> 3)) % 5]).join("");

test("a text of any length is read back unchanged", () => {
  for (const length of LENGTHS) {
    const text = textOf(length);
    expect(decodeText(encodeText(text))).toBe(text);
    expect(decodeText({ codec: ZSTD, text: zstdCompressSync(text) })).toBe(text);
  }
  const other = "ä😀\u2028\ufeff".repeat(2_000);
  expect(decodeText(encodeText(other))).toBe(other);
});

test("a text that was saved is refused where any byte of it is damaged, not read as another", () => {
  const text = textOf(3_000);
  const stored = encodeText(text);
  expect(stored.codec).toBe(ZSTD);
  for (let at = 0; at < stored.text.length; at++) {
    const damaged = Buffer.from(stored.text);
    damaged[at]! ^= 1 << (at % 8);
    let read: string | null = null;
    try {
      read = decodeText({ codec: ZSTD, text: damaged });
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
    // Some bits of the header have no meaning, so the content may still be right.
    expect([null, text]).toContain(read);
  }
});
