import { expect, test } from "vitest";
import { LinkedLife } from "./linked-life.ts";

test.each([1, 2, 3, 5, 9, 11])(
  "I13 links and wiki links of documents that are moved, swapped and edited on both sides, with kills, lead home, run %i",
  async (seed) => {
    const life = new LinkedLife(seed, 1 + (seed % 2));
    await life.live(20);
    expect(life.broken, life.told.join("\n")).toEqual([]);
  },
);
