import { existsSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();
const database = () => rig.path(".mdmirror/search.db");

const json = async (...argv: string[]) => JSON.parse((await rig.run(["search", ...argv, "w", "--json"])).out[0]!);

describe("search", () => {
  test("prints path, line and text as grep does, offline, with what is not uploaded yet", async () => {
    rig.createRemotely("a/b.md", "# Title\n\nA quokka here.\n");
    await rig.init();
    await rig.stopService();
    rig.write("new.md", "one\nthe quokka\n");
    const { code, out, err } = await rig.run(["search", "quokka", "w"]);
    expect([code, out.sort(), err]).toEqual([0, ["a/b.md:3:A quokka here.", "new.md:2:the quokka"], []]);
  });

  test("finds no configuration of a folder, by words or by a pattern", async () => {
    await rig.init();
    rig.write("d/.qontext.structure.md", "---\nkind: notes\n---\nthe quokka rules\n");
    rig.write("d/note.md", "the quokka\n");
    expect((await rig.run(["search", "quokka", "w"])).out).toEqual(["d/note.md:1:the quokka"]);
    expect((await rig.run(["search", "quok+a", "w", "--regex"])).out).toEqual(["d/note.md:1:5:the quokka"]);
  });

  test("lets other work run while it indexes many documents", async () => {
    await rig.init();
    for (let n = 0; n < 1_000; n++) rig.write(`n${n}.md`, "quokka\n");
    let [turns, isOver] = [0, false];
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    expect((await json("quokka", "--limit", "1")).indexed).toBe(1_000);
    isOver = true;
    expect(turns).toBeGreaterThan(3);
  });

  test("--json is one object, and finding nothing is no error", async () => {
    await rig.init();
    rig.write("a.md", "压缩文件\n");
    expect(await json("压缩")).toEqual({
      query: "压缩",
      regex: false,
      files: [
        {
          path: "a.md",
          score: expect.any(Number),
          lines: [{ line: 1, column: 1, text: "压缩文件", ranges: [[0, 2]] }],
        },
      ],
      indexed: 1,
    });
    const { code, out, err } = await rig.run(["search", "nothing", "w"]);
    expect([code, out, err]).toEqual([0, [], ["mdmirror: nothing found"]]);
    expect((await rig.run(["search", "nothing", "w", "--json"])).err).toEqual([]);
  });

  test("follows the disk: edits, renames, deletions, ignored files and folders", async () => {
    await rig.init();
    rig.write("a.md", "wombat\n");
    rig.write("b.md", "wombat\n");
    rig.write(".hidden/c.md", "wombat\n");
    rig.write("note (theirs).md", "wombat\n");
    rig.write("d.txt", "wombat\n");
    const paths = async (query: string) => (await json(query)).files.map(({ path }: { path: string }) => path);
    expect((await paths("wombat")).sort()).toEqual(["a.md", "b.md"]);
    rig.write("a.md", "numbat\n");
    rig.remove("b.md");
    rig.write("e/f.md", "wombat\n");
    expect([await paths("wombat"), await paths("numbat")]).toEqual([["e/f.md"], ["a.md"]]);
  });

  test("a damaged index is rebuilt, and so is a missing one", async () => {
    await rig.init();
    rig.write("a.md", "wombat\n");
    await rig.run(["search", "wombat", "w"]);
    truncateSync(database(), 5_000);
    expect((await rig.run(["search", "wombat", "w"])).out).toEqual(["a.md:1:wombat"]);
    writeFileSync(database(), "x".repeat(10_000));
    expect((await rig.run(["search", "wombat", "w"])).out).toEqual(["a.md:1:wombat"]);
    rmSync(database());
    expect((await rig.run(["search", "wombat", "w"])).out).toEqual(["a.md:1:wombat"]);
    expect(existsSync(database())).toBe(true);
  });

  test("marks matches on a terminal, unless NO_COLOR, and lets no document steer it", async () => {
    await rig.init();
    rig.write("a.md", "\u001b[2J a wombat\u0007\n");
    const shown = (env: Record<string, string>) => rig.run(["search", "wombat", "w"], { terminal: true, env });
    expect((await shown({})).out).toEqual([
      "\x1b[36ma.md\x1b[0m:\x1b[32m1\x1b[0m:\ufffd[2J a \x1b[31mwombat\x1b[0m\ufffd",
    ]);
    expect((await shown({ NO_COLOR: "1" })).out).toEqual(["a.md:1:\ufffd[2J a wombat\ufffd"]);
  });
});
