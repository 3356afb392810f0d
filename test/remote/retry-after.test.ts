import { describe, expect, it } from "vitest";
import { retryAfterMs } from "../../src/mirror/remote/reply.ts";

const NOW = Date.UTC(2026, 6, 1, 12, 0, 0);

describe("retryAfterMs", () => {
  it.each([
    ["seconds", "120", undefined, 120_000],
    ["zero seconds", "0", undefined, 0],
    ["a date, by our clock where the answer has none", "Wed, 01 Jul 2026 12:00:30 GMT", undefined, 30_000],
    [
      "a date, by the clock that made it (I29)",
      "Thu, 01 Jan 1970 00:01:00 GMT",
      "Thu, 01 Jan 1970 00:00:20 GMT",
      40_000,
    ],
    ["a date that is past", "Wed, 01 Jul 2026 11:00:00 GMT", undefined, 0],
    ["no header", undefined, undefined, null],
    ["an empty header", "", undefined, null],
    ["a fraction", "1.5", undefined, null],
    ["a negative number", "-3", undefined, null],
    ["words", "soon", undefined, null],
    ["what Date.parse would take", "2027", undefined, 2_027_000],
    ["a date of another form", "2026-07-01T12:00:30Z", undefined, null],
    ["a number past all sense", "99999999999999999999", undefined, null],
  ])("reads %s", (_name, header, date, expected) => {
    expect(retryAfterMs(header, date, NOW)).toBe(expected);
  });
});
