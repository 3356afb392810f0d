import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { fc } from "../property.ts";
import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import { BoundedMap } from "../../src/common/bounded-map.ts";
import { decodeText, encodeText } from "../../src/mirror/state/texts.ts";
import { changesSeen, DAY, doc, memoryState, openIn, SettableClock, textDigest, NAME } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const AWKWARD = ["", "\uFEFFbom", "a\r\nb", "e\u0301 é", "😀", "\u2028", "no newline", "x\n".repeat(40_000), "\u0000"];

describe("content store", () => {
  test.each(AWKWARD.map((text) => [text.slice(0, 12), text]))("I25 %j is the same after a restart", (_, text) => {
    const folder = temporaryFolder();
    const state = openIn(folder);
    const digest = state.putText(text, NAME);
    expect(digest).toBe(digestOf(text));
    state.close();
    const again = openIn(folder);
    expect(again.hasText(digest)).toBe(true);
    expect(again.text(digest)).toBe(text);
    again.close();
  });

  test("a missing content is null", () => {
    const state = memoryState();
    expect(state.text(textDigest("never"))).toBeNull();
    expect(state.hasText(textDigest("never"))).toBe(false);
  });

  test("putting the same content again writes nothing for a day", () => {
    const folder = temporaryFolder();
    const clock = new SettableClock();
    const state = openIn(folder, clock);
    const digest = state.putText("same", NAME);
    const probe = changesSeen(folder, "texts.db");
    clock.set(clock.now() + DAY - 1);
    expect(state.putText("same", NAME)).toBe(digest);
    state.putKnownText(digest, "same", NAME);
    expect(probe.moved()).toBe(false);
    clock.set(clock.now() + 1);
    state.putKnownText(digest, "same", NAME);
    expect(probe.moved(), "its use is noted once a day").toBe(true);
    probe.close();
  });

  test("I03 a content and its name are one commit, and each of its paths finds it once", () => {
    const folder = temporaryFolder();
    const clock = new SettableClock();
    const state = openIn(folder, clock);
    const [first, at] = [{ ...NAME, path: "a.md" }, clock.now()];
    const digest = state.putText("same", first);
    clock.set(at + 1);
    for (const path of ["a.md", "b.md", "a.md"]) state.putText("same", { ...NAME, path, id: doc("b"), why: "again" });
    state.close();
    const again = openIn(folder, clock);
    const wanted = [
      { ...first, digest, at },
      { path: "b.md", id: doc("b"), side: NAME.side, why: "again", digest, at: at + 1 },
    ];
    expect(again.storedOrigins({})).toEqual(wanted);
    expect(again.storedOrigins({ path: "a.md" })).toEqual([wanted[0]]);
    expect(again.storedOrigins({ id: doc("b") })).toEqual([wanted[1]]);
    // By its former paths, a document finds contents that belong to no other document.
    expect(again.storedOrigins({ id: doc("c"), formerPaths: ["a.md", "b.md"] })).toEqual([wanted[0]]);
    expect(again.digests()).toEqual([digest]);
  });

  test("a transaction that is rolled back leaves its contents, with their names", () => {
    const state = memoryState();
    const undone = () =>
      state.transact(() => {
        state.putText("kept", NAME);
        throw new Error("undone");
      });
    expect(undone).toThrow("undone");
    expect(state.storedOrigins({}).map(({ digest }) => digest)).toEqual(state.digests());
  });

  test("a lone surrogate is refused, as no digest names it", () => {
    const state = memoryState();
    expect(() => state.putText("a\uD800b", NAME)).toThrow("lone surrogate");
    expect(state.hasText(digestOf("a\uD800b"))).toBe(false);
  });

  test("a content that is damaged on disk counts as missing until it is put again", () => {
    const folder = temporaryFolder();
    const state = openIn(folder);
    const [long, short] = [state.putText("a long text ".repeat(100), NAME), state.putText("short", NAME)];
    state.close();
    const db = new Sqlite(join(folder, "texts.db"));
    db.exec("UPDATE texts SET text = CAST(replace(hex(text), '7', '8') AS BLOB) WHERE codec = 0");
    db.exec("UPDATE texts SET text = zeroblob(length(text)) WHERE codec = 1");
    db.close();
    const again = openIn(folder);
    expect([again.text(long), again.text(short)]).toEqual([null, null]);
    again.putText("a long text ".repeat(100), NAME);
    again.putKnownText(short, "short", NAME);
    again.close();
    const healed = openIn(folder);
    expect([healed.text(long), healed.text(short)]).toEqual(["a long text ".repeat(100), "short"]);
  });
});

describe("text codec", () => {
  test("what is encoded is decoded the same, never larger than plain", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 2_000, size: "max" }), (text) => {
        const stored = encodeText(text);
        expect(decodeText(stored)).toBe(text);
        expect(stored.bytes.length).toBeLessThanOrEqual(stored.size);
      }),
    );
  });

  test("repetitive text shrinks, and random letters stay plain", () => {
    expect(encodeText("word ".repeat(500)).bytes.length).toBeLessThan(100);
    expect(encodeText("short").codec).toBe(0);
  });

  test("a frame that says to inflate beyond its size is refused", () => {
    const stored = encodeText("word ".repeat(500));
    expect(() => decodeText({ ...stored, size: 100 })).toThrow();
  });
});

describe("a bounded map", () => {
  const bounded = () => new BoundedMap<string, string>(1_000, ({ length }) => length);

  test("drops its oldest values when it is over its bound", () => {
    const map = bounded();
    for (const key of ["a", "b", "c"]) map.set(key, key.repeat(300));
    map.set("a", map.get("a")!);
    map.set("d", "d".repeat(300));
    expect(["a", "b", "c", "d"].filter((key) => map.has(key))).toEqual(["a", "c", "d"]);
  });

  test("keeps no value larger than its bound, and frees what is deleted", () => {
    const map = bounded();
    map.set("big", "x".repeat(1_001));
    expect(map.has("big")).toBe(false);
    for (let n = 0; n < 10; n++) {
      map.set("same", "x".repeat(600));
      map.delete("same");
    }
    map.set("same", "x".repeat(600));
    expect(map.has("same")).toBe(true);
    map.clear();
    expect(map.has("same")).toBe(false);
  });
});
