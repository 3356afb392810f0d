import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import { useWatchedFolder } from "../cli/watch-rig.ts";
import { type Agent, startAgentProcess, useAgents } from "./rig.ts";

const watched = useWatchedFolder();
const agent = useAgents(() => watched.rig);

describe("an agent beside a daemon", () => {
  test("reads, edits with the version that it read, and waits until it is live", async () => {
    await watched.watchingHere();
    const one = await agent("process");
    const read = await one.call("read", { path: "a.md" });
    expect(read).toMatchObject({ isError: false, text: "# one\n" });
    expect(read.facts).toMatchObject({ path: "a.md", version: digestOf("# one\n"), lines: 1, next: null });
    const edits = [{ old_text: "one", new_text: "uno" }];
    const edited = await one.call("edit", { path: "a.md", version: read.facts.version, edits });
    expect(edited.facts).toMatchObject({ version: digestOf("# uno\n"), previous: read.facts.version, places: 1 });
    const made = await one.call("create", { path: "new/b.md", text: "# two\n" });
    expect(made.facts.version).toBe(digestOf("# two\n"));
    const waited = await one.wait("a.md", "new/b.md");
    expect(waited.facts).toMatchObject({ state: "live", paths: [{ state: "live" }, { state: "live" }] });
    expect(watched.rig.remote("a.md")!.content).toBe("# uno\n");
    expect(watched.rig.remote("new/b.md")!.content).toBe("# two\n");
    expect((await one.call("list")).facts).toEqual({
      documents: [
        { path: "a.md", state: "in-sync" },
        { path: "new/b.md", state: "in-sync" },
      ],
      next: null,
    });
    expect((await one.call("status")).facts).toMatchObject({ state: "in-sync", daemon: { paused: false } });
    expect(one.faults).toBe("");
  });

  test("a stale edit is refused with what another agent changed, and nothing is written", async () => {
    await watched.watchingHere();
    const [one, other] = await Promise.all([agent(), agent()]);
    const { facts } = await one.call("read", { path: "a.md" });
    const write = { path: "a.md", version: facts.version };
    const ends = await Promise.all([
      one.call("write", { ...write, text: "# one\nby one\n" }),
      other.call("write", { ...write, text: "# one\nby other\n" }),
    ]);
    // Either agent may come first; the second one learns of the first one's edit.
    const late = ends.find(({ isError }) => isError)!;
    expect(ends.map(({ isError }) => isError).toSorted()).toEqual([false, true]);
    expect(late.facts.error).toMatchObject({ code: "stale" });
    expect(late.facts.version).toBe(digestOf(watched.rig.read("a.md")));
    expect(late.text).toMatch(/^\+by (?:one|other)$/m);
    const again = await one.call("edit", {
      path: "a.md",
      version: late.facts.version,
      edits: [{ old_text: "# one\n", new_text: "# both\n" }],
    });
    expect(again.isError).toBe(false);
    expect((await one.wait("a.md")).facts.state).toBe("live");
    expect(watched.rig.remote("a.md")!.content).toMatch(/^# both\nby (?:one|other)\n$/);
  });

  test("two agents that write as fast as they can lose no edit", async () => {
    await watched.watchingHere();
    const both = await Promise.all([agent("process"), agent()]);
    const names = ["x", "y"];
    await Promise.all(both.map((by, at) => addLines(by, names[at]!)));
    const lines = watched.rig.read("a.md").trimEnd().split("\n").slice(1);
    const wanted = names.flatMap((name) => Array.from({ length: 15 }, (_, n) => `- ${name}${n}`));
    expect(lines.toSorted()).toEqual(wanted.toSorted());
    expect((await both[0]!.wait("a.md")).facts.state).toBe("live");
    expect(watched.rig.remote("a.md")!.content).toBe(watched.rig.read("a.md"));
  });

  test("a conflict with another user of the service is shown and resolved, if it is what was seen", async () => {
    const { rig } = watched;
    (await watched.watchingHere()).clock.speedUp(20);
    const one = await agent();
    await rig.run(["pause", "w"]);
    rig.editRemotely("a.md", "# theirs\n");
    const { facts } = await one.call("read", { path: "a.md" });
    await one.call("write", { path: "a.md", version: facts.version, text: "# mine\n" });
    await rig.run(["resume", "w"]);
    expect((await one.wait("a.md")).facts).toMatchObject({
      paths: [{ state: "conflict" }],
    });
    expect((await one.call("conflicts")).facts.conflicts).toMatchObject([
      { path: "a.md", conflictCopy: "a (theirs).md" },
    ]);
    const shown = await one.call("show_conflict", { path: "a.md" });
    expect(shown.facts.ways).toEqual(["mine", "theirs", "merged"]);
    expect(shown.text).toContain("mine:\n# mine\ntheirs:\n# theirs\n");
    expect((await one.call("show_conflict", { path: "a.md", side: "base" })).text).toBe("# one\n");
    // The local content changes after the agent's choice, so the choice does not apply to it.
    rig.write("a.md", "# mine, later\n");
    const resolve = { paths: ["a.md"], way: "merged", text: "# both\n" };
    const stale = await one.call("resolve", { ...resolve, expected: shown.facts.expected });
    expect(stale.facts).toMatchObject({ error: { code: "stale" }, changed: ["mine"] });
    const { expected } = (await one.call("show_conflict", { path: "a.md" })).facts;
    expect((await one.call("resolve", { ...resolve, expected })).isError).toBe(false);
    expect((await one.wait("a.md")).facts.state).toBe("live");
    expect(rig.remote("a.md")!.content).toBe("# both\n");
  });

  test("a deleted document comes back under its history, as the answer says", async () => {
    const { rig } = watched;
    rig.write("b.md", "# two\n");
    rig.write("c.md", "# three\n");
    (await watched.watchingHere()).clock.speedUp(20);
    const one = await agent();
    expect((await one.call("delete", { path: "b.md", version: digestOf("else") })).facts.error.code).toBe("stale");
    const deleted = await one.call("delete", { path: "b.md", version: digestOf("# two\n") });
    expect(deleted.facts.next).toContain("restore");
    expect(rig.read(deleted.facts.keptAs)).toBe("# two\n");
    expect((await one.wait("b.md")).facts).toMatchObject({
      state: "live",
      paths: [{ state: "gone" }],
    });
    expect(rig.remote("b.md")).toBeNull();
    expect((await one.call("history", { path: "b.md" })).facts).toMatchObject({ gone: true, versions: [{ n: 1 }] });
    const back = await one.call("restore", { paths: ["b.md"], expected: { local: null } });
    expect(back.facts).toMatchObject({
      items: [{ path: "b.md", end: "done", sha256: digestOf("# two\n"), asNew: true }],
      sync: { state: "in-sync" },
    });
    expect((await one.wait("b.md")).facts.state).toBe("live");
    expect(rig.remote("b.md")!.content).toBe("# two\n");
  });
});

/** Adds 15 lines, each to the content that the agent reads just before. */
async function addLines(by: Agent, name: string): Promise<void> {
  let { facts } = await by.call("read", { path: "a.md" });
  for (let n = 0; n < 15; ) {
    const edits = [{ old_text: "# one\n", new_text: `# one\n- ${name}${n}\n` }];
    const answer = await by.call("edit", { path: "a.md", version: facts.version, edits });
    if (!answer.isError) n++;
    expect(answer.isError ? answer.facts.error.code : "done").toMatch(/^(?:stale|done)$/);
    facts = answer.facts;
  }
}

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

  test("a line that max_characters cuts is read again with as many characters as it has", async () => {
    const { rig } = watched;
    rig.write("line.md", "y".repeat(500));
    const one = await agent();
    const { tools } = await one.client.listTools();
    expect(tools.find(({ name }) => name === "read")!.description).toContain("`cut`");
    const cut = await one.call("read", { path: "line.md", max_characters: 200 });
    expect([cut.text.length, cut.facts.next, cut.facts.cut]).toEqual([
      200,
      1,
      "line 1 has 500 characters: read it again with max_characters 500",
    ]);
    const line = await one.call("read", { path: "line.md", from_line: cut.facts.next, max_characters: 500 });
    expect([line.text, line.facts.next]).toEqual([rig.read("line.md"), null]);
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
