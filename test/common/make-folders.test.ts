import { statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { makeFolders } from "../../src/common/make-folders.ts";
import { temporaryFolder } from "../temporary-folder.ts";

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});

describe("folders that are made with those above them", () => {
  test("are made of one mode, and the topmost is returned", () => {
    expect(makeFolders(join(root, "a/b/c"), 0o700)).toBe(join(root, "a"));
    for (const path of ["a", "a/b", "a/b/c"]) expect(statSync(join(root, path)).mode & 0o777).toBe(0o700);
    expect(makeFolders(join(root, "a/b/d"))).toBe(join(root, "a/b/d"));
  });

  test("are left as they are if all exist, by a symbolic link too", () => {
    symlinkSync(root, join(root, "link"));
    expect([makeFolders(root), makeFolders(join(root, "link"))]).toEqual([null, null]);
  });

  test("are refused where a file is in the way, at the path or above it", () => {
    writeFileSync(join(root, "file"), "");
    symlinkSync(join(root, "nowhere"), join(root, "dangling"));
    expect(() => makeFolders(join(root, "file"))).toThrow("EEXIST");
    expect(() => makeFolders(join(root, "file/b"))).toThrow(/ENOTDIR|EEXIST/);
    expect(() => makeFolders(join(root, "dangling/b"))).toThrow("EEXIST");
  });

  test.runIf(process.platform === "linux")("end with the system's error if nothing can be made (needs Linux)", () => {
    expect(() => makeFolders("/proc/no-such-folder/b")).toThrow("ENOENT");
  });
});
