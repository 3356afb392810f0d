import { expect, test } from "vitest";
import type { Conflict } from "../../src/core/link.ts";
import { change, dirOf, doc, holdOf, linkOf, memoryState, textDigest } from "./ground.ts";

const conflictOf = (name: string): Conflict => ({
  id: doc(name),
  baseDigest: null,
  baseChangeId: null,
  sidecarPath: `notes/${name} (theirs).md`,
  sidecarIno: 7,
  sidecarDev: 2049,
  shown: [],
  looksGone: 0,
  since: 1,
});

test("a survey counts what a whole load shows, and names what is in conflict and in review", () => {
  const state = memoryState();
  for (const name of ["a", "b", "c"]) state.putLink(linkOf(name));
  const submission = { digest: textDigest("sent"), baseChangeId: change("b"), at: 5 };
  state.putLink(linkOf("d", { submissions: [submission] }));
  state.putDir(dirOf("notes"));
  state.putConflict(conflictOf("a"));
  state.putConflict(conflictOf("unlinked"));
  state.putHold(holdOf("doc_b"));
  const base = state.load();
  expect(state.survey()).toEqual({
    documents: base.links.size,
    folders: base.dirs.size,
    conflicts: ["notes/a.md", "notes/unlinked (theirs).md"],
    reviews: ["notes/d.md"],
  });
  expect(state.holds()).toEqual([...base.holds.values()]);
});
