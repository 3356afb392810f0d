import { constants, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { CODEC } from "../../src/contract/packed-text.ts";
import { unpackedText } from "../../src/model/packed-text.ts";

const TEXT = "größer, and so on; ".repeat(50);
const PLAIN = Buffer.from(TEXT);
const ZIPPED = zstdCompressSync(PLAIN);
const zipped = (bytes: Buffer, size: number) => unpackedText({ codec: CODEC.zstd, size, bytes });

describe("a text that came packed", () => {
  it("is what was packed", () => {
    expect(zipped(ZIPPED, PLAIN.length)).toBe(TEXT);
    expect(unpackedText({ codec: CODEC.plain, size: PLAIN.length, bytes: PLAIN })).toBe(TEXT);
    expect(unpackedText({ codec: CODEC.plain, size: 0, bytes: Buffer.alloc(0) })).toBe("");
  });

  it.each([
    ["shorter than it says", () => zipped(ZIPPED, PLAIN.length + 1)],
    ["longer than it says", () => zipped(ZIPPED, PLAIN.length - 1)],
    ["cut off", () => zipped(ZIPPED.subarray(0, -3), PLAIN.length)],
    ["nothing", () => zipped(Buffer.alloc(0), PLAIN.length)],
    ["no frame of zstd", () => zipped(PLAIN, PLAIN.length)],
    ["not UTF-8", () => zipped(zstdCompressSync(Buffer.alloc(900, 0xff)), 900)],
    ["half a character", () => unpackedText({ codec: CODEC.plain, size: 1, bytes: Buffer.from([0xc3]) })],
    ["of an unknown form", () => unpackedText({ codec: 7, size: PLAIN.length, bytes: PLAIN })],
  ])("that is %s is none", (_name, read) => {
    expect(read()).toBeNull();
  });

  it("takes no more room than it says, whatever it would grow to", () => {
    expect(zipped(zstdCompressSync(Buffer.alloc(64 * 1024 * 1024)), 1_000)).toBeNull();
  });

  it("may not ask for more memory than texts ever need", () => {
    const params = { [constants.ZSTD_c_windowLog]: 27, [constants.ZSTD_c_contentSizeFlag]: 0 };
    const wide = zstdCompressSync(Buffer.alloc(40 * 1024 * 1024, "a"), { params });
    expect(zipped(wide, 40 * 1024 * 1024)).toBeNull();
  });
});
