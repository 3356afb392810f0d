import { expect, it } from "vitest";
import { systemClock } from "../../src/common/clock.ts";
import { systemRandom } from "../../src/common/random.ts";

it("serves the callers in their order, sixteen in a turn of the event loop, however many ask meanwhile", async () => {
  const turn = systemClock().turn!;
  const seen: number[] = [];
  const upTo = (end: number) => Array.from({ length: end }, (_, n) => n);
  const asking = async (name: number) => {
    await turn();
    seen.push(name);
  };
  const first = upTo(17).map(asking);
  // Node runs the callbacks of one phase one after the other. A callback that is requested within
  // one of them runs in a later turn.
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(seen).toEqual(upTo(16));
  const second = asking(17);
  await Promise.all([...first, second]);
  expect(seen).toEqual(upTo(18));
  await asking(18);
  expect(seen.at(-1)).toBe(18);
});

it("draws as many random digits as asked for, and never the same", () => {
  const random = systemRandom();
  const drawn = Array.from({ length: 3_000 }, () => random.hex(15));
  expect(drawn.filter((digits) => !/^[0-9a-f]{15}$/.test(digits))).toEqual([]);
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(random.hex(20_000)).toMatch(/^[0-9a-f]{20000}$/);
});
