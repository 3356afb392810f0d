import { describe, expect, test } from "vitest";
import { DirtyPaths } from "../../../src/mirror/engine/daemon/dirty-paths.ts";
import { DEFAULT_TIMING } from "../../../src/mirror/engine/daemon/timing.ts";

describe("dirty paths", () => {
  test("a bulk change is due when its last path has settled, 30 s after its first at most", () => {
    const dirty = new DirtyPaths(DEFAULT_TIMING);
    for (let n = 0; n < 100; n++) dirty.note(`note-${n}.md`, false, n * 200);
    expect(dirty.dueAt()).toBe(99 * 200 + 300);
    for (let n = 100; n < 200; n++) dirty.note(`note-${n}.md`, false, n * 200);
    expect(dirty.dueAt()).toBe(30_000);
    expect(dirty.take(30_000).paths).toHaveLength(149);
    expect(dirty.dueAt()).toBe(199 * 200 + 300);
  });

  test("LIMIT: very many paths are one full scan", () => {
    const dirty = new DirtyPaths(DEFAULT_TIMING);
    for (let n = 0; n < 10_000; n++) dirty.note(`note-${n}.md`, false, 5);
    expect(dirty.count()).toBeLessThanOrEqual(2_000);
    expect(dirty.take(1_000)).toMatchObject({ whole: true, many: true });
    expect(dirty.dueAt()).toBeNull();
  });

  test("what has not settled stays, and is named", () => {
    const dirty = new DirtyPaths(DEFAULT_TIMING);
    dirty.note("early.md", false, 0);
    dirty.note("late.md", false, 4_900);
    expect([...dirty.unsettled(5_000).keys()]).toEqual(["late.md"]);
    expect(dirty.take(5_000)).toEqual({ paths: ["early.md"], whole: false, many: false });
    expect(dirty.paths(9)).toEqual(["late.md"]);
  });
});
