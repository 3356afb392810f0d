import { describe, expect, test } from "vitest";
import { soakTwoDaemons } from "./two-daemons.ts";

/** Number of seeds. `scripts/soak/two-daemons.ts` runs more of them. */
const SEEDS = Number(process.env["MDMIRROR_SEEDS"] ?? 3);

describe("two daemons on one workspace", () => {
  test.each(Array.from({ length: SEEDS }, (_, n) => n + 1))(
    "I01 random edits on all sides converge (seed %i)",
    async (seed) => {
      expect(await soakTwoDaemons(seed, 60)).toEqual([]);
    },
  );

  test.each(Array.from({ length: Math.ceil(SEEDS / 3) }, (_, n) => n + 1))(
    "I01 the same where a complete listing takes many pages, and lists miss items (seed %i)",
    async (seed) => {
      expect(await soakTwoDaemons(seed, 60, { maxPageSize: 2, itemsMove: 3 })).toEqual([]);
    },
  );
});
