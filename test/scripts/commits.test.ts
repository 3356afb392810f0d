import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
// @ts-expect-error: the configuration has no types
import config from "../../config/commitlint.config.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** Only commits after this one are checked: a check of all would take seconds. */
const SINCE = "a4fb7408";

/** Returns false for an unpacked archive and for a clone without the earlier commits. */
function hasHistory(): boolean {
  try {
    execFileSync("git", ["cat-file", "-e", SINCE], { cwd: root, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

describe("commit messages", () => {
  it.skipIf(!hasHistory())("of this repository follow config/commitlint.config.mjs (needs its history)", () => {
    const args = ["--config", "config/commitlint.config.mjs", "--from", SINCE];
    const { status, stdout } = spawnSync(process.execPath, ["node_modules/@commitlint/cli/cli.js", ...args], {
      cwd: root,
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([0, ""]);
  });

  it.each([
    ["reject undefined paths in restore()", true],
    ["what is no path names no document", false],
    ["rejected undefined paths", false],
  ])("may have the subject %j: %s", (subject, isImperative) => {
    const [{ rules }] = config.plugins;
    expect(rules["subject-imperative"]({ subject })[0]).toBe(isImperative);
  });
});
