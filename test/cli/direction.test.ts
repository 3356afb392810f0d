import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isChange, isRun, useWatchedFolder } from "./watch-rig.ts";

const watched = useWatchedFolder();
const run = (...argv: string[]) => watched.rig.run(argv);

describe("the direction of a folder", () => {
  test("init --direction pull: local edits are reported once and never sent, and status counts them", async () => {
    const { rig } = watched;
    rig.api("POST", "/v1/files", { path: "b.md", content: "# b\n" });
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
