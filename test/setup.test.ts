import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const checkout = fileURLToPath(new URL("..", import.meta.url));

/**
 * Entries of the lock file: packages needed to run, packages needed to test, a package for another
 * system, and Node.
 */
const PACKAGES = {
  "": {},
  "node_modules/tests": { version: "1.0.0", integrity: "sha512-tests", dev: true },
  "node_modules/elsewhere": { version: "1.0.0", integrity: "sha512-elsewhere", optional: true },
  "node_modules/node": { version: process.versions.node, integrity: "sha512-node", dev: true },
  "node_modules/runs": { version: "1.0.0", integrity: "sha512-runs" },
};

/**
 * A script that replaces npm. It records its arguments, creates the files that npm would create,
 * and fails as `$NPM` says. Its package `node` contains the Node that runs this test.
 */
const NPM = `#!/bin/sh
echo "$*" >> "$CALLS"
fail() { echo "npm error code $1" >&2; exit 1; }
case "$NPM $*" in
  offline*) fail ENOTCACHED ;;
  stale*--prefer-offline*) fail ETARGET ;;
  nowhere\\ pack*) fail E404 ;;
esac
if [ "$1" = pack ]; then
  mkdir -p "$4made/package/bin" && ln -s "$NODE" "$4made/package/bin/node"
  exec tar -czf "$4$(echo "$2" | tr @ -).tgz" -C "$4made" package
fi
[ "$1" = install ] || rm -rf node_modules
mkdir -p node_modules/.bin
[ "$NPM" != killed ] || kill -9 $$
case "$*" in
  *--omit=dev*) left=dev ;;
  *) left=optional; rm -rf node_modules/node; ln -sf ../node/bin/node node_modules/.bin/node ;;
esac
grep -v -e optional -e "$left" package-lock.json > node_modules/.package-lock.json
`;

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mdmirror-setup-"));
  mkdirSync(join(root, "bin"));
  cpSync(join(checkout, "scripts/setup.mjs"), join(root, "scripts/setup.mjs"));
  writeFileSync(join(root, "bin/npm"), NPM, { mode: 0o755 });
  writeFileSync(join(root, "given.mjs"), "console.log(process.argv.slice(2).join());\n");
  writeFileSync(join(root, "package.json"), JSON.stringify({ engines: { node: ">=22.22" } }));
  lock({});
});

afterEach(() => rmSync(root, { recursive: true }));

function lock(changed: object): void {
  // One package a line: the format that the replacement of npm reads.
  const packages = Object.entries({ ...PACKAGES, ...changed });
  const lines = packages.map(([place, named]) => `${JSON.stringify(place)}: ${JSON.stringify(named)}`);
  writeFileSync(join(root, "package-lock.json"), `{"packages": {\n${lines.join(",\n")}\n}}\n`);
}

type Ended = { readonly status: number | null; readonly out: string; readonly err: string; readonly calls: string[] };

function environment(trouble: string): NodeJS.ProcessEnv {
  const PATH = `${join(root, "bin")}:/usr/bin:/bin`;
  return { PATH, CALLS: join(root, "calls"), NODE: process.execPath, NPM: trouble };
}

/**
 * @param what `--run` as in `npm start`; null as in `npm test`
 * @param trouble the failure of npm
 */
function setUp(what: "--run" | null, trouble = ""): Ended {
  writeFileSync(join(root, "calls"), "");
  const args = [join(root, "scripts/setup.mjs"), ...(what === null ? [] : [what]), "given.mjs", "a", "b"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: root,
    env: environment(trouble),
    encoding: "utf8",
  });
  const calls = readFileSync(join(root, "calls"), "utf8").split("\n").slice(0, -1);
  return { status, out: stdout, err: stderr, calls };
}

/**
 * Returns the commands of npm with the packages to install, sorted because they may run at the same
 * time.
 */
