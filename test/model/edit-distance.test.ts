import { describe, expect, test } from "vitest";
import { distanceWithin } from "../../src/common/nearest-word.ts";

describe("edit distance", () => {
  test.each([
    ["commit", "comit", 1],
    ["commit", "commti", 1],
    ["kubernetes", "kuberentse", 2],
    ["abc", "xyz", 3],
    ["", "ab", 2],
    ["🎉a", "a", 1],
  ])("%s and %s", (a, b, distance) => {
    expect([distanceWithin(a, b, 2), distanceWithin(b, a, 2)]).toEqual([distance, distance]);
  });
});
