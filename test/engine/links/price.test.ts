import { expect, test } from "vitest";
import { createRig } from "../../simulator/rig.ts";

/** Calls of disk, state and wire in the first sync of a folder of texts without links. */
async function callsOfPush(documents: number, links: boolean): Promise<number> {
  const mirror = createRig(1).mirror({ links });
  for (let n = 0; n < documents; n++) mirror.write(`${n}.md`, `text ${n}, and a [site](https://example.org/)\n`);
  await mirror.sync();
  return mirror.calls();
}

/** The same in the first sync of an empty folder with a workspace of them. */
async function callsOfClone(documents: number, links: boolean): Promise<number> {
  const rig = createRig(1);
  for (let n = 0; n < documents; n++) rig.app.create(`${n}.md`, `text ${n}, and a [site](https://example.org/)\n`);
  const mirror = rig.mirror({ links });
  await mirror.sync();
  return mirror.calls();
}

test.each([
  ["send", callsOfPush],
  ["bring", callsOfClone],
])("a text without links costs at most one call more to %s where links are translated", async (_, calls) => {
  const price = async (links: boolean) => (await calls(40, links)) - (await calls(20, links));
  const kept = await price(false);
  expect(kept).toBeGreaterThan(20);
  expect(await price(true)).toBeLessThanOrEqual(kept + 20);
});
