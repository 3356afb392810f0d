import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { beforeEach, describe, expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import { openState } from "../../src/mirror/state/open.ts";
import { SLEEPLESS_CLOCK } from "../simulator/quiet-ports.ts";
import { useRig } from "./rig.ts";
import { mkdirSync, renameSync, symlinkSync } from "node:fs";

describe("a damaged state", () => {
  const rig = useRig();
  beforeEach(async () => {
    for (const path of PATHS) rig.createRemotely(path, textOf(path));
    await rig.init();
    await rig.run(["sync", "w"]);
    // Stamps of files become trusted after some seconds. An unchanged file is then not read again.
    change("state.db", "UPDATE records SET stamp_trusted = 1");
  });

  const PATHS = ["a.md", "b.md", "c.md"];
  const textOf = (path: string) => `# ${path}\n\nfirst\n\nsecond\n\nthird\n`;

  function change(file: string, sql: string): void {
    const db = new Sqlite(join(rig.root, ".mdmirror", file));
    db.exec(sql);
    db.close();
  }

  function replaceRemotely(path: string, from: string, to: string): void {
    rig.editRemotely(path, rig.remote(path)!.content.replace(from, to));
  }

  function storedText(text: string): string | null {
    const opened = openState({
      folder: rig.path(".mdmirror"),
      clock: SLEEPLESS_CLOCK,
      readOnly: true,
    });
    if (opened.kind !== "opened") throw new Error(opened.kind);
    try {
      return opened.state.text(digestOf(text));
    } finally {
      opened.state.close();
    }
  }

  describe("a content store that was lost", () => {
    test("has the content of all files again after one sync, so that edits of both sides still merge", async () => {
      rig.remove(".mdmirror/texts.db");
      expect((await rig.run(["sync", "w"])).code).toBe(0);
      for (const path of PATHS) expect(storedText(textOf(path))).toBe(textOf(path));
      replaceRemotely("a.md", "third", "third, edited there");
      rig.write("a.md", rig.read("a.md").replace("first", "first, edited locally"));
      expect((await rig.run(["sync", "w"])).code).toBe(0);
      expect(rig.read("a.md")).toContain("first, edited locally");
      expect(rig.read("a.md")).toContain("third, edited there");
    });

    test("I03 content that is in no store any more is stored before its file is removed", async () => {
      change("texts.db", "DELETE FROM texts");
      replaceRemotely("b.md", "second", "second, edited there");
      for (let n = 0; n < 3; n++) expect((await rig.run(["sync", "w"])).code).toBe(0);
      expect(rig.read("b.md")).toContain("second, edited there");
      expect(storedText(textOf("b.md"))).toBe(textOf("b.md"));
    });

    test.each<[string, () => void]>([
      ["emptied", () => change("texts.db", "DELETE FROM texts")],
      ["deleted", () => rig.remove(".mdmirror/texts.db")],
      ["damaged within its texts", () => change("texts.db", "UPDATE texts SET text = zeroblob(9)")],
    ])("I03 I07 with a store that was %s, an edit goes up once its base is stored again", async (_, lose) => {
      lose();
      rig.write("a.md", textOf("a.md").replace("first", "first, edited locally"));
      expect((await rig.run(["sync", "w"])).code).toBe(0);
      expect(rig.remote("a.md")!.content).toContain("first, edited locally");
      expect(storedText(textOf("a.md"))).toBe(textOf("a.md"));
    });

    test("I03 the content of a document deleted locally is stored again before it goes from the service", async () => {
      change("texts.db", "DELETE FROM texts");
      rig.remove("c.md");
      expect((await rig.run(["sync", "w"])).code).toBe(0);
      expect(rig.remote("c.md")).toBeNull();
      expect(storedText(textOf("c.md"))).toBe(textOf("c.md"));
    });
  });

  test("I05 a state with an impossible row is set aside and rebuilt, and both sides stay as they are", async () => {
    change("state.db", "UPDATE records SET id = 'doc_' || char(27) WHERE local_path = 'a.md'");
    replaceRemotely("b.md", "second", "second, edited there");
    const { code, out, err } = await rig.run(["sync", "w"]);
    expect([...out, ...err].join("\n")).toMatch(/state\.db was damaged \(a row of records .*\) and set aside/);
    expect(code).toBe(3);
    for (const path of PATHS) expect(rig.read(path)).toBe(textOf(path));
    expect(rig.remote("b.md")!.content).toContain("second, edited there");
    expect((await rig.run(["resolve", rig.path("b.md"), "--theirs"])).code).toBe(0);
    expect((await rig.run(["sync", "w"])).code).toBe(0);
    expect(rig.read("b.md")).toContain("second, edited there");
  });
});

describe("I04 I09 something that is never mirrored, in the place of a document", () => {
  const rig = useRig();
  beforeEach(async () => {
    for (const path of ["a.md", "b.md", "d/c.md"]) rig.write(path, `${path}\n`);
    expect((await rig.init("--yes")).code).toBe(0);
  });

  const sync = () => rig.run(["sync"], { cwd: rig.root });
  const away = (path: string) => join(rig.root, "..", `away-${path.replace("/", "-")}`);

  test.each([
    ["a symbolic link to it", () => symlinkSync(away("a.md"), rig.path("a.md")), "a symbolic link is at this path"],
    ["a folder", () => mkdirSync(rig.path("a.md")), "a folder is at this path"],
  ])("%s: the document stays, and is the same when its file is back", async (_what, put, kind) => {
    const { id } = rig.remote("a.md")!;
    renameSync(rig.path("a.md"), away("a.md"));
    put();
    const ran = await sync();
    expect([ran.code, ran.err.join("\n")]).toEqual([3, expect.stringContaining(`a.md: type-clash: ${kind}`)]);
    expect(rig.remote("a.md")!.id).toBe(id);
    rig.remove("a.md");
    renameSync(away("a.md"), rig.path("a.md"));
    expect((await sync()).code).toBe(0);
    expect(rig.remote("a.md")!.id).toBe(id);
  });

  test("without it the document is deleted, and reported by its own name", async () => {
    rig.remove("a.md");
    symlinkSync("nowhere", rig.path("a.md"));
    expect((await sync()).code).toBe(3);
    rig.remove("a.md");
    expect(await sync()).toMatchObject({ code: 0, out: [expect.stringContaining("1 deleted on the service")] });
    expect(rig.remote("a.md")).toBeNull();
  });

  test("in the place of a folder: its documents stay, and so does it", async () => {
    renameSync(rig.path("d"), away("d"));
    symlinkSync(away("d"), rig.path("d"));
    const ran = await sync();
    expect([ran.code, ran.err.join("\n")]).toEqual([3, expect.stringContaining('a symbolic link is at "d"')]);
    expect(rig.remote("d/c.md")).not.toBeNull();
  });
});
