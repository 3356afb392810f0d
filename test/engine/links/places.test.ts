import { expect, test } from "vitest";
import type { DirId, DocId } from "../../../src/contract/ids.ts";
import { hasMovedTarget } from "../../../src/mirror/engine/links/leads-elsewhere.ts";
import { LinkPlaces } from "../../../src/mirror/engine/links/places.ts";
import { digestOf } from "../../../src/contract/digest.ts";
import type { BlockReason } from "../../../src/mirror/model/block.ts";
import type { Spelling } from "../../../src/contract/spelling.ts";
import type { BaseTree } from "../../../src/mirror/model/tree.ts";
import { worldAfter } from "../../planner/table.ts";
import { treesOf } from "../../planner/world-trees.ts";

const SCOPE = { prefix: "", wiki: false } as const;
const ABSENT = "doc_0000000000000a" as DocId;

function baseOf(files: string): BaseTree {
  return treesOf(worldAfter([files, "", "", ""])).base;
}

/** Base with a folder's hold, which says another path for it. */
function withBlock(base: BaseTree, reason: BlockReason): BaseTree {
  const [key] = base.dirs.keys();
  const block = { key: key!, path: "e", reason, code: null, detail: "", requestId: null, digest: null, changeId: null };
  return { ...base, blocks: new Map([[key!, { ...block, since: 0 }]]) };
}

test.each([
  ["folder-stays", "d/a.md"],
  ["delete-pending", "d/a.md"],
  ["delete-refused", "d/a.md"],
  ["read-only", "e/a.md"],
] as const)("a folder with the hold %s has its document at %s (I01)", (reason, path) => {
  const base = withBlock(baseOf("d/a.md=1"), reason);
  const [id] = base.links.keys();
  expect(new LinkPlaces(base, SCOPE).pathOf(id!)).toBe(path);
});

test("a folder that is on the service alone does not share its path with the one that is there (I01)", () => {
  const base = withBlock(baseOf("d/a.md=1"), "folder-stays");
  const [removed] = base.dirs.values();
  const id = "dir_0000000000000a" as DirId;
  const both = { ...base, dirs: new Map([...base.dirs, [id, { ...removed!, id, remotePath: "d" }]]) };
  const places = new LinkPlaces(both, SCOPE);
  expect([places.idAt("d"), places.isShared("d"), places.pathOf(removed!.id)]).toEqual([id, false, null]);
});

/** Whether the link of `a.md` to what has no local place is to be spelled anew. */
function isAstrayIn(base: BaseTree): boolean {
  const [bytes, text] = [digestOf("bytes"), digestOf("text")];
  const leads = [{ said: "t.md", at: "t.md", to: ABSENT }];
  const spelling: Spelling = { path: "a.md", id: null, bytes, text, spelledAt: "a.md", leads };
  return hasMovedTarget(spelling, new LinkPlaces(base, SCOPE));
}

test("a link to a document that is not local yet is rewritten if another document has its path (I09)", () => {
  expect(isAstrayIn(baseOf("a.md=1 t.md=2"))).toBe(true);
  expect(isAstrayIn(baseOf("a.md=1"))).toBe(false);
});

test("a link to what is gone stays at its path", () => {
  const base = baseOf("a.md=1 t.md=2");
  const tombstone = { id: ABSENT } as never;
  expect(isAstrayIn({ ...base, tombstones: new Map([[ABSENT, tombstone]]) })).toBe(false);
});
