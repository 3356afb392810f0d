import { expect, test } from "vitest";
import { formatBytes } from "../../src/common/quantities.ts";

test.each([
  [0, "0 bytes"],
  [999, "999 bytes"],
  [4_200, "4.2 kB"],
  [999_499, "999 kB"],
  [999_600, "1.0 MB"],
  [31_000_000, "31 MB"],
  [2e15, "2000 TB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});
