import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { fewOpenFiles } from "../../../src/mirror/folder/open-files.ts";
import { ENTRY } from "../../program.ts";

const limits = (most: string) => () =>
  `Max processes  10 10 processes\nMax open files            ${most}  524288  files\n`;

test("a limit of open files that is too low is reported, with what to do", () => {
  expect(fewOpenFiles(limits("26"))).toMatchObject({ kind: "fault", what: expect.stringContaining("26 files") });
  expect(fewOpenFiles(limits("26"))?.next).toContain("ulimit -n");
});

test.each(["64", "1024", "unlimited"])("one of %s is none that is too low, nor is one that is not known", (most) => {
  expect([fewOpenFiles(limits(most)), fewOpenFiles(() => "")]).toEqual([null, null]);
});

test.runIf(process.platform === "linux")("a command that fails for lack of open files says that (needs Linux)", () => {
  const command = `ulimit -n 30; exec "${process.execPath}" "${ENTRY}" status /tmp`;
  // Which file fails depends on Node, so only the words are checked.
  const { status, stderr } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
  expect(status).not.toBe(0);
  expect(execFileSync("sh", ["-c", "ulimit -n 30; cat /proc/self/limits"], { encoding: "utf8" })).toMatch(
    /open files +30/,
  );
  expect(stderr).not.toContain("an error in mdmirror itself");
});
