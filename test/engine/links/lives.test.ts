import { expect, test } from "vitest";
import { LinkedLife } from "./linked-life.ts";

test.each([1, 2, 3, 4, 5, 6, 7, 8, 20, 45, 99, 143])(
  "documents that link in circles, moved, swapped and edited on both sides, with kills: each link leads home (I13), life %i",
  async (seed) => {
    const life = new LinkedLife(seed, 1 + (seed % 2));
    await life.live(20);
    expect(life.broken, life.told.join("\n")).toEqual([]);
  },
);
