import { describe, expect, it } from "vitest";
import { mergeText } from "../../src/markdown/merge/merge.ts";
import { fc } from "../property.ts";
import { runs, seed } from "./documents.ts";

/** Paragraphs, and the notes that each side adds: in which paragraph, and what it says. */
type Kind = "note" | "link";
const notes = fc.array(fc.nat(5), { minLength: 1, maxLength: 3 });
const threeTexts = fc
  .tuple(fc.constantFrom<Kind>("note", "link"), fc.integer({ min: 2, max: 6 }), fc.nat(2), notes, notes)
  .map(([kind, size, known, mine, theirs]): [string, string, string] => {
    const old = Array.from({ length: known }, (_, at) => ({ at: at % size, says: `b${at}` }));
    const texts = [[], mine, theirs].map((added, which) => {
      const side = "blr"[which] as string;
      return write(kind, size, [...old, ...added.map((at, number) => ({ at: at % size, says: side + number }))]);
    });
    return texts as [string, string, string];
  });

function write(kind: Kind, size: number, all: readonly { readonly at: number; readonly says: string }[]): string {
  const paragraphs = Array.from({ length: size }, (_, at) => {
    const here = all.flatMap((note, number) => (note.at === at ? [mention(kind, note.says, number + 1)] : []));
    return [`Paragraph ${at} begins.`, ...here].join(" ");
  });
  const mark = kind === "note" ? "^" : "";
  const definitions = all.map(({ says }, at) => `[${mark}${at + 1}]: http://def/${says}`);
  const parts = [...paragraphs, "# End", definitions.join("\n")].filter((part) => part !== "");
  return `${parts.join("\n\n")}\n`;
}

function mention(kind: Kind, says: string, number: number): string {
  return kind === "note" ? `at-${says}[^${number}]` : `[at-${says}][${number}]`;
}

/** What each mention leads to: what its definition says, by what the mention says. */
function leadsTo(text: string): Map<string, string | undefined> {
  const definitions = new Map(
    [...text.matchAll(/^\[\^?(\d+)\]: http:\/\/def\/(\S+)$/gm)].map(([, number, says]) => [number, says]),
  );
  expect(definitions.size).toBe(text.match(/^\[\^?\d+\]:/gm)?.length ?? 0);
  return new Map(
    [...text.matchAll(/at-(\w+)\]?\[\^?(\d+)\]/g)].map(([, says, number]) => [says as string, definitions.get(number)]),
  );
}

describe(`I28 footnotes and numbered links (seed ${seed})`, () => {
  it("lead where their writer meant, whichever number they get, and none is lost", () => {
    let [clean, renumbered] = [0, 0];
    fc.assert(
      fc.property(threeTexts, ([base, local, remote]) => {
        const merged = mergeText(base, local, remote);
        expect(mergeText(base, remote, local).kind).toBe(merged.kind);
        if (merged.kind === "conflict") return;
        clean++;
        const [mine, theirs] = [leadsTo(local), leadsTo(remote)];
        expect([...leadsTo(merged.text)].sort()).toEqual([...new Map([...mine, ...theirs])].sort());
        if (mine.size > 0 && theirs.size > 0) renumbered++;
      }),
      { seed, numRuns: runs(400) },
    );
    expect(clean).toBeGreaterThan(120);
    expect(renumbered).toBeGreaterThan(120);
  });
});
