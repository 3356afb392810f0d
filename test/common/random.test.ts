import { expect, it } from "vitest";
import { systemRandom } from "../../src/common/system-random.ts";

it("draws as many random digits as asked for, and never the same", () => {
  const random = systemRandom();
  const drawn = Array.from({ length: 3_000 }, () => random.hex(15));
  expect(drawn.filter((digits) => !/^[0-9a-f]{15}$/.test(digits))).toEqual([]);
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(random.hex(20_000)).toMatch(/^[0-9a-f]{20000}$/);
});
