import { describe, expect, it } from "vitest";
import { troubleOfError } from "../../../src/mirror/folder/disk-trouble.ts";

const error = (code: string) => Object.assign(new Error("words of the library"), { code });

describe("errors of the ground under the state file", () => {
  it.each([
    ["SQLITE_FULL", "the disk is full"],
    ["ENOSPC", "the disk is full"],
    ["EDQUOT", "the disk is full"],
    ["SQLITE_IOERR_SHMSIZE", "the disk is full"],
    ["SQLITE_CORRUPT_INDEX", "the state file is damaged"],
    ["SQLITE_IOERR_WRITE", "the disk of the state file failed"],
    ["EROFS", "the disk of the state file failed"],
    ["EMFILE", "this process may not open more files"],
    ["SQLITE_BUSY", "another program uses the state file"],
    ["SQLITE_READONLY_DBMOVED", "the state file was moved or removed while it was in use"],
    ["SQLITE_READONLY_DIRECTORY", "this user may not read or write .mdmirror/"],
  ])("%s: %s", (code, what) => {
    expect(troubleOfError(error(code))).toMatchObject({ what, code });
  });

  it.each([
    ["EACCES", "/home/other/notes/.mdmirror", "this user may not read or write /home/other/notes/.mdmirror"],
    ["EPERM", "/proc/self/fd/21/config.json", "this user may not read or write config.json"],
  ])("%s at %s: %s", (code, path, what) => {
    expect(troubleOfError(Object.assign(error(code), { path }))).toMatchObject({ what, code });
  });

  it("takes no fault of our own for one of the disk", () => {
    expect(troubleOfError(error("SQLITE_ERROR"))).toBeNull();
    expect(troubleOfError(error("EPERM"))).toBeNull();
    expect(troubleOfError(new Error("a bug"))).toBeNull();
  });
});
