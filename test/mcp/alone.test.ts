import { describe, expect, test } from "vitest";
import { useWatchedFolder } from "../cli/watched-folder.ts";
import { startAgentProcess, useAgents } from "./rig.ts";

const watched = useWatchedFolder();
const agent = useAgents(() => watched.rig);

describe("an agent without a daemon", () => {
  test("a move keeps links, on both sides", async () => {
    const { rig } = watched;
    await rig.run(["links", "translate", "w", "--yes"]);
    rig.write("from.md", "See [a](a.md).\n");
    const one = await agent();
    expect((await one.call("sync")).facts.state).toBe("in-sync");
    expect(rig.remote("from.md")!.content).toMatch(/^See \[a\]\((?:doc_|[\w-]+)/);
    const id = rig.remote("a.md")!.id;
    const moved = await one.call("move", { path: "a.md", to: "deep/b.md" });
    expect(moved.facts).toMatchObject({ path: "deep/b.md", linksFollow: true });
    expect((await one.wait("deep/b.md", "from.md")).facts.state).toBe("live");
    expect(rig.read("from.md")).toBe("See [a](deep/b.md).\n");
    expect(rig.remote("deep/b.md")!.id).toBe(id);
    const taken = await one.call("move", { path: "from.md", to: "deep/b.md" });
    expect(taken.facts.error.code).toBe("taken");
    // The tool returns the local content of the file, and edits refer to that content.
    const { facts, text } = await one.call("read", { path: "from.md" });
    expect(text).toBe("See [a](deep/b.md).\n");
    const edits = [{ old_text: "See", new_text: "Read" }];
    expect((await one.call("edit", { path: "from.md", version: facts.version, edits })).isError).toBe(false);
    expect((await one.call("sync")).facts.counts.uploaded).toBe(1);
  });

  test("a document whose edit was killed is blocked, not deleted, and is restored", async () => {
    const { rig } = watched;
    // What a killed `saveBesideDaemon` leaves while the old file is set aside.
    rig.rename("a.md", ".~mdmirror-0123456789abcdef");
    const one = await agent();
    const synced = await one.call("sync");
    expect(synced.facts.attention).toMatchObject([{ kind: "renamed-out-of-mirror" }]);
    expect(rig.remote("a.md")!.content).toBe("# one\n");
    expect((await rig.run(["resolve", "w/a.md", "--keep"])).code).toBe(0);
    expect(rig.read("a.md")).toBe("# one\n");
  });

  test("search, diff, history and reviews show texts in a block of their own, within bounds", async () => {
    const { rig } = watched;
    rig.write("long.md", `${"a long line of words\n".repeat(2_000)}the needle\n`);
    const one = await agent();
    await one.call("sync");
    const found = await one.call("search", { query: "needle" });
    expect(found.facts.documents).toMatchObject([{ path: "long.md" }]);
    expect(found.text).toContain("long.md:2001: the needle");
    const first = await one.call("read", { path: "long.md" });
    expect(first.text.length).toBeLessThanOrEqual(20_000);
    const rest = await one.call("read", { path: "long.md", from_line: first.facts.next, max_characters: 60_000 });
    expect(rest.facts.next).toBeNull();
    expect(first.text + rest.text).toBe(rig.read("long.md"));
    expect((await one.call("list", { limit: 1 })).facts).toMatchObject({ documents: [{ path: "a.md" }], next: "a.md" });
    for (const name of ["b/c.md", "b.md", "b/b/d.md"]) rig.write(name, "");
    const paths: string[] = [];
    for (let after: string | undefined, page = 0; after !== null && page < 9; page++) {
      const { facts } = await one.call("list", { limit: 1, ...(after === undefined ? {} : { after }) });
      paths.push(...facts.documents.map((document: { path: string }) => document.path));
      after = facts.next;
    }
    expect(paths).toEqual(["a.md", "b.md", "b/b/d.md", "b/c.md", "long.md"]);
    rig.write("long.md", "short\n");
    const diff = await one.call("diff", { path: "long.md", max_characters: 500 });
    expect(diff.facts.documents).toMatchObject([{ path: "long.md", kind: "differs" }]);
    expect(diff.facts.next).toBeGreaterThan(1);
    expect(diff.text.length).toBeLessThanOrEqual(500);
    await one.call("sync");
    const { facts } = await one.call("history", { path: "long.md", limit: 1 });
    expect(facts).toMatchObject({ versions: [{ n: 2 }], leftOut: 1 });
    expect((await one.call("show", { path: "long.md", n: 1, from_line: 2001 })).text).toBe("the needle\n");
    expect((await one.call("diff", { path: "long.md", n: 1 })).facts.documents).toMatchObject([{ kind: "differs" }]);
    await rig.run(["protect", "w/a.md"]);
    const { version } = (await one.call("read", { path: "a.md" })).facts;
    await one.call("write", { path: "a.md", version, text: "# reviewed\n" });
    expect((await one.wait("a.md")).facts).toMatchObject({
      paths: [{ state: "in-review" }],
    });
    const reviews = await one.call("reviews");
    expect(reviews.facts.reviews).toMatchObject([{ path: "a.md", reason: "protected" }]);
    expect(reviews.text).toContain("-# one\n+# reviewed\n");
  });

  test("a message beyond all bounds ends it, with words and no fault of its own", async () => {
    const one = await agent("process");
    const closed = Promise.withResolvers<void>();
    one.client.onclose = () => closed.resolve();
    const huge = { path: "huge.md", text: "x".repeat(11 * 1024 * 1024) };
    await expect(one.call("create", huge)).rejects.toThrow();
    await closed.promise;
    expect(one.faults).toBe("mdmirror mcp: ReadBuffer exceeded maximum size of 10485760 bytes\n");
  });

  test("ends with its client, and leaves no process", async () => {
    const one = await startAgentProcess(watched.rig);
    expect(await one.client.ping()).toEqual({});
    watched.rig.write("b.md", "# two\n");
    const working = one.call("sync").catch((error: unknown) => error);
    await one.leave();
    await working;
    await expect.poll(() => isAlive(one.pid)).toBe(false);
    // The program released the folder's lock when it ended.
    expect((await watched.rig.run(["sync", "w"])).code).toBe(0);
    expect(watched.rig.remote("b.md")!.content).toBe("# two\n");
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // No process has this id any more.
    return false;
  }
}
