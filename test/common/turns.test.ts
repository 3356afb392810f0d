import { expect, it } from "vitest";
import { systemClock } from "../../src/common/system-clock.ts";

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
