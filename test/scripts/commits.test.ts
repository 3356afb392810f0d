import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The commit after which all subjects follow the rules. */
const SINCE = "8969b2bd9cb51a0d";

/** Exit code of commitlint, which reads one message from standard input or a range of commits. */
function lint(args: readonly string[], message = ""): { readonly code: number | null; readonly said: string } {
  const command = ["node_modules/@commitlint/cli/cli.js", "--config", "config/commitlint.config.mjs", ...args];
  const ended = spawnSync(process.execPath, command, { cwd: root, input: message });
  return { code: ended.status, said: String(ended.stdout) };
}

/** Returns false for an unpacked archive and for a clone without the older commits. */
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
    expect(lint(["--from", SINCE])).toEqual({ code: 0, said: "" });
  });

  it("with a verb first and at most 72 characters are accepted", () => {
    expect(lint([], "fix(lib): reject undefined paths in restore()").code).toBe(0);
  });

  it.each([
    ["no verb first", "fix(lib): what is no path names no document"],
    ["the past tense", "fix(lib): rejected undefined paths"],
  ])("with %s are refused", (_, message) => {
    expect(lint([], message).code).toBe(1);
  });
});
