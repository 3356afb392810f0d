import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/table.ts";
import { ENTRY } from "../program.ts";
import { useRigOfFile } from "./rig.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const rig = useRigOfFile();

describe("help", () => {
  test("the help of all commands is this text", async () => {
    const pages: string[] = [];
    for (const argv of [["--help"], ...COMMANDS.map(({ name }) => [name, "--help"])]) {
      const { out } = await rig.run(argv);
      expect(out.filter((line) => line.length > 100)).toEqual([]);
      pages.push(out.join("\n"));
    }
    await expect(`${pages.join("\n\n")}\n`).toMatchFileSnapshot("help.txt");
  });
});

const WRONG: readonly (readonly string[])[] = [
  ["sink"],
  ["syn"],
  ["statsu"],
  ["status", "--jsn"],
  ["resolve", "a.md", "--mien"],
  ["service", "instal"],
  ["service", "print", "w", "--for", "upstart"],
  ["completion", "tcsh"],
  ["serve", "admin", "kyes"],
  ["plan", "a", "b"],
  ["protect", "a.md", ""],
  ["search", "a", "--limit", ""],
  ["undo", "--since", "-2h"],
  ["undo", "--since"],
  ["status", "--json=yes"],
  ["protect"],
  ["sync", "--max-deletes", "many"],
  ["sync", "--pull-only", "--push-only"],
  ["status", "--max-age", "soon"],
  ["init", "x"],
  ["init", "x", "--url", "http://u", "--prefer", "mine"],
  ["serve", "--port", "70000"],
  ["serve", "--docs-base", "docs.example.org"],
  ["serve", "--tls-cert", "c.pem"],
  ["serve", "--host", "0.0.0.0"],
  ["status"],
  ["init", "x", "--url", "http://example.org"],
  ["init", "x", "--url", "https://example.org"],
  ["search"],
  ["search", " ", "w"],
  ["search", "a", "w", "--limit", "0"],
  ["search", "a", "w", "--limit", "501"],
  ["search", "a\nb", "w", "--regex"],
  ["search", "a".repeat(1_025), "w", "--regex"],
  ["service", "install", "w", "--for", "launchd"],
  ["status", "w", "--all"],
  ["watch", "--all", "w"],
  ["watch", "--all", "--url", "http://x"],
  ["conflicts", "show"],
  ["hooks", "test"],
  ["hooks", "test", "no", "--event", "x"],
  ...[
    ["keys", "create", "--grant", "/=read"],
    ["keys", "create", "--label", "x"],
    ["keys", "create", "--label", "x", "--grant", "/=owner"],
    ["keys", "change", "owner", "--expires", "2020-01-01"],
    ["keys", "change", "owner", "--expires", "2027-02-30"],
    ["keys", "change", "owner"],
    ["keys", "list", "all"],
    ["keys", "make"],
    ["keys", "constructor"],
    ["reviews", "accept"],
    ["reviews", "--label", "x"],
  ].map((argv) => ["serve", "admin", ...argv]),
];

const shown = (word: string) => (/^[^\s]+$/.test(word) ? word.replace(/(.{40}).+/, "$1…") : JSON.stringify(word));

describe("usage errors", () => {
  test("end with 2, say what to do next, and are this text", async () => {
    const pages: string[] = [];
    for (const argv of WRONG) {
      const { err, ...ended } = await rig.run(argv);
      expect([argv, ended]).toEqual([argv, { code: 2, out: [], asked: [] }]);
      expect(err.at(-1)).toMatch(/^ {2}next: /);
      pages.push([`$ mdmirror ${argv.map(shown).join(" ")}`, ...err].join("\n"));
    }
    await expect(`${pages.join("\n\n")}\n`).toMatchFileSnapshot("usage-errors.txt");
  });

  test("no command at all shows the overview on standard error", async () => {
    const { code, out, err } = await rig.run([]);
    expect([code, out.length, err[2]]).toEqual([2, 0, "usage: mdmirror COMMAND [DIR] [options]"]);
  });
});

const HEAVY = /node_modules\/(undici|fastify|better-sqlite3|p-queue|chokidar|ignore)\//;

describe("what mdmirror --help loads", () => {
  test("is no package", () => {
    const hook = `import { registerHooks } from "node:module"; registerHooks({ load(url, context, next) { process.stderr.write("LOAD " + url + "\\n"); return next(url, context); } });`;
    const entry = fileURLToPath(new URL("../../src/cli/entry.mjs", import.meta.url));
    const args = ["--import", `data:text/javascript,${encodeURIComponent(hook)}`, entry, "--help"];
    const { stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
    const loaded = stderr.split("\n").filter((line) => line.startsWith("LOAD file:"));
    expect(loaded.length).toBeGreaterThan(2);
    expect(loaded.filter((line) => HEAVY.test(line))).toEqual([]);
  });
});

describe("what Node compiled is kept", () => {
  /** Returns true if a start of the program leaves a compile cache in a folder with this mode. */
  function keeps(mode: number | null): boolean {
    const cache = temporaryFolder();
    if (mode !== null) mkdirSync(join(cache, "mdmirror"));
    if (mode !== null) chmodSync(join(cache, "mdmirror"), mode);
    const env = { ...process.env, XDG_CACHE_HOME: cache, NODE_COMPILE_CACHE: undefined };
    const { status, stdout } = spawnSync(process.execPath, [ENTRY, "--version"], { encoding: "utf8", env });
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
    return existsSync(join(cache, "mdmirror/compiled"));
  }

  test("in a folder of the user's own, made for nobody else", () => {
    expect([keeps(null), keeps(0o700)]).toEqual([true, true]);
  });

  test("but not in one whose contents others could choose", () => {
    expect([keeps(0o770), keeps(0o707)]).toEqual([false, false]);
  });

  test.each(["", "local"])("and never below the present folder, where HOME is %j", (home) => {
    const cwd = mkdtempSync(join(rig.dir, "home-"));
    const env = { ...process.env, HOME: home, XDG_CACHE_HOME: undefined, NODE_COMPILE_CACHE: undefined };
    expect(spawnSync(process.execPath, [ENTRY, "--version"], { cwd, env }).status).toBe(0);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test.runIf(process.platform === "linux")("and nowhere if no folder can be created (needs Linux)", () => {
    const env = { ...process.env, XDG_CACHE_HOME: "/proc/no-such-folder", NODE_COMPILE_CACHE: undefined };
    expect(spawnSync(process.execPath, [ENTRY, "--version"], { env, timeout: 20_000 }).status).toBe(0);
  });
});
