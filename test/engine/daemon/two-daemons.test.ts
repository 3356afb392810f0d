import { describe, expect, test } from "vitest";
import { soakTwoDaemons } from "./two-daemons.ts";

/** More of them: `scripts/soak/two-daemons.ts`, or MDMIRROR_SEEDS. */
const SEEDS = Number(process.env["MDMIRROR_SEEDS"] ?? 6);

describe("two daemons on one workspace", () => {
  test.each(Array.from({ length: SEEDS }, (_, n) => n + 1))(
    "I01 random edits on both and in the app converge (seed %i)",
    async (seed) => {
      expect(await soakTwoDaemons(seed, 60)).toEqual([]);
    },
  );
});