function asked({ calls }: Ended): string[] {
  return calls.map((call) => call.replaceAll(/ --(?!omit|include)\S+/g, "").replace(/ (?!--).*/, "")).sort();
}

function expectRun(ended: Ended, ...commands: string[]): void {
  expect({ ...ended, calls: asked(ended) }).toEqual({ status: 0, out: "a,b\n", err: ended.err, calls: commands });
  for (const call of ended.calls) expect(call).toContain(" --ignore-scripts ");
  // The setup leaves nothing but the installed packages.
  expect(readdirSync(root)).not.toContain(".setup");
}

describe("the setup of a checkout", () => {
  it("installs for npm start what running needs, and Node; the rest for npm test; then nothing", () => {
    expectRun(setUp("--run"), "ci --omit=dev", "pack");
    expectRun(setUp("--run", "offline"));
    expectRun(setUp(null), "install --include=dev");
    expectRun(setUp(null, "offline"));
    expectRun(setUp("--run", "offline"));
  });

  it("installs everything for npm test, and again only for a lock file that names other wanted packages", () => {
    expectRun(setUp(null), "ci --include=dev", "pack");
    expectRun(setUp("--run", "offline"));
    lock({ "node_modules/tests": { ...PACKAGES["node_modules/tests"], version: "1.0.1" } });
    expectRun(setUp("--run", "offline"));
    expectRun(setUp(null), "install --include=dev");
    lock({ "node_modules/runs": { ...PACKAGES["node_modules/runs"], integrity: "sha512-others" } });
    expectRun(setUp("--run"), "ci --omit=dev");
  });

  it.each(["--run", null] as const)("starts over after an installation that was cut off (%s)", (what) => {
    if (what === null) setUp("--run");
    expect(setUp(what, "killed")).toMatchObject({ status: 2, out: "" });
    const [again] = asked(setUp(what));
    expect(again).toMatch(/^ci /);
    expectRun(setUp(what, "offline"));
  });

  it("asks the registry where npm has kept an older list of versions", () => {
    expectRun(setUp("--run", "stale"), "ci --omit=dev", "ci --omit=dev", "pack", "pack");
  });

  it("says what npm said when it fails", () => {
    const { status, err } = setUp("--run", "offline");
    expect(status).toBe(2);
    expect(err).toContain("npm error code ENOTCACHED\n");
    expect(err).toContain('mdmirror: "npm ci" failed (exit 1); see its message above\n');
  });

  it("takes this machine's Node where npm has none for its system, if it is new enough", () => {
    lock({ "node_modules/node": { ...PACKAGES["node_modules/node"], version: "99.0.0" } });
    const ended = setUp("--run", "nowhere");
    expectRun(ended, "ci --omit=dev", "pack");
    expect(ended.err).toContain(
      `npm has no Node 99.0.0 for this machine; its own, ${process.version}, takes the place`,
    );
    expectRun(setUp("--run", "offline"));
    expectRun(setUp(null, "nowhere"), "install --include=dev", "pack");
    writeFileSync(join(root, "package.json"), JSON.stringify({ engines: { node: ">=99.1" } }));
    expect(setUp("--run", "nowhere")).toMatchObject({ status: 2, out: "" });
  });
});

const IMPORTS = /^(?:import|export) (?!type )(?:[\w*{][^"'`;=()]*? from )?"([^"]+)"/gm;

it("imports for npm start no package that only tests need", () => {
  const { dependencies } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as {
    readonly dependencies: object;
  };
  const seen = new Set<string>();
  const packages = new Set<string>();
  const read = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, from] of readFileSync(file, "utf8").matchAll(IMPORTS)) {
      if (from!.startsWith(".")) read(join(file, "..", from!));
      else if (!from!.startsWith("node:")) packages.add(from!);
    }
  };
  for (const script of ["start.ts", "build/page.ts", "../src/cli/main.ts"]) read(join(checkout, "scripts", script));
  expect(seen.size).toBeGreaterThan(100);
  expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
});
