import { expect, test } from "vitest";
import { BLOCK_REASONS, type BlockReason } from "../../src/mirror/model/block.ts";
import { problemRows } from "../../src/ui/parts.ts";
import { entryBadge, problemBadge } from "../../src/ui/states.ts";

const TONES = { "needs-you": "asks", waits: "quiet", no: "quiet" } as const;

test.each(Object.keys(BLOCK_REASONS) as BlockReason[])("%s has the colour of who has to act, in words", (reason) => {
  const { text } = problemBadge(reason);
  expect(text).toMatch(new RegExp(`^<span class="badge ${TONES[BLOCK_REASONS[reason].open]}">[a-z ]+</span>$`));
});

test("a stop is red, and a conflict looks the same in the list of documents", () => {
  expect(problemBadge("too-many-deletions").text).toContain('"badge bad"');
  expect(problemBadge("conflict")).toEqual(entryBadge("conflict"));
  expect(problemBadge("in-review")).toEqual(entryBadge("in-review"));
  expect(problemBadge("too-large")).toEqual(entryBadge("blocked"));
});

test("codes of a problem are in its details only", () => {
  const problem = { path: "a.md", kind: "not-utf-8", code: "EILSEQ", detail: "not text", next: "save it" };
  const { text } = problemRows([{ ...problem, address: null }]);
  const open = text.replace(/<details.*?<\/details>/gs, "").replace(/<[^>]*>/g, " ");
  expect(text).toContain("EILSEQ");
  expect(open).not.toMatch(/EILSEQ|not-utf-8|not utf 8/);
});
