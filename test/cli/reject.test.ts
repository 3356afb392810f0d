import { mkdirSync, readdirSync } from "node:fs";
import { beforeEach, describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();

describe("reject", () => {
  const NAMES = ["a.md", "b.md", "d/c.md", "d/e.md"];
  const text = (name: string) => `text of ${name}\n`;

  async function mirrored(): Promise<Map<string, string>> {
    for (const name of NAMES) rig.write(name, text(name));
    mkdirSync(rig.path("empty"));
    expect((await rig.init("--yes")).code).toBe(0);
    return new Map(NAMES.map((name) => [name, rig.remote(name)!.id]));
  }

  function here(): string[] {
    return readdirSync(rig.root, { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".md") && !name.startsWith(".mdmirror"))
      .sort();
  }

  const folders = () => (rig.api("GET", "/v1/folders") as { data: { id: string; path: string }[] }).data;

  function emptyService(): void {
    for (const name of NAMES) rig.deleteRemotely(name);
    for (const { id } of folders()) rig.api("DELETE", `/v1/folders/${id}?recursive=true`);
  }

  const idsThere = (): Map<string, string> =>
    new Map(NAMES.flatMap((name) => (rig.remote(name) === null ? [] : [[name, rig.remote(name)!.id]])));

  test("I21 what was deleted locally comes back as it was, folders too, and nothing is sent", async () => {
    const ids = await mirrored();
    for (const name of ["a.md", "b.md", "d", "empty"]) rig.remove(name);
    const stopped = await rig.run(["sync", "w"]);
    expect(stopped.code).toBe(4);
    expect(stopped.err.join("\n")).toContain("mdmirror approve");
    expect(stopped.err.at(-1)).toContain("mdmirror reject");
    const declined = await rig.run(["reject", "w"], { terminal: true, answers: ["n"] });
    expect([declined.code, here()]).toEqual([4, []]);
    expect(declined.out.join("\n")).toContain("with the same id and history");
    expect((await rig.run(["reject", "w"])).code).toBe(2);
    const rejected = await rig.run(["reject", "w", "--yes"]);
    expect([rejected.code, rejected.out.at(-1)]).toEqual([0, "next: mdmirror sync"]);
    expect(here()).toEqual([...NAMES].sort());
    expect(rig.exists("empty")).toBe(true);
    for (const name of NAMES) expect(rig.read(name)).toBe(text(name));
    const after = await rig.run(["sync", "w"]);
    expect([after.code, after.out[0]]).toEqual([0, expect.stringContaining("nothing to do")]);
    expect(idsThere()).toEqual(ids);
    expect((await rig.run(["reject", "w"])).out).toEqual(["nothing is stopped; next: mdmirror sync"]);
  });

  test("I03 documents deleted on the service stay local and go up as new", async () => {
    const ids = await mirrored();
    for (const name of NAMES) rig.deleteRemotely(name);
    const empty = folders().find(({ path }) => path.endsWith("empty"))!;
    rig.api("DELETE", `/v1/folders/${empty.id}`);
    const stopped = await rig.run(["sync", "w"]);
    expect(rig.exists("empty")).toBe(true);
    expect([stopped.code, stopped.err[0]]).toEqual([4, expect.stringContaining("remote-emptied")]);
    const rejected = await rig.run(["reject", "w", "--yes"]);
    expect(rejected.code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect(here()).toEqual([...NAMES].sort());
    expect(rig.exists("empty")).toBe(true);
    expect(folders().map(({ path }) => path.replace(/^\//, ""))).toEqual(["d", "empty"]);
    for (const name of NAMES) {
      expect(rig.remote(name)?.content).toBe(text(name));
      expect(rig.remote(name)?.id).not.toBe(ids.get(name));
    }
  });

  test("I03 of a workspace that has none of the documents, reject uploads them as new", async () => {
    await mirrored();
    emptyService();
    const stopped = await rig.run(["sync", "w"]);
    expect([stopped.code, stopped.err.join("\n")]).toEqual([4, expect.stringContaining("wrong-workspace")]);
    expect((await rig.run(["reject", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect(here()).toEqual([...NAMES].sort());
    expect(NAMES.filter((name) => rig.remote(name) === null)).toEqual([]);
  });

  test("I03 I21 of a workspace that has none of the documents, reject also uploads one that was edited locally as new", async () => {
    await mirrored();
    emptyService();
    rig.write("a.md", "edited\n");
    expect((await rig.run(["sync", "w"])).code).toBe(4);
    const rejected = await rig.run(["reject", "w", "--yes"]);
    expect([rejected.code, rejected.out.join("\n")]).toEqual([0, expect.stringContaining("a.md")]);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect(here()).toEqual([...NAMES].sort());
    expect(NAMES.map((name) => rig.remote(name)?.content)).toEqual(["edited\n", ...NAMES.slice(1).map(text)]);
  });

  test("I21 a stop of a run with --max-deletes is answered with the limit of that run", async () => {
    const ids = await mirrored();
    rig.remove("a.md");
    rig.remove("b.md");
    expect((await rig.run(["sync", "w", "--max-deletes", "1"])).code).toBe(4);
    const rejected = await rig.run(["reject", "w", "--yes"]);
    expect(rejected.code).toBe(0);
    expect(here()).toEqual([...NAMES].sort());
    expect((await rig.run(["sync", "w", "--max-deletes", "1"])).code).toBe(0);
    expect(idsThere()).toEqual(ids);
    rig.remove("a.md");
    rig.remove("b.md");
    expect((await rig.run(["sync", "w", "--max-deletes", "1"])).code).toBe(4);
    const approved = await rig.run(["approve", "w", "--yes"]);
    expect(approved.out[0]).toContain("(delete-budget-remote)");
    expect((await rig.run(["sync", "w", "--max-deletes", "1"])).code).toBe(0);
    expect([...idsThere().keys()]).toEqual(["d/c.md", "d/e.md"]);
    rig.remove("d/c.md");
    expect((await rig.run(["approve", "w"])).code).toBe(0);
  });

  test("an approval that no run has used is taken back", async () => {
    const ids = await mirrored();
    for (const name of NAMES) rig.remove(name);
    expect((await rig.run(["sync", "w"])).code).toBe(4);
    expect((await rig.run(["approve", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["reject", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect(idsThere()).toEqual(ids);
    expect(here()).toEqual([...NAMES].sort());
  });

  test("conflicts whose copies were all deleted are open again", async () => {
    await mirrored();
    const names = Array.from({ length: 12 }, (_, n) => `note-${n}.md`);
    for (const name of names) rig.write(name, `${name}\n`);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    // Two halves, because a safety check would stop so many conflicts in one run.
    for (const some of [names.slice(0, 6), names.slice(6)]) {
      for (const name of some) {
        rig.editRemotely(name, `theirs of ${name}\n`);
        rig.write(name, `mine of ${name}\n`);
      }
      expect((await rig.run(["sync", "w"])).code).toBe(3);
    }
    const beside = here().filter((name) => name.includes("(theirs)"));
    expect(beside).toHaveLength(12);
    for (const name of beside) rig.remove(name);
    const stopped = await rig.run(["sync", "w"]);
    expect([stopped.code, stopped.err.join("\n")]).toEqual([4, expect.stringContaining("conflict-copies-gone")]);
    expect((await rig.run(["reject", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(3);
    for (const name of beside) expect(rig.exists(name)).toBe(true);
    for (const name of names) expect(rig.remote(name)?.content).toBe(`theirs of ${name}\n`);
  });
});

describe("a stop while the workspace changes", () => {
  /**
   * The limit of deletions is a share of the known documents. It does not grow while the sync is
   * stopped.
   */

  const NAMES = Array.from({ length: 99 }, (_, n) => `n${n}.md`);
  const GONE = NAMES.slice(0, 11);

  beforeEach(async () => {
    for (const path of NAMES) rig.createRemotely(path, `${path}\n`);
    await rig.init();
  });

  const sync = () => rig.run(["sync", "w"]);
  const there = (names: readonly string[]) => names.filter((name) => rig.remote(name) !== null);

  function addDocuments(): readonly string[] {
    const made = Array.from({ length: 30 }, (_, n) => `new${n}.md`);
    for (const name of made) rig.write(name, `${name}\n`);
    rig.pass(60_000);
    return made;
  }

  describe("I21 I22 a stop stays while the workspace grows", () => {
    beforeEach(async () => {
      for (const name of GONE) rig.remove(name);
      rig.pass(60_000);
      expect((await sync()).code).toBe(4);
    });

    test("by new local files: they wait with the deletions until approve applies both", async () => {
      const made = addDocuments();
      for (let run = 0; run < 2; run++) expect([(await sync()).code, there(made), there(GONE)]).toEqual([4, [], GONE]);
      expect((await rig.run(["wait", `w/${GONE[0]}`])).code).toBe(4);
      expect((await rig.run(["approve", "w", "--yes"])).code).toBe(0);
      expect([(await sync()).code, there(made), there(GONE)]).toEqual([0, made, []]);
    });

    test("until few enough are gone; then the share of all that is known counts again", async () => {
      addDocuments();
      await sync();
      rig.write("n0.md", "n0.md\n");
      rig.pass(60_000);
      expect([(await sync()).code, there(GONE)]).toEqual([0, ["n0.md"]]);
    });
  });

  test("I21 a stop by documents deleted on the service stays while new local files come", async () => {
    for (const name of GONE) rig.deleteRemotely(name);
    expect((await sync()).code).toBe(4);
    addDocuments();
    for (let run = 0; run < 2; run++) expect([(await sync()).code, rig.read("n0.md")]).toEqual([4, "n0.md\n"]);
  });

  test("a change approved before any run was stopped is not in sync until a run has made it", async () => {
    for (const name of GONE) rig.remove(name);
    rig.pass(60_000);
    expect((await rig.run(["approve", "w", "--yes"])).code).toBe(0);
    const { code, out } = await rig.run(["status", "w"]);
    expect([code, out]).toEqual([3, expect.arrayContaining(["unproven: approved changes were not carried out yet"])]);
    expect([(await sync()).code, there(GONE)]).toEqual([0, []]);
    expect((await rig.run(["status", "w"])).code).toBe(0);
  });
});
