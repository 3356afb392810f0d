import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const checkout = fileURLToPath(new URL("..", import.meta.url));

/**
 * An npm that writes down how it was called, and brings Node when it is asked to build that
 * package.
 */
const NPM = `#!/bin/sh
echo "$*" >> "$CALLS"
if [ "$1" = rebuild ]; then mkdir -p node_modules/.bin && ln -sf "$NODE" node_modules/.bin/node; fi
`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mdmirror-setup-"));
  mkdirSync(join(root, "bin"));
  cpSync(join(checkout, "scripts/setup.mjs"), join(root, "scripts/setup.mjs"));
  cpSync(join(checkout, "package-lock.json"), join(root, "package-lock.json"));
  writeFileSync(join(root, "bin/npm"), NPM);
  chmodSync(join(root, "bin/npm"), 0o755);
  mkdirSync(join(root, "node_modules"));
  writeFileSync(join(root, "given.mjs"), "console.log(process.argv.slice(2).join());\n");
});

afterEach(() => rmSync(root, { recursive: true }));

function setUp(): { readonly status: number | null; readonly out: string } {
  const env = { PATH: `${join(root, "bin")}:/usr/bin:/bin`, CALLS: join(root, "calls"), NODE: process.execPath };
  const args = [join(root, "scripts/setup.mjs"), "given.mjs", "a", "b"];
  const ended = spawnSync(process.execPath, args, { cwd: root, env, encoding: "utf8" });
  return { status: ended.status, out: ended.stdout };
}

describe("the setup of a checkout", () => {
  it("runs no script of a package but the one that brings Node, and then what it is given", () => {
    expect(setUp()).toEqual({ status: 0, out: "a,b\n" });
    const calls = readFileSync(join(root, "calls"), "utf8").trim().split("\n");
    expect(calls.map((call) => call.split(" ")[0])).toEqual(["ci", "rebuild"]);
    expect(calls[0]).toContain(" --ignore-scripts ");
    expect(calls[1]).toMatch(/^rebuild node /);
  });

  it("installs once", () => {
    setUp();
    expect(setUp()).toEqual({ status: 0, out: "a,b\n" });
    expect(readFileSync(join(root, "calls"), "utf8").trim().split("\n")).toHaveLength(2);
  });
});
