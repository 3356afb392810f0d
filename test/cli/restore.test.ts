import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useSyncedRig } from "./rig.ts";

const { rig, run, json, sync, edit } = useSyncedRig();

function versionsOf(json: string): [number, string, number | null][] {
  const { versions } = JSON.parse(json) as { versions: { n: number; from: string; size: number | null }[] };
  return versions.map(({ n, from, size }) => [n, from, size]);
}

describe("history, show, diff PATH@N", () => {
  test("each version has its number, oldest first, and is shown byte for byte", async () => {
    await edit("second\r\nno end");
    await edit("third\n");
    expect(versionsOf((await run("history", "a.md", "--json")).out[0]!)).toEqual([
      [1, "service", 6],
      [2, "service", 14],
      [3, "service", 6],
    ]);
    expect((await run("history", "a.md")).out.at(-1)).toMatch(/^@3 .*\(local\)$/);
    expect((await run("show", "a.md@1")).out).toEqual(["first"]);
    expect((await run("show", "a.md@2", "--output", "../two.md")).code).toBe(0);
    expect(readFileSync(join(rig.dir, "two.md"), "utf8")).toBe("second\r\nno end");
    expect((await run("show", "a.md@2", "--output", "../two.md")).code).toBe(2);
    expect((await run("show", "a.md@9")).code).toBe(2);
    expect(await run("diff", "a.md@1")).toMatchObject({ code: 3, out: expect.arrayContaining(["-first", "+third"]) });
    expect((await run("diff", "a.md@3")).code).toBe(0);
  });

  test("the commands that messages suggest quote the path", async () => {
    rig.write("my notes.md", "mine\n");
    await sync();
    rig.editRemotely("my-notes.md", "theirs\n");
    rig.write("my notes.md", "mine too\n");
    await sync();
    expect((await run("show", "my notes.md@9")).err.join()).toContain("mdmirror history 'my notes.md'");
    expect((await run("restore", "my notes.md@1")).err.join()).toContain("mdmirror resolve 'my notes.md' --mine");
  });

  test("I18 restore in a copied folder stops as a sync does, and writes nothing", async () => {
    await edit("second\n");
    const copy = join(rig.dir, "copy");
    cpSync(rig.root, copy, { recursive: true });
    const restored = await rig.run(["restore", "a.md@1"], { cwd: copy });
    expect([restored.code, (await rig.run(["sync"], { cwd: copy })).code]).toEqual([4, 4]);
    expect((await rig.run(["restore", "a.md@1", "--dry-run"], { cwd: copy })).code).toBe(4);
    expect(readFileSync(join(copy, "a.md"), "utf8")).toBe("second\n");
  });

  test("a renamed document keeps its history, by the old name and by its id", async () => {
    await edit("second\n");
    const { id } = rig.remote("a.md")!;
    rig.rename("a.md", "b.md");
    await sync();
    expect(rig.remote("b.md")!.id).toBe(id);
    for (const name of ["b.md", "a.md", id]) {
      const { code, out } = await run("history", name);
      expect([name, code, out[0]]).toEqual([name, 0, `b.md  ${id}`]);
      expect(out).toHaveLength(3);
    }
  });

  test("--as-of: only the version of that time, which restore --as-of restores", async () => {
    await edit("second\n");
    await edit("third\n");
    const at = async (time: string, ...more: string[]) => run("history", "a.md", "--as-of", time, ...more);
    const then = await at("30s");
    expect([then.code, then.out.length, then.out[1]]).toEqual([0, 2, expect.stringMatching(/^@2 .*7 bytes.*[^)]$/)]);
    expect((await at("0s")).out[1]).toMatch(/^@3 .*\(local\)$/);
    expect(versionsOf((await at("30s", "--json")).out[0]!)).toEqual([[2, "service", 7]]);
    expect((await run("restore", "a.md", "--as-of", "30s", "--no-sync", "--yes")).code).toBe(0);
    expect(rig.read("a.md")).toBe("second\n");
    for (const time of ["soon", "2999-01-01"]) expect((await at(time)).code).toBe(2);
    expect((await at("30s", "--origins", "1")).code).toBe(2);
    expect(await at("1d")).toMatchObject({
      code: 2,
      err: [expect.stringContaining("it did not exist yet"), expect.anything()],
    });
  });

  test.each([
    ["locally", () => rig.remove("a.md")],
    ["on the service", () => rig.deleteRemotely("a.md")],
  ])("of a document that was deleted %s it says when and by which run", async (_where, remove) => {
    remove();
    rig.pass(60_000);
    const began = rig.clock.now();
    const { run: last } = await json<{ run: number }>("sync");
    const { gone, deleted } = JSON.parse((await run("history", "a.md", "--json")).out[0]!);
    expect([gone, deleted]).toMatchObject([true, { run: last, what: expect.any(String) }]);
    expect(deleted.at).toBeGreaterThanOrEqual(began);
    expect((await run("history", "a.md")).out.at(-1)).toContain(`by run ${last}`);
    expect(JSON.parse((await run("history", "k.md", "--json")).out[0]!).deleted).toBe(null);
  });
});

