import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeBody } from "../../src/mirror/remote/body-text.ts";

const TEXT = '{"content":"h\u00e9llo \u{1f600}"}';
const BOMB = Buffer.alloc(5_000_000);

describe("decodeBody", () => {
  it.each([
    ["no encoding", Buffer.from(TEXT), null],
    ["identity", Buffer.from(TEXT), "identity"],
    ["gzip", gzipSync(TEXT), "GZIP"],
    ["brotli", brotliCompressSync(TEXT), "br"],
  ])("reads %s", (_name, bytes, encoding) => {
    expect(decodeBody(bytes, encoding, 1_000)).toEqual({ kind: "text", text: TEXT });
  });

  it.each([
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff, 0x7d]), null, "not UTF-8"],
    ["a surrogate spelled in UTF-8", Buffer.from([0xed, 0xa0, 0x80]), null, "not UTF-8"],
    ["a gzip bomb", gzipSync(BOMB), "gzip", "too large"],
    ["a brotli bomb", brotliCompressSync(BOMB), "br", "too large"],
    ["a damaged stream", Buffer.from("no gzip"), "gzip", "damaged"],
    ["a stream that was cut", gzipSync(TEXT).subarray(0, 20), "gzip", "damaged"],
    ["an encoding nobody asked for", deflateSync(TEXT), "deflate", "did not ask for"],
    ["two encodings", gzipSync(gzipSync(TEXT)), "gzip, gzip", "did not ask for"],
    ["too many plain bytes", Buffer.alloc(1_001, 0x20), null, "too large"],
  ])("refuses %s", (_name, bytes, encoding, why) => {
    expect(decodeBody(bytes, encoding, 1_000)).toEqual({ kind: "bad", why: expect.stringContaining(why) });
  });

  it("takes an answer of exactly the bound", () => {
    expect(decodeBody(gzipSync(Buffer.alloc(1_000, 0x20)), "gzip", 1_000).kind).toBe("text");
  });
});
