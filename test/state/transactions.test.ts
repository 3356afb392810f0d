import { describe, expect, test } from "vitest";
import { doc, linkOf, memoryState, openIn, tempFolder } from "./ground.ts";

const boom = () => {
  throw new Error("boom");
};

describe("transact", () => {
  test("returns what the work returns", () => {
    expect(memoryState().transact(() => 7)).toBe(7);
  });

  test("undoes all when the work throws, but keeps the texts", () => {
    const state = memoryState();
    let digest = state.putText("before");
    expect(() =>
      state.transact(() => {
        digest = state.putText("within");
        state.putLink(linkOf("a"));
        boom();
      }),
    ).toThrow("boom");
    expect(state.link(doc("a"))).toBeNull();
    expect(state.text(digest)).toBe("within");
  });

  test("undoes only the part that throws, when its caller goes on", () => {
    const state = memoryState();
    state.transact(() => {
      state.putLink(linkOf("a"));
      expect(() =>
        state.transact(() => {
          state.putLink(linkOf("b"));
          state.transact(() => state.putLink(linkOf("c")));
          boom();
        }),
      ).toThrow("boom");
      state.transact(() => state.putLink(linkOf("d")));
    });
    expect([...state.load().links.keys()]).toEqual([doc("a"), doc("d")]);
  });

  test("goes on after a failure as before it", () => {
    const state = memoryState();
    expect(() => state.transact(boom)).toThrow("boom");
    state.transact(() => state.putLink(linkOf("a")));
    expect(state.load().links.size).toBe(1);
  });

  test("refuses work that goes on later", () => {
    const state = memoryState();
    expect(() => state.transact(() => Promise.resolve(state.putLink(linkOf("a"))))).toThrow("synchronous");
    expect(state.load().links.size).toBe(0);
  });

  test("another connection sees the texts before, and the rows not until the end", () => {
    const folder = tempFolder();
    const writer = openIn(folder);
    const reader = openIn(folder);
    const digests = writer.transact(() => {
      const all = Array.from({ length: 600 }, (_, n) => writer.putText(`text ${n}`));
      writer.putLink(linkOf("a", { digest: all[0]! }));
      expect(reader.hasText(all[0]!), "a full group is in the file").toBe(true);
      expect(reader.hasText(all[599]!), "the last group is not yet").toBe(false);
      expect(reader.link(doc("a"))).toBeNull();
      return all;
    });
    expect(digests.every((digest) => reader.hasText(digest))).toBe(true);
    expect(reader.link(doc("a"))).not.toBeNull();
    writer.close();
    reader.close();
  });
});
