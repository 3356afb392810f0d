import { fc } from "../property.ts";
import { describe, expect, it } from "vitest";
import { openCursor, sealCursor } from "../../src/service/requests/seal.ts";

const secret = Buffer.alloc(32, 7);

describe("a cursor", () => {
  it("gives back its place for its own query", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 40), fc.string(), (place, query) => {
        expect(openCursor(secret, query, sealCursor(secret, query, place))).toBe(place);
      }),
    );
  });

  it("is refused for another query, under another secret, and with any character changed", () => {
    const cursor = sealCursor(secret, "query", 41);
    expect(openCursor(secret, "other", cursor)).toBeNull();
    expect(openCursor(Buffer.alloc(32, 8), "query", cursor)).toBeNull();
    for (let i = 0; i < cursor.length; i++) {
      const changed = `${cursor.slice(0, i)}${cursor[i] === "A" ? "B" : "A"}${cursor.slice(i + 1)}`;
      expect(openCursor(secret, "query", changed)).toBeNull();
    }
  });

  it("does not show its place", () => {
    const [one, two] = [sealCursor(secret, "query", 1), sealCursor(secret, "query", 2)];
    const equal = [...one].filter((character, i) => i >= 4 && character === two[i]).length;
    expect(equal).toBeLessThan(8);
  });
});
