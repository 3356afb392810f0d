import { chmodSync, existsSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useRig, useSyncedRig } from "./rig.ts";
import { snapshot } from "../temporary-folder.ts";

describe("one conflict", () => {
  const BASE = "# Plan\n\none\ntwo\nthree\n";
  const MINE = "# Plan\n\none\nmine\nthree\n";
  const THEIRS = "# Plan\n\none\ntheirs\nthree\n";
  const MERGED = "# Plan\n\none\nmine and theirs\nthree\n";

  const rig = useRig();
  beforeEach(async () => {
    rig.createRemotely("plan.md", BASE);
    await rig.init();
    rig.editBoth("plan.md", MINE, THEIRS);
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
});

describe("resolve of many", () => {
  const PATHS = ["a.md", "d/b.md", "d/e/c.md"] as const;
  const text = (name: string, two: string, four = "four") => `# ${name}\n\none\n\n${two}\n\nthree\n\n${four}\n`;

  const documents = [...PATHS, "k.md"].map((path) => [path, text(path, "two")]);
  const { rig, run, json } = useSyncedRig(Object.fromEntries(documents));
  beforeEach(async () => {
    for (const path of PATHS) {
      rig.editBoth(path, text(path, "mine"), text(path, "theirs"));
    }
    expect((await run("sync")).code).toBe(3);
  });

  async function inConflict(): Promise<string[]> {
    const { conflicts } = await json<{ conflicts: { path: string }[] }>("conflicts");
    return conflicts.map(({ path }) => path);
  }

  test.each([
    ["--mine", "mine"],
    ["--theirs", "theirs"],
  ])("--all %s ends every conflict as one run, and its undo opens them again", async (way, word) => {
    const { code, out } = await run("resolve", "--all", way);
    expect([code, out]).toEqual([0, expect.arrayContaining([`3 resolved, ${word}`])]);
    for (const path of PATHS)
      expect([rig.read(path), rig.remote(path)!.content]).toEqual([text(path, word), text(path, word)]);
    expect([await inConflict(), rig.exists("a (theirs).md")]).toEqual([[], false]);
    const [line] = out.filter((one) => one.includes("undo it:"));
    const number = /mdmirror undo (\d+)$/.exec(line!)![1]!;
    expect((await run("undo", number, "--yes")).code).toBe(3);
    for (const path of PATHS)
      expect([rig.read(path), rig.remote(path)!.content]).toEqual([text(path, "mine"), text(path, "theirs")]);
    expect([await inConflict(), rig.read("a (theirs).md")]).toEqual([[...PATHS], text("a.md", "theirs")]);
  });

  test("from outside of the linked folder, the command that undoes the run names the folder", async () => {
    const { out } = await rig.run(["resolve", "--all", "--mine", "w"], { cwd: rig.dir });
    const [line] = out.filter((one) => one.includes("undo it:"));
    const [, root, number] = /mdmirror undo (\S+) (\d+)$/.exec(line!)!;
    expect(root).toBe(realpathSync(rig.root));
    expect((await rig.run(["undo", root!, number!, "--yes"], { cwd: rig.dir })).code).toBe(3);
    expect(await inConflict()).toEqual([...PATHS]);
  });

  test("--dry-run prints the plan, in lines and as JSON, and writes nothing (I23)", async () => {
    const before = snapshot(rig.root);
    const { code, out } = await run("resolve", "d", "--mine", "--dry-run");
    expect(out).toEqual([
      "  d/b.md  will be resolved, mine",
      "  d/e/c.md  will be resolved, mine",
      "2 would be resolved, mine; nothing was done",
    ]);
    expect(code).toBe(0);
    const plan = await json("resolve", "--all", "--theirs", "--dry-run");
    expect(plan).toMatchObject({ way: "theirs", run: null, items: Array(3).fill({ end: "planned" }), sync: null });
    expect(snapshot(rig.root)).toEqual(before);
  });

  test("folders, globs, (theirs) files and paths that a shell expanded; the others stay", async () => {
    expect(await json("resolve", "k.md", "a (theirs).md", "d/*.md", "--mine")).toMatchObject({
      exit: 0,
      items: [
        { path: "a.md", end: "done" },
        { path: "d/b.md", end: "done" },
      ],
    });
    expect(await inConflict()).toEqual(["d/e/c.md"]);
    expect((await run("resolve", "**/c.md", "--mine")).code).toBe(0);
    expect(await inConflict()).toEqual([]);
  });

  test("--merged-where-clean takes what merges by now, with the (theirs) file as it is, and leaves the rest", async () => {
    rig.write("a.md", text("a.md", "two", "four, mine"));
    rig.write("d/b (theirs).md", text("The b", "two"));
    const ended = await rig.json(["resolve", "--all", "--merged-where-clean"], { cwd: rig.root });
    expect(ended).toMatchObject({ exit: 3, items: [{ end: "done" }, { end: "done" }, { end: "left" }] });
    expect(rig.remote("a.md")!.content).toBe(text("a.md", "theirs", "four, mine"));
    expect(rig.remote("d/b.md")!.content).toBe(text("The b", "mine"));
    expect([rig.read("d/e/c.md"), await inConflict()]).toEqual([text("d/e/c.md", "mine"), ["d/e/c.md"]]);
  });

  test("a merge that keeps conflict markers is left and named, too", async () => {
    rig.write("a.md", `${text("a.md", "two")}\n<<<<<<< a\nmine\n=======\nb\n>>>>>>> b\n`);
    const { code, err } = await run("resolve", "a.md", "--merged-where-clean");
    expect([code, err]).toEqual([3, [expect.stringMatching(/^a\.md: /)]]);
    expect(rig.remote("a.md")!.content).toBe(text("a.md", "theirs"));
    expect(await inConflict()).toEqual([...PATHS]);
  });

  test("a review is ended by its own path alone", async () => {
    rig.protectRemotely("k.md");
    await run("sync");
    rig.write("k.md", text("k.md", "for review"));
    await rig.run(["sync"], { cwd: rig.root, terminal: true });
    await run("resolve", "k.md", "a.md", "--theirs");
    expect([rig.read("k.md"), rig.read("a.md")]).toEqual([text("k.md", "for review"), text("a.md", "theirs")]);
    expect((await run("resolve", "k.md", "--theirs")).out[0]).toBe("k.md: resolved, theirs");
    expect(rig.read("k.md")).toBe(text("k.md", "two"));
  });

  test("the service not reached: nothing is taken from it, each says why, and the rest can be done later", async () => {
    await rig.stopService();
    const { code, err } = await run("resolve", "--all", "--theirs");
    expect([code, err]).toEqual([5, expect.arrayContaining([expect.stringMatching(/^a\.md: not done: /)])]);
    expect(await inConflict()).toEqual([...PATHS]);
    expect((await run("resolve", "d", "--mine")).code).toBe(5);
    expect(await inConflict()).toEqual(["a.md"]);
  });

  test("what names nothing, or does not go together, is a usage error, and nothing is done", async () => {
    const wrong = [
      ["nothing/*.md", "--mine"],
      ["a.md", "nothing.md", "--mine"],
      ["k.md", "--merged-where-clean"],
      ["k*", "--mine"],
      ["--mine"],
      ["--all", "--keep"],
      ["a.md", "d/b.md", "--merged", "x"],
      ["a.md", "--keep", "--dry-run"],
      ["--all", "a", "b", "--mine"],
      ["a/**/b/**/c/**/d.md", "--mine"],
    ];
    for (const argv of wrong) expect([argv, (await run("resolve", ...argv)).code]).toEqual([argv, 2]);
    expect(await inConflict()).toEqual([...PATHS]);
    await run("resolve", "--all", "--mine");
    expect(await run("resolve", "--all", "--mine")).toMatchObject({
      code: 0,
      out: ["nothing to do"],
    });
  });
});

describe("a command with a problem of another document", () => {
  const rig = useRig();

  const clash = (path: string) => rig.editBoth(path, "# Title\n\nlocal words\n", "# Title\n\nother words\n");

  beforeEach(async () => {
    for (const path of ["plan.md", "other.md", "note.md"]) rig.createRemotely(path, "# Title\n\nbase words\n");
    await rig.init();
    rig.write("note.md", "second version\n");
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    clash("other.md");
    expect((await rig.run(["sync", "w"])).code).toBe(3);
  });

  const linesOn = (lines: readonly string[]) => lines.filter((line) => line.includes("other document")).length;

  test.each([
    ["restore", "w/note.md@1"],
    ["undo", "w", "2", "--yes"],
  ])("%s succeeds, and one line names the other document", async (...argv) => {
    const { code, out, err } = await rig.run(argv);
    expect([code, linesOn(out), err]).toEqual([0, 1, []]);
    expect(rig.remote("note.md")!.content).toBe(rig.read("note.md"));
    expect(rig.read("note.md")).not.toBe("second version\n");
  });

  test("resolve succeeds, and one line reports the other document", async () => {
    clash("plan.md");
    expect((await rig.run(["sync", "w"])).code).toBe(3);
    const { code, out, err } = await rig.run(["resolve", "w/plan.md", "--mine"]);
    expect([code, linesOn(out), err]).toEqual([0, 1, []]);
  });

  test("a command fails by a problem of its own document", async () => {
    rig.editRemotely("note.md", "# Title\n\nwords of somebody else\n");
    const { code, err } = await rig.run(["restore", "w/note.md@1"]);
    expect([code, err.length > 0]).toEqual([3, true]);
    expect((await rig.run(["conflicts", "w"])).code).toBe(3);
  });

  test("JSON has all problems, and the exit code is that of the command's own documents", async () => {
    const sync = { state: "attention", attention: [{ path: "other.md" }] };
    expect(await rig.json(["restore", "w/note.md@1"])).toMatchObject({ exit: 0, sync });
  });
});
