import { expect, it } from "vitest";
import type { DirId } from "../../../src/contract/ids.ts";
import type { FolderRecord } from "../../../src/mirror/model/record.ts";
import type { LocalFolder } from "../../../src/mirror/model/tree.ts";
import { type FolderPaths, findFoldersByContents } from "../../../src/mirror/planner/match/folder-paths.ts";

const recordAt = (id: string, path: string): FolderRecord => ({
  id: id as DirId,
  localPath: path,
  remotePath: path,
  dev: 0,
  ino: 0,
  birthMs: 0,
});

it("a folder that was found stays where it was found, although a missing folder had the same path", () => {
  const [kept, missing] = [recordAt("dir_kept", "docs"), recordAt("dir_missing", "docs")];
  const paths: FolderPaths = {
    found: new Map([[kept.id, "docs"]]),
    claimed: new Map([["docs", kept.id]]),
    byBasePath: new Map([["docs", missing]]),
    sorted: [kept, missing],
    canMoveFolders: true,
    canMoveToRoot: true,
    keptByService: new Map(),
    pathTaken: new Set(),
    hasMoved: false,
  };
  const folders = new Map<string, LocalFolder>(["docs", "moved"].map((path) => [path, { path } as LocalFolder]));
  findFoldersByContents(paths, [{ base: "docs/a.md", current: "moved/a.md" }], folders);
  expect([...paths.found]).toEqual([
    ["dir_kept", "docs"],
    ["dir_missing", "moved"],
  ]);
});
