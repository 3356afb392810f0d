import { describe, expect, it } from "vitest";
import { type Explanation, explainMerge } from "../../../src/markdown/merge/explain.ts";
import { mergeText } from "../../../src/markdown/merge/merge.ts";
import { mulberry32 } from "../adversaries.ts";
import { judgeNote, type Note, readNotes, turned } from "../daily-notes.ts";
import { runs, seed } from "../documents.ts";
import { editedLists } from "../edited-lists.ts";
import { faultOf } from "./check.ts";
import { CLAIM_MUTATIONS, repoint, TEXT_MUTATIONS } from "./mutants.ts";

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
    const random = mulberry32(1);
    const text = (): string => Array.from({ length: 600 }, () => `w${Math.floor(random() * 12)}`).join(" ");
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

/** Makes mutants in turn of each kind, from merges that are proven, and counts those that pass. */
function passing(count: number): string[] {
  const next = mulberry32(seed);
  const random = (below: number): number => Math.floor(next() * below);
  const proven = [...notes, ...lists].filter((merge) => !refused(merge));
  const kinds = [...Object.entries(TEXT_MUTATIONS), ...Object.entries(CLAIM_MUTATIONS)].map(([kind]) => kind);
  const passed: string[] = [];
  for (let made = 0; made < count; ) {
    const merge = proven[random(proven.length)] as Merge;
    const mutant = mutantOf(merge, kinds[made % kinds.length] as string, random);
    if (mutant === undefined) continue;
    made++;
    if (!refused(mutant)) passed.push(`${kinds[(made - 1) % kinds.length]}: ${merge.note.title}\n${mutant.text}`);
  }
  return passed;
}

/**
 * A wrong merge, with the best explanation that is found for it; or a right one with a wrong
 * explanation.
 */
function mutantOf(merge: Merge, kind: string, random: (below: number) => number): Merge | undefined {
  const right = merge.explanation as Explanation;
  const claim = CLAIM_MUTATIONS[kind]?.(right, random);
  if (claim !== undefined) return { ...merge, explanation: claim };
  const { base, local, remote } = merge.note;
  const text = TEXT_MUTATIONS[kind]?.(merge.text, random);
  if (text === undefined || text === merge.text) return undefined;
  return { ...merge, text, explanation: explainMerge(base, local, remote, text) ?? repoint(right, text) };
}

describe("the checker of explanations", () => {
  it("refuses words moved, lines doubled, marks lost, and false sources and rules", () => {
    expect(passing(runs(350))).toEqual([]);
  }, 600_000);
});
