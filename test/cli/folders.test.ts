import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();
const run = (...argv: string[]) => rig.run(argv);
const INSIDE = ["guides/a.md", "team/notes/b.md"];
const OUTSIDE = ["c.md", "team/d.md", "other/e.md", "guides-old/f.md"];

async function linked(): Promise<void> {
  for (const path of [...INSIDE, ...OUTSIDE]) rig.createRemotely(path, `${path}\n`);
  expect((await rig.init("--remote", "guides", "--remote", "team/notes")).code).toBe(0);
}

describe("a list of folders of the workspace", () => {
  test("links each folder at its own path, and leaves everything else alone on both sides", async () => {
    await linked();
    for (const path of INSIDE) expect(rig.read(path)).toBe(`${path}\n`);
    expect(OUTSIDE.filter((path) => rig.exists(path))).toEqual([]);
    rig.write("guides/a.md", "edited\n");
    rig.write("guides/deep/new.md", "new\n");
    for (const path of ["mine.md", "team/mine.md", "other/mine.md"]) rig.write(path, "mine\n");
    for (const folder of ["", "team/"]) rig.write(`${folder}.mdmirrorignore`, "!mine.md\n");
    expect((await run("sync", "w")).code).toBe(0);
    expect(rig.remote("guides/a.md")?.content).toBe("edited\n");
    expect(rig.remote("guides/deep/new.md")?.content).toBe("new\n");
    for (const path of ["mine.md", "team/mine.md", "other/mine.md"]) expect(rig.remote(path)).toBeNull();
    for (const path of OUTSIDE) expect(rig.remote(path)?.content).toBe(`${path}\n`);
    expect(await rig.json(["status", "w"])).toMatchObject({ exit: 0, remote: ["guides", "team/notes"] });
    expect((await run("verify", "w")).code).toBe(0);
    expect(await rig.json(["why", "w/mine.md"])).toMatchObject({ stays: { kind: "ignored" } });
  });

  test("I18 a shorter list deletes nothing on either side, and a longer one continues where it was", async () => {
    await linked();
    expect((await run("config", "set", "remote", '["guides"]', "w")).code).toBe(0);
    rig.remove("team");
    for (let times = 0; times < 2; times++) expect((await run("sync", "w")).code).toBe(0);
    expect(rig.remote("team/notes/b.md")?.content).toBe("team/notes/b.md\n");
    expect((await run("config", "set", "remote", '["guides","team/notes","other"]', "w")).code).toBe(0);
    expect((await run("sync", "w")).code).toBe(0);
    for (const path of ["team/notes/b.md", "other/e.md"]) expect(rig.read(path)).toBe(`${path}\n`);
    expect((await run("config", "unset", "remote", "w")).code).toBe(0);
    expect((await run("sync", "w")).code).toBe(0);
    for (const path of [...INSIDE, ...OUTSIDE])
      expect([rig.read(path), rig.remote(path)?.content]).toEqual([`${path}\n`, `${path}\n`]);
  });

  test("I18 a document that moves out of the folders on one side is deleted on neither", async () => {
    await linked();
    rig.rename("guides/a.md", "a.md");
    for (let times = 0; times < 3; times++) await run("sync", "w");
    expect(rig.read("a.md")).toBe("guides/a.md\n");
    expect(rig.remote("guides/a.md")?.content).toBe("guides/a.md\n");
  });

  test("a list and one folder cannot be exchanged by config, and a list names folders", async () => {
    await linked();
    for (const value of ["guides", "[]", '[""]', '["a/../b"]', "[1]"])
      expect((await run("config", "set", "remote", value, "w")).code).toBe(2);
    expect((await run("init", "w", "--remote", "guides")).code).toBe(2);
    expect((await run("init", "w", "--remote", "guides", "--remote", "team/notes")).code).toBe(0);
  });
});
