import { describe, expect, it } from "vitest";
import type { Held } from "../../src/mirror/ports/remote.ts";
import { bench, FILE, page, problem } from "./scripted-wire.ts";

const file = (n: number, path = `f${n}.md`) => ({ ...FILE, id: `doc_${n}`, path });

describe("a listing of files of which the caller holds some", () => {
  const files = [1, 2, 3].map((n) => file(n));
  const held: Held = {
    count: files.length,
    find: (id) => files.findIndex((known) => known.id === id),
    shows(at, path, changeId, isProtected) {
      const known = files[at]!;
      return known.path === path && known.lastChangeId === changeId && known.protected === isProtected;
    },
    idAt: (at) => files[at]!.id,
  };
  const listing = async (...pages: ReturnType<typeof page>[]) => {
    const { items, same, complete } = await bench(pages).remote.listFiles({ kind: "none" }, undefined, held);
    return { items: items.map(({ id, path }) => [id, path]), same: [...same!.keys()], complete };
  };

  it("names those that are as it holds them, however their paths are spelled, and gives the others", async () => {
    const slashed = { ...file(2), path: "/f2.md" };
    const moved = file(3, "moved.md");
    expect(await listing(page([file(1), slashed], "c1"), page([moved, file(4)]))).toEqual({
      items: [
        ["doc_3", "moved.md"],
        ["doc_4", "f4.md"],
      ],
      same: ["doc_1", "doc_2"],
      complete: true,
    });
  });

  it.each([
    ["another path", { path: "else.md" }],
    ["another version", { lastChangeId: "chg_9" }],
    ["protected", { protected: true }],
  ])("does not take an item for held that has %s", async (_what, other) => {
    const { items, same } = await listing(page([{ ...file(1), ...other }]));
    expect([items.length, same]).toEqual([1, []]);
  });

  it("last seen wins, whichever it is", async () => {
    expect(await listing(page([file(1), file(2, "old.md")], "c1"), page([file(1, "new.md"), file(2)]))).toEqual({
      items: [["doc_1", "new.md"]],
      same: ["doc_2"],
      complete: true,
    });
  });

  it("I20 what a traversal saw that a refused cursor ended is not there, when the next one is complete without it", async () => {
    const refused = problem(400, "invalid_cursor");
    expect(await listing(page([file(1), file(2)], "c1"), refused, page([file(2)]))).toEqual({
      items: [],
      same: ["doc_2"],
      complete: true,
    });
  });

  it("I20 counts what is shown in a listing that does not end well", async () => {
    const bad = { ...file(3), id: "nonsense" };
    expect(await listing(page([file(1), bad]))).toEqual({ items: [], same: ["doc_1"], complete: false });
  });
});
