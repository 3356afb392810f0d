import { fc } from "../property.ts";
import { expect, test } from "vitest";
import { isWithin, rebase } from "../../src/contract/path.ts";
import type { BaseTree } from "../../src/mirror/model/tree.ts";
import { conflictOf, dirOf, doc, blockOf, linkOf, memoryState, openIn, tombstoneOf } from "./fixture.ts";

/**
 * Names that patterns and ranges get wrong: wildcards, neighbours of "/", case, other lengths in
 * bytes than in units.
 */
const name = fc.constantFrom("a", "A", "a.b", "a0", "a-b", "a%", "a_", "ab", "%", "_", "é", "😀", "[a]", "a'b", "\\");
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));

function fill(state: ReturnType<typeof openIn>, paths: readonly string[]): void {
  for (const [n, at] of paths.entries()) {
    const other = paths[(n + 1) % paths.length]!;
    state.putLink(linkOf(n, { localPath: at, remotePath: other }));
    state.putDir(dirOf(String(n), at, { remotePath: other }));
    state.putConflict(conflictOf(String(n), { newestCopyPath: at }));
    state.putTombstone(tombstoneOf(`t${n}`, { localPath: at, remotePath: other }));
    state.putBlock(blockOf(doc(n), { path: at }));
    state.putBlock(blockOf(at, { path: at }));
  }
}

function moved(tree: BaseTree, side: "local" | "remote", from: string, to: string) {
  const on = (which: "local" | "remote", at: string) =>
    which === side && isWithin(at, from) ? rebase(at, from, to) : at;
  const both = <T extends { localPath: string; remotePath: string }>(row: T): T => ({
    ...row,
    localPath: on("local", row.localPath),
    remotePath: on("remote", row.remotePath),
  });
  const map = <K, V>(rows: ReadonlyMap<K, V>, change: (row: V) => V) =>
    new Map([...rows].map(([key, row]) => [key, change(row)]));
  const stays = [...tree.blocks.values()].filter((block) => on("local", block.path) === block.path);
  const goes = [...tree.blocks.values()].filter((block) => on("local", block.path) !== block.path);
  const blocks = new Map(stays.map((block) => [block.key, block]));
  for (const block of goes) {
    const at = on("local", block.path);
    const key = block.key === block.path ? at : block.key;
    blocks.set(key, { ...block, path: at, key });
  }
  return {
    links: map(tree.links, both),
    dirs: map(tree.dirs, both),
    tombstones: map(tree.tombstones, (row) => ({ ...row, localPath: on("local", row.localPath) })),
    conflicts: map(tree.conflicts, (row) => ({ ...row, newestCopyPath: on("local", row.newestCopyPath) })),
    blocks,
  };
}

test("moveSubtree rewrites what is the folder or below it, on that side, and nothing else", () => {
  fc.assert(
    fc.property(
      fc.array(path, { minLength: 1, maxLength: 12 }),
      fc.constantFrom("local" as const, "remote" as const),
      path,
      path,
      (paths, side, from, to) => {
        fc.pre(from !== to);
        const state = openIn(":memory:");
        fill(state, paths);
        const expected = moved(state.load(), side, from, to);
        state.moveSubtree(side, from, to);
        expect(state.load()).toEqual(expected);
        state.close();
      },
    ),
    { numRuns: 80 },
  );
});

test("the root is not a folder that moves", () => {
  const state = memoryState();
  expect(() => state.moveSubtree("local", "", "a")).toThrow(RangeError);
  expect(() => state.moveSubtree("local", "a", "")).toThrow(RangeError);
});
