import { expect, test } from "vitest";
import type { DirId, DocId } from "../../src/contract/ids.ts";
import { eventOf } from "../../src/mirror/engine/apply/effect.ts";

/** What the log says of an action by itself. */

const DOC = "doc_1" as DocId;
const DIR = "dir_1" as DirId;

test("a document's action is logged under its path, with its reason", () => {
  const forget = { kind: "forget", why: "deleted on both sides", id: DOC, localPath: "a.md" } as const;
  expect(eventOf(forget, "both", { before: null })).toEqual({
    kind: "forget",
    side: "both",
    id: DOC,
    path: "a.md",
    detail: "deleted on both sides",
    before: null,
  });
});

test("a move is logged under its new path, with the other details of the event", () => {
  const move = {
    kind: "move-folder-local",
    why: "moved there",
    dirId: DIR,
    from: "a",
    to: "b",
    temporary: false,
  } as const;
  expect(eventOf(move, "local", { detail: "moved there (from a)", from: "a" })).toEqual({
    kind: "move-folder-local",
    side: "local",
    id: DIR,
    path: "b",
    detail: "moved there (from a)",
    from: "a",
  });
});
