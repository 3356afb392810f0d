import { fc, runs } from "../property.ts";
import { test } from "vitest";
import type { Policy } from "../../src/mirror/model/policy.ts";
import { baseWorld, scenarios } from "./arbitrary.ts";
import { converge } from "./converge.ts";
import { POLICY } from "./table.ts";
import type { World } from "./world.ts";

const RUNS = runs(75);

const policies: [string, Partial<Policy>, (world: World) => void][] = [
  ["with inodes", {}, () => undefined],
  [
    "without inodes",
    {},
    (world) => {
      world.inodesTrusted = false;
    },
  ],
  ["where folders cannot be moved", { canMoveFolders: false }, () => undefined],
];

test.each(policies)(
  "I01 I02 I11 I15 I16 termination, and permutation of independent actions: any changes on both sides converge in five cycles, in any allowed order, %s",
  (_, patch, set) => {
    fc.assert(
      fc.property(scenarios(), fc.infiniteStream(fc.nat(1000)), (scenario, picks) => {
        const world = baseWorld(scenario);
        set(world);
        converge(world, scenario, { ...POLICY, ...patch }, (n) => (picks.next().value as number) % n);
      }),
      { numRuns: RUNS },
    );
  },
);
