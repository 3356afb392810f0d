import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explainDataError, concernsFolder } from "../../../src/service/admin/data-trouble.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

/** Returns an error like those of the operating system and SQLite. */

const systemFault = (code: string, path?: string) => Object.assign(new Error(code), { code, path });

describe("a data folder that cannot be used", () => {
  it.each([
    ["EACCES", "usage"],
    ["EPERM", "usage"],
    ["EEXIST", "usage"],
    ["ENOTDIR", "usage"],
    ["EIO", "fault"],
    ["SQLITE_FULL", "fault"],
    ["ENOSPC", "fault"],
    ["SQLITE_CANTOPEN", "fault"],
    ["SQLITE_BUSY", "locked"],
  ])("by %s is a matter of %s", (code, kind) => {
    const data = temporaryFolder();
    expect(explainDataError(data, systemFault(code))).toMatchObject({ trouble: { kind, code } });
    expect(explainDataError(join(data, "none"), systemFault(code))).toMatchObject({ trouble: { kind, code } });
  });
});

it("distinguishes faults of the folder from those of the connection to a database", () => {
  const of = (error: unknown) => concernsFolder("/srv/data", error);
  expect(of(systemFault("EACCES", "/srv/data"))).toBe(true);
  expect(of(systemFault("EACCES", "/srv/data/key"))).toBe(true);
  expect(of(systemFault("SQLITE_BUSY"))).toBe(true);
  expect(of(systemFault("ECONNREFUSED"))).toBe(false);
  expect(of(systemFault("EACCES", "/srv/data-of-another/root.crt"))).toBe(false);
});
