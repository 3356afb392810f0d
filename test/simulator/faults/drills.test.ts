import { describe, expect, it } from "vitest";
import { DRILLS } from "./drills/all.ts";

describe.each(Object.entries(DRILLS))("drills: %s", (_group, drills) => {
  it.each(drills.map((drill) => [drill.name, drill] as const))("%s: no promise is broken", async (_name, { run }) => {
    expect(await run()).toEqual([]);
  });
});
