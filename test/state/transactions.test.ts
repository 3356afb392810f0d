import { describe, expect, test } from "vitest";
import { STATE_SCHEMA, TEXTS_SCHEMA } from "../../src/mirror/state/schema.ts";
import { StoredState } from "../../src/mirror/state/state.ts";
import { ContentStore } from "../../src/mirror/state/texts.ts";
import { doc, openDb, recordOf, memoryState, openIn, SettableClock, NAME } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const boom = () => {
  throw new Error("boom");
};

describe("transact", () => {
  test("rolls everything back when the work throws, but keeps the contents", () => {
    const state = memoryState();
    let digest = state.putText("before", NAME);
    expect(() =>
      state.transact(() => {
        digest = state.putText("within", NAME);
        state.putRecord(recordOf("a"));
        boom();
      }),
    ).toThrow("boom");
    expect(state.record(doc("a"))).toBeNull();
    expect(state.text(digest)).toBe("within");
  });

  test("undoes only the part that throws, when its caller continues", () => {
    const state = memoryState();
    state.transact(() => {
      state.putRecord(recordOf("a"));
      expect(() =>
        state.transact(() => {
          state.putRecord(recordOf("b"));
          state.transact(() => state.putRecord(recordOf("c")));
          boom();
        }),
      ).toThrow("boom");
      state.transact(() => state.putRecord(recordOf("d")));
    });
    expect([...state.load().records.keys()]).toEqual([doc("a"), doc("d")]);
  });

  test("refuses work that continues later", () => {
    const state = memoryState();
    expect(() => state.transact(() => Promise.resolve(state.putRecord(recordOf("a"))))).toThrow(TypeError);
    expect(state.load().records.size).toBe(0);
  });

  test("another connection sees the contents immediately, and the rows only at the end", () => {
    const folder = temporaryFolder();
    const writer = openIn(folder);
    const reader = openIn(folder);
    const digests = writer.transact(() => {
      const all = Array.from({ length: 1_100 }, (_, n) => writer.putText(`text ${n}`, NAME));
      writer.putRecord(recordOf("a", { digest: all[0]! }));
      expect(reader.hasText(all[0]!), "a full group is in the file").toBe(true);
      expect(reader.hasText(all[1_099]!), "the last group is not yet").toBe(false);
      expect(reader.record(doc("a"))).toBeNull();
      return all;
    });
    expect(digests.every((digest) => reader.hasText(digest))).toBe(true);
    expect(reader.record(doc("a"))).not.toBeNull();
    writer.close();
  });
});

test("I12 no row names content that a full disk refused, even when the caller continues", () => {
  const [rows, texts] = [openDb(":memory:", STATE_SCHEMA), openDb(":memory:", TEXTS_SCHEMA)];
  texts.pragma("max_page_count = 10");
  const state = new StoredState({ state: rows, texts, clock: new SettableClock(), close: () => void rows.close() });
  const putRecords = (from: number, count: number) => {
    let refused = 0;
    for (let n = from; n < from + count; n++) {
      const text = Array.from({ length: 100 }, (_, i) => Math.sin(n * 100 + i)).join();
      try {
        state.putRecord(recordOf(n, { digest: state.putText(text, NAME) }));
      } catch (error) {
        expect(error).toMatchObject({ code: "SQLITE_FULL" });
        refused++;
      }
    }
    return refused;
  };
  let isCommitted = true;
  try {
    expect(state.transact(() => putRecords(0, 400))).toBeGreaterThan(300);
  } catch (error) {
    expect(error).toHaveProperty("code");
    isCommitted = false;
  }
  expect(state.missingTexts()).toEqual([]);
  expect(state.load().records.size > 0).toBe(isCommitted);
  texts.pragma("max_page_count = 4000");
  expect(
    state.transact(() => putRecords(1_000, 10)),
    "with room again it goes on",
  ).toBe(0);
  expect(state.missingTexts()).toEqual([]);
  state.close();
});

test("after SQLite itself rolled back contents, the next transactions begin without them", () => {
  const db = openDb(":memory:", TEXTS_SCHEMA);
  db.exec("CREATE TRIGGER refuse BEFORE INSERT ON texts BEGIN SELECT RAISE(ROLLBACK, 'boom'); END");
  const store = new ContentStore(db, new SettableClock());
  store.begin();
  expect(() => store.put("refused", NAME)).toThrow("boom");
  store.abandon();
  db.exec("DROP TRIGGER refuse");
  expect(() => store.secure()).not.toThrow();
  expect(store.digests()).toEqual([]);
  expect(store.get(store.put("stored", NAME))).toBe("stored");
});
