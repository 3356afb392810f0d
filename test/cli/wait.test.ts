import { symlinkSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { WaitReport } from "../../src/mirror/operations/manual/wait.ts";
import { acquireLock } from "../../src/mirror/state/lock.ts";
import { useWatchedFolder } from "./watch-rig.ts";

const watched = useWatchedFolder();

function reportOf(out: readonly string[]): WaitReport {
  return JSON.parse(out.at(-1)!) as WaitReport;
}

describe("wait without a daemon", () => {
  test("syncs, and reports the state and version of each given path", async () => {
    const { rig } = watched;
    rig.write("a.md", "# one\nmore\n");
    rig.write("sub/b.md", "# two\n");
    const { code, out, err } = await rig.run(["wait", "w/a.md", "w/sub", "--json"]);
    const { state, documents, live, paths } = reportOf(out);
    expect([code, err, state, documents, live]).toEqual([0, [], "live", 2, 2]);
    expect(paths.map(({ path, state: of, changeId }) => [path, of, changeId])).toEqual([
      ["a.md", "live", rig.remote("a.md")!.lastChangeId],
      ["sub/b.md", "live", rig.remote("sub/b.md")!.lastChangeId],
    ]);
    rig.remove("sub/b.md");
    const gone = await rig.run(["wait", "w/sub/b.md"]);
    expect([gone.code, rig.remote("sub/b.md")]).toEqual([0, null]);
  });

  test("refuses paths that never go to the service, and those of another folder", async () => {
    const { rig } = watched;
    rig.write("image.png", "png");
    const waitedPaths = async (...names: string[]) => {
      const { code, err } = await rig.run(["wait", ...names]);
      return [code, err[0]];
    };
    expect(await waitedPaths("w/image.png")).toEqual([
      2,
      "mdmirror: image.png is not synced: not a .md file (not-a-document)",
    ]);
    expect(await waitedPaths("w/a.md", "w/no.md")).toEqual([
      2,
      "mdmirror: no.md is not synced: this path does not exist and was never synced (not-a-document)",
    ]);
    expect((await waitedPaths("key-file"))[0]).toBe(2);
    expect((await waitedPaths("w/a.md", "--timeout", "soon"))[0]).toBe(2);
  });

  test("reports files in an unreadable folder neither as live nor as missing", async () => {
    const { rig } = watched;
    rig.write("d/b.md", "# b\n");
    symlinkSync("/nowhere", rig.path("d/.mdmirrorignore"));
    const waitedPaths = async (...names: string[]) => {
      const { code, out } = await rig.run(["wait", ...names, "--timeout", "1s", "--json"]);
      return [
        code,
        reportOf(out)
          .paths.filter(({ state }) => state !== "live")
          .map(({ path }) => path),
      ];
    };
    expect(await waitedPaths("w/d/b.md")).toEqual([8, ["d/b.md"]]);
    expect(await waitedPaths("w/d")).toEqual([8, ["d"]]);
    const why = await rig.run(["why", "w/d/b.md"]);
    expect(why.out.join("\n")).toContain(".mdmirrorignore");
    symlinkSync("/nowhere", rig.path(".mdmirrorignore"));
    expect(await waitedPaths("w")).toEqual([8, [""]]);
    expect(await waitedPaths("w/d/b.md")).toEqual([8, ["d/b.md"]]);
  });

  test("exit 7 names the review, 3 the conflict; of both, 3", async () => {
    const { rig } = watched;
    rig.write("p.md", "# p\n");
    rig.write("c.md", "# c\n");
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect((await rig.run(["protect", "w/p.md"])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    rig.write("p.md", "# p\nfor review\n");
    const review = await rig.run(["wait", "w/p.md", "--json"]);
    const [path] = reportOf(review.out).paths;
    expect(reportOf(review.out).state).toBe("in-review");
    expect(path?.state).toBe("in-review");
    expect(path?.reviews).toHaveLength(1);
    expect(review.code).toBe(7);
    rig.editRemotely("c.md", "# theirs\n");
    rig.write("c.md", "# mine\n");
    const both = await rig.run(["wait", "w"]);
    expect(both.code).toBe(3);
    expect(both.err.join("\n")).toMatch(/c\.md: conflict: .*\n {2}next: .*mdmirror resolve c\.md/);
  });

  test("exit 5 without the service, 6 while another command keeps the folder", async () => {
    const { rig } = watched;
    rig.write("a.md", "# one\nmore\n");
    const lock = acquireLock(watched.own, { since: Date.now(), what: "sync" });
    const locked = await rig.run(["wait", "w", "--timeout", "3s"]);
    expect([lock.kind, locked.code]).toEqual(["locked", 6]);
    if (lock.kind === "locked") lock.release();
    await rig.stopService();
    const offline = await rig.json(["wait", "w/a.md", "--timeout", "3s"]);
    expect(offline).toMatchObject({ exit: 5, state: "offline", documents: 1, live: 0 });
  });

  test("sync --wait-for ends as the worse of both, in one object", async () => {
    const { rig } = watched;
    rig.write("a.md", "# one\nmore\n");
    const { code, out } = await rig.run(["sync", "w", "--wait-for", "w/a.md", "--json"]);
    const { waited, counts } = JSON.parse(out.at(-1)!) as { waited: WaitReport; counts: { uploaded: number } };
    expect([code, counts.uploaded, waited.state, waited.paths[0]?.state]).toEqual([0, 1, "live", "live"]);
    const bad = await rig.run(["sync", "w", "--wait-for", "w/a.md", "--dry-run"]);
    expect(bad.code).toBe(2);
  });

  test("sync --wait-for prints how long the wait took, without the sync", async () => {
    const { rig } = watched;
    rig.write("a.md", "# one\nmore\n");
    rig.intercept = ({ method }) => {
      if (method === "PUT") rig.pass(60_000);
      return null;
    };
    const { out } = await rig.run(["sync", "w", "--wait-for", "w/a.md"]);
    const seconds = out.map((line) => Number(/\((\d+)\.\d s\)/.exec(line)![1]));
    expect(seconds).toEqual([expect.closeTo(60, -2), 0]);
  });

  test("accepts paths through a symbolic link to the folder", async () => {
    const { rig } = watched;
    symlinkSync(rig.root, `${rig.dir}/link`);
    rig.write("a.md", "# one\nmore\n");
    expect((await rig.run(["sync", "link", "--wait-for", "link/a.md"])).code).toBe(0);
    expect((await rig.run(["wait", "link", "link/a.md"])).code).toBe(0);
  });
});

describe("wait beside a daemon", () => {
  test("is answered by it, also while it is paused", async () => {
    await watched.watchingHere();
    const { rig } = watched;
    rig.write("a.md", "# one\nmore\n");
    expect((await rig.run(["wait", "w/a.md"])).code).toBe(0);
    expect(rig.remote("a.md")!.content).toBe("# one\nmore\n");
    expect((await rig.run(["pause", "w"])).code).toBe(0);
    rig.write("a.md", "# one\nduring the pause\n");
    const { code, err } = await rig.run(["wait", "w/a.md"]);
    expect([code, err.at(-1)]).toEqual([3, expect.stringContaining("mdmirror resume")]);
    expect((await rig.run(["sync", "w", "--wait-for", "w/a.md"])).code).toBe(0);
    expect(rig.remote("a.md")!.content).toBe("# one\nduring the pause\n");
  });

  test("a daemon that is killed meanwhile is not missed: the command does the work itself", async () => {
    const watch = await watched.watching();
    const { rig } = watched;
    watch.signal("SIGSTOP");
    rig.write("a.md", "# one\nmore\n");
    const asked = rig.run(["wait", "w/a.md"]);
    watch.signal("SIGKILL");
    await watch.ended;
    expect((await asked).code).toBe(0);
    expect(rig.remote("a.md")!.content).toBe("# one\nmore\n");
  });
});
