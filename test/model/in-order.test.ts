import { fc } from "../property.ts";
import { describe, expect, it } from "vitest";
import { findInOrder } from "../../src/common/in-order.ts";

const self = (key: string) => key;

describe("finding in order", () => {
  it("finds each key of any list at its number and no other key, in whatever order they are asked for", () => {
    const asked = fc.uniqueArray(fc.string({ maxLength: 3 }), { maxLength: 400 }).chain((list) =>
      fc.record({
        list: fc.constant(list),
        keys: fc.array(fc.oneof(fc.string({ maxLength: 3 }), ...(list.length > 0 ? [fc.constantFrom(...list)] : []))),
      }),
    );
    fc.assert(
      fc.property(asked, ({ list, keys }) => {
        const find = findInOrder(list, self);
        expect(keys.map(find)).toEqual(keys.map((key) => list.indexOf(key)));
      }),
    );
  });

  it("goes on finding when the order is another one from the start to the end", () => {
    const list = Array.from({ length: 5_000 }, (_, n) => `key ${n}`);
    const find = findInOrder(list, self);
    expect(list.map((_, n) => find(list[(n * 1_999) % list.length]!))).toEqual(
      list.map((_, n) => (n * 1_999) % list.length),
    );
  });

  it("reads few keys where they are asked for in order, with some neighbours changed", () => {
    const list = Array.from({ length: 5_000 }, (_, n) => `key ${n}`);
    let read = 0;
    const find = findInOrder(list, (key) => {
      read++;
      return key;
    });
    const swapped = list.map((_, n) => list[n % 10 === 0 ? n + 1 : n % 10 === 1 ? n - 1 : n]!);
    expect(swapped.map(find)).toEqual(swapped.map((key) => Number(key.slice(4))));
    expect(read).toBeLessThan(3 * list.length);
  });
});
