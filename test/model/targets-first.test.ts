import { expect, test } from "vitest";
import { targetsFirst } from "../../src/common/targets-first.ts";

test("each comes behind what it links to, and of a circle the last to be met goes first", () => {
  const wanted = [[1, 3], [2], [], [4], [3], [5]];
  expect([...targetsFirst(wanted, wanted.keys())]).toEqual([
    [2, 0],
    [1, 1],
    [4, 2],
    [3, 3],
    [0, 4],
    [5, 5],
  ]);
});
