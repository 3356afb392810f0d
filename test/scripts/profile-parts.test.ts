import { describe, expect, it } from "vitest";
import { partsOf, tableOf } from "../../scripts/bench/profile-parts.ts";

const frame = (functionName: string, url = "") => ({ functionName, url });

const PROFILE = {
  nodes: [
    { id: 1, callFrame: frame("(root)"), children: [2, 4, 5, 6, 7] },
    { id: 2, callFrame: frame("put", "file:///m/src/state/texts.ts"), children: [3] },
    { id: 3, callFrame: frame("run") },
    { id: 4, callFrame: frame("(idle)") },
    { id: 5, callFrame: frame("onread", "node:internal/stream_base_commons") },
    { id: 6, callFrame: frame("open", "node:fs") },
    { id: 7, callFrame: frame("(garbage collector)") },
  ],
  samples: [2, 3, 4, 5, 6, 7, 3],
  timeDeltas: [10_000, 20_000, 30_000, 40_000, 1_000, 2_000, 5_000],
};

describe("where the time of a profile went", () => {
  it("counts a native function for what called it", () => {
    expect(Object.fromEntries(partsOf(PROFILE))).toEqual({
      "src/state": 35,
      idle: 30,
      "sockets and HTTP": 40,
      "files (calls of the system)": 1,
      "garbage collection": 2,
    });
  });

  it("shows the largest part first, and joins the small ones", () => {
    const parts = partsOf(PROFILE);
    expect(
      tableOf(
        new Map([
          ["before", parts],
          ["after", new Map([["idle", 12]])],
        ]),
      ),
    ).toEqual([
      "| main thread, ms | before | after |",
      "|---|---:|---:|",
      "| sockets and HTTP | 40 | 0 |",
      "| src/state | 35 | 0 |",
      "| idle | 30 | 12 |",
      "| the rest | 3 | 0 |",
      "| in all | 108 | 12 |",
    ]);
  });
});
