import { describe, expect, it } from "vitest";
import { editedLists, judgeNote, mergeNote, readNotes, turned } from "./daily-notes.ts";

describe("daily notes that two devices edited", () => {
  it.each(readNotes().map((note) => [note.title, note] as const))("%s", (_title, note) => {
    for (const way of [note, turned(note)]) {
      const merged = mergeNote(way);
      expect({ verdict: judgeNote(way, merged), merged }).toEqual({ verdict: "right", merged });
    }
  });
});

describe("lists of which one side changed items and the other one words of an item", () => {
  const lists = editedLists(60, 1).map((list) => ({ ...list, title: `${list.format}: ${list.change}` }));
  const wrong = lists.filter((list) => judgeNote(list, mergeNote(list)) === "wrong");

  it("keep the words with their item, unless another one with half of its words takes its label", () => {
    expect(lists.length).toBeGreaterThan(2_500);
    expect(wrong.filter(({ change }) => change === "replace")).toEqual([]);
    // LIMIT: short items that share half of their words count as the same item.
    expect(wrong.length).toBeLessThan(15);
  });
});
