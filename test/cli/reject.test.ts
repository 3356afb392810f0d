import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();

const NAMES = ["a.md", "b.md", "d/c.md", "d/e.md"];
const text = (name: string) => `text of ${name}\n`;

async function mirrored(): Promise<Map<string, string>> {
  for (const name of NAMES) rig.write(name, text(name));
  mkdirSync(join(rig.root, "empty"));
  expect((await rig.init("--yes")).code).toBe(0);
  return new Map(NAMES.map((name) => [name, rig.remote(name)!.id]));
}

function here(): string[] {
  return readdirSync(rig.root, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.startsWith(".mdmirror"))
    .sort();
}

const folders = () => (rig.api("GET", "/v1/folders") as { data: { id: string; path: string }[] }).data;

const idsThere = (): Map<string, string> =>
  new Map(NAMES.flatMap((name) => (rig.remote(name) === null ? [] : [[name, rig.remote(name)!.id]])));

describe("reject", () => {
  test("I21 what was deleted locally comes back as it was, folders too, and nothing is sent", async () => {
    const ids = await mirrored();
    for (const name of ["a.md", "b.md", "d", "empty"]) rmSync(join(rig.root, name), { recursive: true });
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
    expect(existsSync(join(rig.root, "empty"))).toBe(true);
    for (const name of NAMES) expect(rig.read(name)).toBe(text(name));
    const after = await rig.run(["sync", "w"]);
    expect([after.code, after.out[0]]).toEqual([0, expect.stringContaining("nothing to do")]);
    expect(idsThere()).toEqual(ids);
    expect((await rig.run(["reject", "w"])).out).toEqual(["nothing is stopped; next: mdmirror sync"]);
  });

  test("I03 documents deleted on the service stay local and go up as new", async () => {
    const ids = await mirrored();
    for (const id of ids.values()) rig.api("DELETE", `/v1/files/${id}`);
    const empty = folders().find(({ path }) => path.endsWith("empty"))!;
    rig.api("DELETE", `/v1/folders/${empty.id}`);
    const stopped = await rig.run(["sync", "w"]);
    expect(existsSync(join(rig.root, "empty"))).toBe(true);
    expect([stopped.code, stopped.err[0]]).toEqual([4, expect.stringContaining("remote-emptied")]);
    const rejected = await rig.run(["reject", "w", "--yes"]);
    expect(rejected.code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect(here()).toEqual([...NAMES].sort());
    expect(existsSync(join(rig.root, "empty"))).toBe(true);
    expect(folders().map(({ path }) => path.replace(/^\//, ""))).toEqual(["d", "empty"]);
    for (const name of NAMES) {
      expect(rig.remote(name)?.content).toBe(text(name));
      expect(rig.remote(name)?.id).not.toBe(ids.get(name));
    }
  });

  test("I03 of a workspace that has none of the documents, reject uploads them as new", async () => {
    const ids = await mirrored();
    for (const id of ids.values()) rig.api("DELETE", `/v1/files/${id}`);
    for (const { id } of folders()) rig.api("DELETE", `/v1/folders/${id}?recursive=true`);
    const stopped = await rig.run(["sync", "w"]);
    expect([stopped.code, stopped.err.join("\n")]).toEqual([4, expect.stringContaining("wrong-workspace")]);
    expect((await rig.run(["reject", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect(here()).toEqual([...NAMES].sort());
    expect(NAMES.filter((name) => rig.remote(name) === null)).toEqual([]);
  });

  test("I21 a stop of a run with --max-deletes is answered with the limit of that run", async () => {
    const ids = await mirrored();
    rmSync(join(rig.root, "a.md"));
    rmSync(join(rig.root, "b.md"));
    expect((await rig.run(["sync", "w", "--max-deletes", "1"])).code).toBe(4);
    const rejected = await rig.run(["reject", "w", "--yes"]);
    expect(rejected.code).toBe(0);
    expect(here()).toEqual([...NAMES].sort());
    expect((await rig.run(["sync", "w", "--max-deletes", "1"])).code).toBe(0);
    expect(idsThere()).toEqual(ids);
    rmSync(join(rig.root, "a.md"));
    rmSync(join(rig.root, "b.md"));
    expect((await rig.run(["sync", "w", "--max-deletes", "1"])).code).toBe(4);
    const approved = await rig.run(["approve", "w", "--yes"]);
    expect(approved.out[0]).toContain("(delete-budget-remote)");
    expect((await rig.run(["sync", "w", "--max-deletes", "1"])).code).toBe(0);
    expect([...idsThere().keys()]).toEqual(["d/c.md", "d/e.md"]);
    rmSync(join(rig.root, "d/c.md"));
    expect((await rig.run(["approve", "w"])).code).toBe(0);
  });

  test("an approval that no run has used is taken back", async () => {
    const ids = await mirrored();
    for (const name of NAMES) rmSync(join(rig.root, name));
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
    // As many conflicts in one run would be a question of their own.
    for (const some of [names.slice(0, 6), names.slice(6)]) {
      for (const name of some) {
        rig.editRemotely(name, `theirs of ${name}\n`);
        rig.write(name, `mine of ${name}\n`);
      }
      expect((await rig.run(["sync", "w"])).code).toBe(3);
    }
    const beside = here().filter((name) => name.includes("(theirs)"));
    expect(beside).toHaveLength(12);
    for (const name of beside) rmSync(join(rig.root, name));
    const stopped = await rig.run(["sync", "w"]);
    expect([stopped.code, stopped.err.join("\n")]).toEqual([4, expect.stringContaining("conflict-copies-gone")]);
    expect((await rig.run(["reject", "w", "--yes"])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(3);
    for (const name of beside) expect(existsSync(join(rig.root, name))).toBe(true);
    for (const name of names) expect(rig.remote(name)?.content).toBe(`theirs of ${name}\n`);
  });
});
