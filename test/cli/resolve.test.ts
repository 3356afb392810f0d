import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { snapshot, useRig } from "./rig.ts";

const BASE = "# Plan\n\none\ntwo\nthree\n";
const MINE = "# Plan\n\none\nmine\nthree\n";
const THEIRS = "# Plan\n\none\ntheirs\nthree\n";
const MERGED = "# Plan\n\none\nmine and theirs\nthree\n";

const rig = useRig();
beforeEach(async () => {
  rig.createRemotely("plan.md", BASE);
  await rig.init();
  rig.write("plan.md", MINE);
  rig.editRemotely("plan.md", THEIRS);
  expect((await rig.run(["sync", "w"])).code).toBe(3);
});

describe("resolve", () => {
  test.each([
    ["--mine", MINE],
    ["--theirs", THEIRS],
  ])("%s ends the conflict, says what is kept, and syncs", async (way, text) => {
    const { code, out } = await rig.run(["resolve", "w/plan.md", way]);
    expect(code).toBe(0);
    expect(out.join("\n")).toMatch(/kept as \.mdmirror\/trash\//);
    expect([rig.read("plan.md"), rig.remote("plan.md")!.content]).toEqual([text, text]);
    expect(rig.exists("plan (theirs).md")).toBe(false);
    expect((await rig.run(["conflicts", "w"])).code).toBe(0);
  });

  test("--merged FILE takes the content of a file; --json has the choice and the run", async () => {
    writeFileSync(join(rig.dir, "merged.md"), MERGED);
    expect(await rig.json(["resolve", "w/plan.md", "--merged", "merged.md"])).toMatchObject({
      exit: 0,
      way: "merged",
      items: [{ path: "plan.md", end: "done" }],
      sync: { state: "in-sync" },
    });
    expect(rig.remote("plan.md")!.content).toBe(MERGED);
  });

  test("--theirs of a document deleted on the service says where its content is, and changes nothing", async () => {
    rig.deleteRemotely("plan.md");
    const { code } = await rig.run(["resolve", "w/plan.md", "--theirs"]);
    expect(code).toBe(1);
    expect([rig.read("plan.md"), rig.read("plan (theirs).md")]).toEqual([MINE, THEIRS]);
  });

  test("--no-sync only changes this folder", async () => {
    expect((await rig.run(["resolve", "w/plan.md", "--mine", "--no-sync"])).code).toBe(0);
    expect(rig.remote("plan.md")!.content).toBe(THEIRS);
    await rig.run(["sync", "w"]);
    expect(rig.remote("plan.md")!.content).toBe(MINE);
  });

  test("--tool gives the tool base, mine and theirs, and takes what it made", async () => {
    const tool = join(rig.dir, "tool.sh");
    writeFileSync(
      tool,
      `#!/bin/sh\ngrep -q two "$2" && grep -q mine "$1" && grep -q theirs "$3" && printf '${MERGED}' > "$4"\n`,
    );
    chmodSync(tool, 0o755);
    const env = { PATH: process.env["PATH"], MDMIRROR_MERGETOOL: tool };
    expect((await rig.run(["resolve", "w/plan.md", "--tool"], { env })).code).toBe(0);
    expect(rig.remote("plan.md")!.content).toBe(MERGED);
  });

  test("I23 --tool --dry-run starts no tool", async () => {
    const trace = join(rig.dir, "started");
    const env = { PATH: process.env["PATH"], MDMIRROR_MERGETOOL: `touch '${trace}'; false` };
    expect((await rig.run(["resolve", "w/plan.md", "--tool", "--dry-run"], { env })).code).toBe(0);
    expect(existsSync(trace)).toBe(false);
  });

  test("--tool runs git's configured merge tool", async () => {
    const config = join(rig.dir, "gitconfig");
    const cmd = `grep -q two \\"$BASE\\" && cat \\"$LOCAL\\" \\"$REMOTE\\" > \\"$MERGED\\"`;
    writeFileSync(config, `[merge]\n\ttool = mine\n[mergetool "mine"]\n\tcmd = "${cmd}"\n\ttrustExitCode = true\n`);
    const env = { PATH: process.env["PATH"], HOME: rig.dir, GIT_CONFIG_GLOBAL: config };
    expect((await rig.run(["resolve", "w/plan.md", "--tool"], { env })).code).toBe(0);
    expect(rig.remote("plan.md")!.content).toBe(MINE + THEIRS);
  });

  test("--tool that fails, or leaves the content unchanged, changes nothing", async () => {
    for (const tool of ["false", "true"]) {
      const env = { PATH: process.env["PATH"], MDMIRROR_MERGETOOL: tool };
      expect((await rig.run(["resolve", "w/plan.md", "--tool"], { env })).code).toBe(2);
    }
    expect([rig.read("plan.md"), rig.read("plan (theirs).md")]).toEqual([MINE, THEIRS]);
  });

  test("no way, two ways, a way that does not fit and a path with nothing open are usage errors", async () => {
    for (const argv of [[], ["--mine", "--theirs"], ["--keep"], ["--recreate", "--yes"]])
      expect((await rig.run(["resolve", "w/plan.md", ...argv])).code).toBe(2);
    expect((await rig.run(["resolve", "w/other.md", "--mine"])).code).toBe(2);
    expect(rig.read("plan.md")).toBe(MINE);
  });
});

describe("conflicts", () => {
  test("lists age and sizes, and writes nothing (I23)", async () => {
    rig.pass(2 * 3_600_000);
    const before = snapshot(rig.root);
    const { code, out } = await rig.run(["conflicts", "w"]);
    expect(code).toBe(3);
    expect(out[0]).toMatch(/^plan\.md {2}conflict for 2 h {2}mine 23 bytes {2}theirs 25 bytes$/);
    expect(await rig.json(["conflicts", "w"])).toMatchObject({
      conflicts: [{ path: "plan.md", conflictCopy: "plan (theirs).md", mine: 23, theirs: 25 }],
      blocked: [],
    });
    expect(snapshot(rig.root)).toEqual(before);
  });

  test("show prints the hunk of each version; in colour on a terminal, plain with NO_COLOR", async () => {
    const plain = await rig.run(["conflicts", "show", "w/plan.md"]);
    expect(plain.out.slice(1)).toEqual([
      "@@ 1 of 1: mine line 4, theirs line 4, base line 4 @@",
      "base   | two",
      "mine   | mine",
      "theirs | theirs",
    ]);
    const coloured = await rig.run(["conflicts", "show", "w/plan.md"], { terminal: true });
    expect(coloured.out.join("\n")).toContain("\u001b[32mmine");
    const env = { NO_COLOR: "1" };
    expect((await rig.run(["conflicts", "show", "w/plan.md"], { terminal: true, env })).out).toEqual(plain.out);
  });
});
