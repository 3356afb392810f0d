import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readStateSummary } from "../../src/mirror/state/read-beside.ts";
import { change, conflictOf, dirOf, blockOf, recordOf, openIn, textDigest } from "./fixture.ts";
import { temporaryFolder } from "../temporary-folder.ts";

test("a glance counts what is synced, and names what is in conflict and in review", () => {
  const folder = temporaryFolder();
  const state = openIn(folder);
  for (const name of ["a", "b", "c"]) state.putRecord(recordOf(name));
  const submission = { digest: textDigest("sent"), baseChangeId: change("b"), at: 5 };
  state.putRecord(recordOf("d", { submissions: [submission] }));
  const met = [submission, { ...submission, at: 6, reason: "conflict" as const }];
  state.putRecord(recordOf("e", { submissions: met }));
  for (const left of ["suspended", "outside"] as const) state.putRecord(recordOf(left, { state: left }));
  state.putDir(dirOf("notes"));
  state.putConflict(conflictOf("a"));
  state.putConflict(conflictOf("unlinked"));
  state.putBlock(blockOf("doc_b"));
  const base = state.load();
  const glanced = readStateSummary(folder);
  state.close();
  if (glanced.kind !== "read") throw new Error(glanced.kind);
  const synced = [...base.records.values()].filter((record) => record.state === "linked");
  expect(glanced.value.totals).toEqual({
    documents: synced.length,
    bytes: synced.reduce((sum, { stamp }) => sum + (stamp?.size ?? 0), 0),
    folders: base.dirs.size,
    conflicts: ["notes/a.md", "notes/unlinked (theirs).md"],
    reviews: [
      { path: "notes/d.md", since: submission.at, isConflict: false },
      { path: "notes/e.md", since: submission.at, isConflict: true },
    ],
  });
  expect(glanced.value.blocks).toEqual([...base.blocks.values()]);
});

test("a short look at a folder reports a missing state, a missing content store and a damaged state", () => {
  const folder = temporaryFolder();
  expect(readStateSummary(folder)).toEqual({ kind: "missing" });
  openIn(folder).close();
  expect(readStateSummary(folder)).toMatchObject({ kind: "read", value: { newestRun: null, intents: [] } });
  rmSync(join(folder, "texts.db"));
  expect(readStateSummary(folder)).toMatchObject({ kind: "damaged", file: "texts.db" });
  writeFileSync(join(folder, "texts.db"), "");
  writeFileSync(join(folder, "state.db"), "no database at all, but longer than a header would be ".repeat(4));
  expect(readStateSummary(folder)).toMatchObject({ kind: "damaged", file: "state.db" });
});
