import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { manPages } from "../../scripts/build/man-pages.ts";
import { COMMANDS } from "../../src/cli/table.ts";
import { EXIT } from "../../src/cli/exit.ts";

const source = fileURLToPath(new URL("../../src/", import.meta.url));
let pages: ReadonlyMap<string, string>;
let folder: string;

beforeAll(async () => {
  pages = await manPages("1.2.3");
  folder = mkdtempSync(join(tmpdir(), "mdmirror-man-"));
  for (const [name, text] of pages) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("the man pages", () => {
  test("are one of the program and one of each command, which names its usage and options", async () => {
    expect(pages.size).toBe(COMMANDS.length + 1);
    for (const { name, load } of COMMANDS) {
      const { command } = await load();
      const page = pages.get(`mdmirror-${name}.1`)!;
      for (const option of Object.keys(command.options))
        expect(page).toContain(`\\-\\-${option.replaceAll("-", "\\-")}`);
      expect(pages.get("mdmirror.1")).toContain(`.B mdmirror\\-${name.replaceAll("-", "\\-")}(1)`);
    }
  });

  test("are all listed in package.json, by which npm installs them", () => {
    const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    expect(manifest.man).toEqual([...pages.keys()].map((name) => `dist/man/${name}`));
  });

  test("name every exit code and every variable of ours that the program reads", () => {
    const page = pages.get("mdmirror.1")!;
    for (const code of Object.values(EXIT)) expect(page).toContain(`.B ${code}\n`);
    const read = globSync("**/*.{ts,mjs}", { cwd: source }).flatMap(
      (file) => readFileSync(join(source, file), "utf8").match(/\bMDMIRROR_[A-Z_]+\b/g) ?? [],
    );
    expect(read.length).toBeGreaterThan(5);
    for (const name of new Set(read)) expect(page).toContain(`.B ${name}\n`);
  });

  const hasMan = ["man", "groff"].every((program) => spawnSync(program, ["--version"]).status === 0);
  test.skipIf(!hasMan)("are set without a warning, and are found by their names (skipped without man)", () => {
    const env = { ...process.env, LC_ALL: "C.UTF-8", MANWIDTH: "80" };
    const files = [...pages.keys()].map((name) => join(folder, name));
    // One process for all pages, because `man` starts several processes for each.
    const set = spawnSync("groff", ["-Tutf8", "-mandoc", "-ww", "-z", ...files], { encoding: "utf8", env });
    expect([set.status, set.stderr]).toEqual([0, ""]);
    const page = spawnSync("man", ["-l", join(folder, "mdmirror-sync.1")], { encoding: "utf8", env });
    expect([page.status, page.stdout]).toEqual([0, expect.stringContaining("Sync once.")]);
    const named = spawnSync("lexgrog", files, { encoding: "utf8", env });
    expect(named.stdout.match(/: "mdmirror(-[a-z-]+)? - /g)).toHaveLength(pages.size);
  });
});
