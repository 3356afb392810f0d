import { describe, expect, test } from "vitest";
import { unwritableFileTrouble } from "../../src/common/trouble.ts";
import { exitOfTrouble, worstExit } from "../../src/cli/exit.ts";

const FULL = ["ENOSPC", "EDQUOT", "SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"];

describe("a full disk", () => {
  test.each(FULL)("by %s has an exit code of its own, and its own next step", (code) => {
    const usual = { kind: "usage", next: "give this user the right to write there" } as const;
    const ended = unwritableFileTrouble("the list", Object.assign(new Error("no"), { code }), usual);
    if (ended.kind === "ok") throw new Error("it was written");
    expect(ended.trouble).toMatchObject({ kind: "fault", code });
    expect(ended.trouble.next).not.toBe(usual.next);
    expect(exitOfTrouble(ended.trouble)).toBe(9);
  });

  test("is no right that is missing", () => {
    const error = Object.assign(new Error("no"), { code: "EACCES" });
    const usual = { kind: "usage", next: "give this user the right to write there" } as const;
    expect(unwritableFileTrouble("the list", error, usual)).toMatchObject({ trouble: { ...usual, code: "EACCES" } });
    expect(exitOfTrouble({ kind: "usage", code: "EACCES" })).toBe(2);
    expect(exitOfTrouble({ kind: "fault", code: "EIO" })).toBe(1);
  });

  test("of one folder comes before what other folders need", () => {
    expect([worstExit([3, 9, 5]), worstExit([9, 1])]).toEqual([9, 1]);
  });
});