describe("restore", () => {
  test("PATH@N, --no-sync and --json; an edit that was never sent stays in the history", async () => {
    await edit("second\n");
    rig.write("a.md", "never sent\n");
    const items = [{ path: "a.md", end: "done", n: 1, asNew: false }];
    expect(await json("restore", "a.md@1", "--no-sync")).toMatchObject({ exit: 0, items, sync: null });
    expect([rig.read("a.md"), rig.remote("a.md")!.content]).toEqual(["first\n", "second\n"]);
    const found = versionsOf((await run("history", "a.md", "--json")).out[0]!);
    expect(found).toContainEqual([3, "local", 11]);
    expect((await run("show", "a.md@3")).out).toEqual(["never sent"]);
  });
});

describe("restore of several", () => {
  async function several(): Promise<void> {
    for (const name of ["d/b.md", "d/e/c.md", "k.md"]) rig.write(name, `first of ${name}\n`);
    await sync();
  }

  test("of a folder and of a glob, what was deleted comes back, and nothing else is touched", async () => {
    await several();
    rig.write("d/b.md", "second\n");
    for (const name of ["d/e/c.md", "k.md"]) rig.remove(name);
    await sync();
    const shown = await run("restore", "d", "--dry-run");
    expect(shown.out).toEqual([
      "deleted documents:",
      expect.stringMatching(/^ {2}d\/e\/c\.md {2}version 1 of .*, as a new document$/),
      "1 would be restored; nothing was done",
    ]);
    expect(rig.remote("d/e/c.md")).toBeNull();
    expect((await run("restore", "d")).code).toBe(0);
    expect(rig.remote("d/e/c.md")!.content).toBe("first of d/e/c.md\n");
    expect(rig.remote("k.md")).toBeNull();
    expect((await run("restore", "*.md")).code).toBe(0);
    expect(rig.remote("k.md")!.content).toBe("first of k.md\n");
    expect(rig.read("d/b.md")).toBe("second\n");
    expect((await run("restore", "**")).out).toEqual(["deleted documents:", "nothing to do"]);
    for (const wrong of ["none-*.md", "a/**/b/**/c/**/d.md"])
      expect((await run("restore", wrong, "d")).code, wrong).toBe(2);
  });

  test("--as-of: each document as it was then; what is newer is left alone, and said", async () => {
    await several();
    rig.pass(60_000);
    rig.write("d/b.md", "second\n");
    rig.write("new.md", "new\n");
    rig.remove("d/e/c.md");
    await sync();
    const { id } = rig.remote("d/b.md")!;
    const asked = await run("restore", ".", "--as-of", "30s");
    expect([asked.code, asked.err[0]]).toEqual([2, expect.stringMatching(/^mdmirror: nothing was done/)]);
    expect(asked.out).toContainEqual("  new.md  left alone: it did not exist yet");
    const done = await run("restore", ".", "--as-of", "30s", "--yes");
    expect([done.code, done.out]).toEqual([3, expect.arrayContaining(["2 restored, 1 left alone"])]);
    expect(rig.remote("d/b.md")).toMatchObject({ id, content: "first of d/b.md\n" });
    expect(rig.remote("d/e/c.md")!.content).toBe("first of d/e/c.md\n");
    expect(rig.remote("new.md")!.content).toBe("new\n");
    expect(await json("restore", ".", "--as-of", "0s", "--dry-run")).toMatchObject({ items: [], sync: null });
  });
});

test("I29 versions keep their order and numbers when the clock is set back", async () => {
  rig.pass(7_200_000);
  await edit("second\n");
  rig.pass(-3_660_000);
  await edit("third\n");
  await edit("fourth\n");
  rig.pass(3_660_000);
  const shown = [];
  for (const n of [1, 2, 3, 4]) shown.push(...(await run("show", `a.md@${n}`)).out);
  expect(shown).toEqual(["first", "second", "third", "fourth"]);
  expect((await run("show", "a.md")).out).toEqual(["fourth"]);
  expect((await run("restore", "a.md")).out[0]).toContain("version 3 of");
  expect(rig.read("a.md")).toBe("third\n");
});
