import { expect, test } from "vitest";
import { recordOf, memoryState, textDigest } from "./fixture.ts";

const notePath = "notes/1.md";
const spelling = (bytes: string, text: string, at = notePath) => ({
  path: at,
  id: null,
  bytes: textDigest(bytes),
  text: textDigest(text),
  spelledAt: at,
  leads: [],
});

test("of each path the last few spellings stay, and the last few of its text of now", () => {
  const state = memoryState();
  const record = recordOf(1);
  state.putRecord(record);
  for (let n = 0; n < 20; n++) state.spellings.put({ ...spelling(`now ${n}`, "-"), text: record.localDigest! });
  for (let n = 0; n < 20; n++) state.spellings.put(spelling(`bytes ${n}`, `text ${n}`));
  state.spellings.put(spelling("other", "other", "notes/2.md"));
  state.spellings.removeOld();
  const digests = (word: string) => Array.from({ length: 8 }, (_, n) => textDigest(`${word} ${19 - n}`));
  expect(state.spellings.atPath(notePath).map(({ bytes }) => bytes)).toEqual([...digests("bytes"), ...digests("now")]);
  expect(state.spellings.atPath("notes/2.md")).toHaveLength(1);
  state.spellings.removeOld();
  expect(state.spellings.all()).toHaveLength(17);
});
