import { describe, expect, it } from "vitest";
import { type Explanation, explainMerge } from "../../../src/markdown/merge/explain.ts";
import { mergeText } from "../../../src/markdown/merge/merge.ts";
import { rollDice } from "../../simulator/dice.ts";
import { editedLists, judgeNote, type Note, readNotes, turned } from "../daily-notes.ts";
import { faultOf } from "./check.ts";

type Merge = { readonly note: Note; readonly text: string; readonly explanation: Explanation | null };

function mergesOf(notes: readonly Note[]): Merge[] {
  return notes.flatMap((note) => {
    const { base, local, remote } = note;
    const result = mergeText(base, local, remote);
    if (result.kind === "conflict") return [];
    return [{ note, text: result.text, explanation: explainMerge(base, local, remote, result.text) }];
  });
}

const notes = mergesOf(readNotes().flatMap((note) => [note, turned(note)]));
const lists = mergesOf(
  editedLists(20, 1).map((list, at) => ({ ...list, title: `${list.format} ${list.change} ${at}` })),
);
const refused = ({ note, text, explanation }: Merge): boolean => faultOf(note, text, explanation) !== null;

describe("the explanation of a clean merge", () => {
  it("proves every merge of daily notes", () => {
    expect(notes.length).toBeGreaterThan(200);
    expect(notes.filter(refused).map(({ note }) => note.title)).toEqual([]);
  });

  it("proves every merge of edited lists but such as are wrong", () => {
    expect(lists.length).toBeGreaterThan(300);
    expect(lists.filter(refused).filter(({ note, text }) => judgeNote(note, text) !== "wrong")).toEqual([]);
  });

  it("proves a merge with a side that rewrote nearly all words", () => {
    const dice = rollDice(1);
    const text = (): string => Array.from({ length: 600 }, () => `w${dice.below(12)}`).join(" ");
    const [base, remote] = [`${text()}\n\n# Tasks\n`, `${text()}\n\n# Tasks\n`];
    const [local, merged] = [`${base}\n- call Ann\n`, `${remote}\n- call Ann\n`];
    const explanation = explainMerge(base, local, remote, merged);
    expect(faultOf({ base, local, remote }, merged, explanation)).toBeNull();
  });

  it("names the rule of each line", () => {
    const [base, local, remote] = ["- a\n- b\n- c\n", "- a\n- b now\n- c\n- d\n", "- new a\n- b\n"];
    const lines = explainMerge(base, local, remote, "- new a\n- b now\n- d\n")?.lines;
    expect(lines?.map(({ line, rule }) => [line, rule])).toEqual([
      [1, "remote"],
      [2, "local"],
      [null, "remote"],
      [3, "local"],
    ]);
  });
});

describe("the checker of explanations", () => {
  const texts = { base: "- a one\n- b two\n", local: "- a one now\n- b two\n", remote: "- a one\n- b two **too**\n" };
  const merged = "- a one now\n- b two **too**\n";
  const faultOfResult = (result: string, { base, local, remote } = texts) =>
    faultOf(texts, result, explainMerge(base, local, remote, result));

  it.each([
    ["a word at another item", "- a one\n- b two now **too**\n"],
    ["a doubled line", "- a one now\n- a one now\n- b two **too**\n"],
    ["a lost mark", "- a one now\n- b two **too\n"],
    ["a lost word", "- a one\n- b two **too**\n"],
  ])("refuses %s", (_, result) => {
    expect(faultOfResult(result)).not.toBeNull();
  });

  it("refuses each source that is left out, and each false rule", () => {
    expect(faultOfResult(merged)).toBeNull();
    const { lines, ...right } = explainMerge(texts.base, texts.local, texts.remote, merged)!;
    for (const [at, line] of lines.entries()) {
      for (const rule of ["kept", "local", "remote", "both", "joined"] as const)
        if (rule !== line.rule)
          expect([rule, faultOf(texts, merged, { ...right, lines: lines.with(at, { ...line, rule }) })]).toEqual([
            rule,
            "rule",
          ]);
      for (const [place, piece] of line.pieces.entries())
        for (const name of ["base", "local", "remote", "result"] as const) {
          if (piece[name] === null) continue;
          const pieces = line.pieces.with(place, { ...piece, [name]: null });
          expect(faultOf(texts, merged, { ...right, lines: lines.with(at, { ...line, pieces }) })).not.toBeNull();
        }
    }
  });
});
