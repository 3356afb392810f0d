import { expect, it } from "vitest";
import { systemClock } from "../../src/app/mirror/clock.ts";

it("gives each caller a turn of the event loop of its own, in their order, however many ask meanwhile", async () => {
  const turn = systemClock().turn!;
  const seen: string[] = [];
  const asking = async (name: string) => {
    await turn();
    seen.push(name);
  };
  const first = [asking("a"), asking("b")];
  // Callbacks of a phase run after one another: what is asked for within one comes in a later turn,
  // after those that waited.
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(seen).toEqual(["a"]);
  const second = asking("c");
  await Promise.all([...first, second]);
  expect(seen).toEqual(["a", "b", "c"]);
  await asking("d");
  expect(seen.at(-1)).toBe("d");
});
