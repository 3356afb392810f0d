import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SCRIPTS = fileURLToPath(new URL("../../scripts/", import.meta.url));

test.each([
  [["bench.ts", "--help"], "npm run bench [-- PART]"],
  [["bench.ts", "service", "--help"], "npm run bench:service"],
  [["bench.ts", "service", "-h"], "npm run bench:service [-- --documents"],
  [["soak.ts", "--help"], "npm run soak [-- PART]"],
  [["soak.ts", "daemons", "--help"], "npm run soak -- daemons"],
  [["simulate.ts", "--help"], "npm run simulate -- --seed N"],
  [["mutants.ts", "--help"], "npm run mutants [-- --only ID …]"],
  [["eval-merge.ts", "--help"], "npm run eval:merge [-- --sets DIR]"],
])("%s prints the usage and does nothing", ([script, ...words], usage) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${SCRIPTS}${script}`, ...words], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toContain(usage);
});
