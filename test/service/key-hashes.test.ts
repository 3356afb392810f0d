import { expect, test } from "vitest";
import { KeyHashes } from "../../src/service/keys/key-hashes.ts";

/** Hashes of keys that were sent lately are remembered. */

function ground() {
  const hashed: string[] = [];
  const hashes = new KeyHashes((key) => {
    hashed.push(key);
    return Buffer.from(`of ${key}`);
  });
  return { hashed, of: (key: string) => hashes.hashOf(key).toString() };
}

test("a key has its own hash, however much it is like one that is remembered", () => {
  const { hashed, of } = ground();
  const keys = ["key_abc", "key_abd", "xey_abc", "key_ab", "key_abcd", "", "KEY_ABC"];
  for (const _ of [1, 2, 3]) for (const key of keys) expect(of(key)).toBe(`of ${key}`);
  expect(hashed).toEqual(keys);
});

test("what was remembered longest ago makes way", () => {
  const { hashed, of } = ground();
  for (let n = 0; n < 9; n++) of(`key_${n}`);
  hashed.length = 0;
  for (const n of [1, 8, 0, 2]) expect(of(`key_${n}`)).toBe(`of key_${n}`);
  expect(hashed).toEqual(["key_0"]);
  expect(of("key_1")).toBe("of key_1");
  expect(hashed).toEqual(["key_0", "key_1"]);
});
