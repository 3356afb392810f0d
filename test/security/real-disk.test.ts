import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createNodeFs } from "../../src/mirror/local/node-fs.ts";
import { startHttp } from "../../src/service/http/server.ts";
import { openRig, type Rig, snapshot } from "../cli/rig.ts";
import { LIE, lieAbout, lieAt, type Lies } from "./liar.ts";

/**
 * I26 once more through the command line, HTTP and a real disk: what lies around the root is as it
 * was.
 */

const SECRET = "a text of somebody else\n";

let rig: Rig;
let lies: Lies = {};
let url: string;
let close: () => Promise<void>;
let outside: string;

beforeEach(async () => {
  rig = await openRig();
  lies = {};
  const server = await startHttp({ handle: lieAbout(rig.service.handle, () => lies) });
  ({ url, close } = server);
  outside = join(rig.dir, "outside");
  mkdirSync(join(outside, "g"), { recursive: true });
  for (const name of ["x.md", "a.md", "g/e.md"]) writeFileSync(join(outside, name), SECRET);
  writeFileSync(join(rig.dir, "x.md"), SECRET);
});
afterEach(async () => {
  await close();
  await rig.close();
});

const sync = () => rig.run(["sync", "w", "--url", url, "--json"]);

/** Text files below, `.mdmirror` apart. */
function texts(): string[] {
  return readdirSync(rig.root, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes(".mdmirror"))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}

/** Everything around the mirrored folder that is not the rig's own. */
function around(): Map<string, string> {
  const found = new Map([...snapshot(outside)]);
  found.set("x.md", readFileSync(join(rig.dir, "x.md"), "utf8"));
  found.set("names", readdirSync(rig.dir).sort().join(" "));
  return found;
}

describe("I26 on a real disk, over HTTP", () => {
  test("hostile paths, all at once: honest documents are synced, and every lie is inside or told", async () => {
    rig.api("POST", "/v1/files", { path: "good/one.md", content: "one\n" });
    await rig.init();
    rig.write("mine.md", "mine\n");
    mkdirSync(join(rig.root, ".git/hooks"), { recursive: true });
    writeFileSync(join(rig.root, ".git/hooks/x.md"), SECRET);
    const paths = [
      "../x.md",
      "../outside/x.md",
      "a/../../x.md",
      `${outside}/x.md`,
      "/etc/mdmirror-test.md",
      ".mdmirror/x.md",
      ".mdmirror/state.db/x.md",
      ".MDMIRROR/x.md",
      ".git/hooks/x.md",
      "a\0.md",
      "a\nb.md",
      "a\u202eb.md",
      "\u200b.md",
      `${"\u754c".repeat(252)}.md`,
      `${"d/".repeat(250)}x.md`,
      `${`${"n".repeat(250)}/`.repeat(20)}x.md`,
      `${"x".repeat(5_000)}.md`,
      "CON",
      "aux.md",
      "x.md.",
      "caf\u00e9.md",
      "cafe\u0301.md",
      "Case.md",
      "case.md",
      "note (theirs).md",
      "\ud800.md",
      "$(touch pwned).md",
      "`touch pwned`.md",
      "-rf.md",
      12,
      null,
    ];
    lies = { files: paths.map((path) => lieAt(path)), folders: [{ id: "dir_lie", path: "../outside/made" }] };
    const before = around();
    const { code, out, err } = await sync();
    expect([code, err]).toEqual([3, expect.anything()]);
    const report = JSON.parse(out.at(-1)!) as { attention: { kind: string; detail: string }[] };
    expect(report.attention.map(({ kind }) => kind)).toContain("listing-misread");
    expect(report.attention.map(({ kind }) => kind)).toContain("remote-name-unsafe");
    expect(rig.read("good/one.md")).toBe("one\n");
    expect(rig.remote("mine.md")!.content).toBe("mine\n");
    expect(texts().filter((text) => text === LIE).length).toBeGreaterThanOrEqual(12);
    await sync();
    expect(around()).toEqual(before);
    expect(existsSync("/etc/mdmirror-test.md")).toBe(false);
    expect(readFileSync(join(rig.root, ".git/hooks/x.md"), "utf8")).toBe(SECRET);
    expect(existsSync(join(rig.root, ".mdmirror/x.md"))).toBe(false);
    // What is too long for this disk is told, with its errno, and holds nothing else up.
    expect(JSON.stringify(report.attention)).toMatch(/ENAMETOOLONG|too long/);
  });

  test("a document that is swapped for a symlink and back, all the time, while syncs run", async () => {
    for (const name of ["a", "b", "g/e"])
      rig.api("POST", "/v1/files", { path: `f/${name}.md`, content: `${name} 0\n` });
    await rig.init();
    const before = around();
    // LIMIT: a folder above, swapped at this pace, can be hit between a look at it and the system
    // call (RACE in src/mirror/local/root-guard.ts).
    const code = `
      const { renameSync, symlinkSync, unlinkSync } = require("node:fs");
      const [file, target, aside] = process.argv.slice(1);
      let on = true, n = 0;
      process.on("SIGTERM", () => { on = false; });
      const tried = (act) => { try { act(); } catch (error) { if (error.code !== "ENOENT") throw error; } };
      const spin = () => { const until = process.hrtime.bigint() + 300000n; while (process.hrtime.bigint() < until); };
      const turn = () => {
        console.log(n);
        if (!on) return;
        for (let i = 0; i < 50; i++) {
          symlinkSync(target, aside); tried(() => renameSync(aside, file)); spin();
          tried(() => unlinkSync(file)); spin(); n++;
        }
        setImmediate(turn);
      };
      turn();`;
    const args = [join(rig.root, "f/a.md"), join(outside, "a.md"), join(rig.root, "f/aside")];
    const swapper = spawn(process.execPath, ["-e", code, ...args], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    swapper.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    /** What the last whole line counts. */
    const swaps = () => Number(said.split("\n").at(-2) ?? 0);
    const ended = new Promise((resolve) => swapper.once("close", resolve));
    const { id } = rig.remote("f/a.md")!;
    // However fast the syncs are: they go on until enough has been swapped beside them.
    for (let round = 1; round <= 8 || swaps() <= 100; round++) {
      const now = rig.remote("f/a.md");
      if (now?.id === id)
        rig.api("PUT", `/v1/files/${id}/content`, { baseChangeId: now.lastChangeId, content: `a ${round}\n` });
      await sync();
      expect(around()).toEqual(before);
    }
    swapper.kill("SIGTERM");
    await ended;
    expect(swaps()).toBeGreaterThan(100);
    await sync();
    expect(around()).toEqual(before);
    const { data } = rig.api("GET", "/v1/files?limit=1000") as { data: { id: string }[] };
    for (const file of data)
      expect((rig.api("GET", `/v1/files/${file.id}`) as { content: string }).content).not.toBe(SECRET);
    expect(texts()).not.toContain(SECRET);
    expect([rig.read("f/b.md"), rig.read("f/g/e.md")]).toEqual(["b 0\n", "g/e 0\n"]);
  });

  test("a symlink in the place of a new document stays, and is told", async () => {
    rig.api("POST", "/v1/files", { path: "a.md", content: "a\n" });
    await rig.init();
    symlinkSync(join(outside, "a.md"), join(rig.root, "b.md"));
    rig.api("POST", "/v1/files", { path: "b.md", content: "b\n" });
    expect((await sync()).code).toBe(3);
    expect(createNodeFs().lstat(join(rig.root, "b.md")).kind).toBe("symlink");
    expect(readFileSync(join(outside, "a.md"), "utf8")).toBe(SECRET);
  });
});
