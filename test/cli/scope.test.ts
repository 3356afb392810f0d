import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";
import { join } from "node:path";
import { isChange, isRun, useWatchedFolder } from "./watch-rig.ts";

describe("a list of folders of the workspace", () => {
  const rig = useRig();
  const run = (...argv: string[]) => rig.run(argv);
  const INSIDE = ["guides/a.md", "team/notes/b.md"];
  const OUTSIDE = ["c.md", "team/d.md", "other/e.md", "guides-old/f.md"];

  async function linked(): Promise<void> {
    for (const path of [...INSIDE, ...OUTSIDE]) rig.createRemotely(path, `${path}\n`);
    expect((await rig.init("--remote", "guides", "--remote", "team/notes")).code).toBe(0);
  }

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

describe("the direction of a folder", () => {
  const watched = useWatchedFolder();
  const run = (...argv: string[]) => watched.rig.run(argv);

  test("init --direction pull: local edits are reported once and never sent, and status counts them", async () => {
    const { rig } = watched;
    rig.createRemotely("b.md", "# b\n");
    expect((await rig.link("p", "--direction", "pull")).code).toBe(0);
    rig.root = join(rig.dir, "p");
    rig.write("a.md", "# one\nlocal\n");
    rig.write("new.md", "# new\n");
    rig.remove("b.md");
    const first = await run("sync", "p");
    expect([first.code, first.err.length]).toEqual([0, 3]);
    expect((await run("sync", "p")).err).toEqual([]);
    expect((await run("sync", "p", "--quiet")).err).toEqual([]);
    expect(rig.remote("a.md")!.content).toBe("# one\n");
    expect([rig.remote("b.md") === null, rig.remote("new.md")]).toEqual([false, null]);
    expect(await rig.json(["status", "p"])).toMatchObject({
      exit: 0,
      direction: "pull",
      resting: { "direction-off": 3 },
    });
    expect((await rig.json(["why", "p/a.md"])).exit).toBe(0);
    expect((await run("wait", "p/a.md")).code).toBe(3);
    expect((await run("unlink", "p")).code).toBe(0);
    expect(rig.read("a.md")).toBe("# one\nlocal\n");
  });

  test("a sync may narrow it, and is refused in the opposite direction", async () => {
    expect((await run("config", "set", "direction", "push", "w")).code).toBe(0);
    expect((await run("sync", "w", "--push-only")).code).toBe(0);
    for (const argv of [["--pull-only"], ["--pull-only", "--dry-run"]])
      expect((await run("sync", "w", ...argv)).code).toBe(2);
    expect((await run("init", "w", "--direction", "both")).code).toBe(2);
    expect((await run("init", "w", "--direction", "push")).code).toBe(0);
    watched.rig.editRemotely("a.md", "# one\nservice\n");
    const { out, err } = await run("sync", "w");
    expect([out[0]?.startsWith("Synced: nothing to do"), err.length]).toEqual([true, 1]);
    expect(watched.rig.read("a.md")).toBe("# one\n");
    expect((await run("config", "unset", "direction", "w")).code).toBe(0);
    await run("sync", "w");
    expect(watched.rig.read("a.md")).toBe("# one\nservice\n");
  });

  test("a daemon of a folder that only downloads sends nothing after any local change", async () => {
    const { rig } = watched;
    for (const name of ["b", "c", "d"]) rig.write(`${name}.md`, `# ${name}\n`);
    await run("sync", "w");
    await run("config", "set", "direction", "pull", "w");
    const writes: string[] = [];
    rig.intercept = ({ method, path }) => {
      if (method !== "GET") writes.push(`${method} ${path}`);
      return null;
    };
    const watch = await watched.watchingHere();
    rig.write("a.md", "# one\nlocal\n");
    rig.write("new.md", "# new\n");
    rig.remove("b.md");
    rig.rename("c.md", "moved.md");
    const from = watch.events.length;
    watch.clock.speedUp(60);
    await watch.until(isRun, from);
    rig.editRemotely("d.md", "# d\nservice\n");
    await watch.until(isChange("d.md"), from);
    expect(rig.read("d.md")).toBe("# d\nservice\n");
    expect((await run("sync", "w")).code).toBe(0);
    expect(writes).toEqual([]);
    expect(rig.read("a.md")).toBe("# one\nlocal\n");
    expect((await run("wait", "w/new.md")).code).toBe(3);
  });
});
