import { beforeEach, describe, expect, it, test } from "vitest";
import { makeConflictCopyPath, makeTheirsCopyPath } from "../../src/mirror/model/names.ts";
import { isConflictCopyName, MAX_NAME_BYTES, nameOf, parentOf } from "../../src/contract/path.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import { openSynced, settle } from "../promises/fixture.ts";
import { type Mirror, ROOT } from "../simulator/mirror.ts";
import { fc } from "../property.ts";
import { RamDisk } from "../simulator/ram-disk.ts";

/**
 * Two documents want one name: the service's document keeps it, and the other document's new local
 * name is reported once.
 */

it("a file that is renamed locally to another document's name on the service is reported with the name that it gets", async () => {
  const { rig, mirror } = await openSynced({ "a.md": "a\n" });
  mirror.rename("a.md", "t.md");
  rig.app.create("t.md", "theirs\n");
  const report = await mirror.sync();
  expect([...mirror.texts().keys()].sort()).toEqual(["t-2.md", "t.md"]);
  expect(report?.renamed).toEqual([{ from: "t.md", to: "t-2.md" }]);
  expect(report?.state).toBe("in-sync");
  expect((await mirror.sync())?.renamed).toEqual([]);
});

it("a folder too; and names that nobody else has are not reported", async () => {
  const rig = createRig(44);
  rig.app.create("f/a.md", "a\n");
  const mirror = rig.mirror();
  expect((await mirror.sync())?.renamed).toEqual([]);
  mirror.rename("f", "g");
  rig.app.create("g/b.md", "theirs\n");
  const report = await mirror.sync();
  expect([...mirror.texts().keys()].sort()).toEqual(["g-2/a.md", "g/b.md"]);
  expect(report?.renamed).toEqual([{ from: "g", to: "g-2" }]);
});

/** A user's file has the path that a conflict copy would get. */

const AT = makeConflictCopyPath("note.md", "theirs", 1, MAX_NAME_BYTES);
const OWN = "of nobody's conflict\n";

it("I03 a file at the name of a conflict copy is renamed, and log and history say so", async () => {
  const { rig, mirror } = await openSynced({ "note.md": "one\n" });
  mirror.write(AT, OWN);
  await mirror.sync();
  mirror.write("note.md", "mine\n");
  rig.app.edit("note.md", "theirs\n");
  await mirror.sync();
  expect(mirror.texts().get(AT)).toBe("theirs\n");
  const events = mirror.state.events({ limit: 100, path: AT });
  expect(events).toEqual([expect.objectContaining({ kind: "trash-local", id: null, outcome: "done" })]);
  const [, place] = /(\.mdmirror\/trash\/[^,]*)/.exec(events[0]!.detail)!;
  expect(mirror.disk.user.read(`${ROOT}/${place}`)).toBe(OWN);
  expect(mirror.state.text(events[0]!.before!)).toBe(OWN);
  // When a newer copy replaces a conflict copy, the removal is not reported.
  rig.app.edit("note.md", "theirs, later\n");
  await mirror.sync();
  expect(mirror.texts().has(AT)).toBe(false);
  expect(mirror.state.events({ limit: 100, path: AT })).toEqual(events);
});

test("a file left at a temporary name, with no text in it, waits for one, and gets a lasting name with it (I13)", async () => {
  const rig = createRig(1);
  const mirror = rig.mirror();
  mirror.write("todo-mdmirror-99994e6f.md", "torn\0\0\0");
  await mirror.sync();
  expect([...mirror.state.load().blocks.values()].map(({ reason }) => reason)).toEqual(["contains-nul"]);
  mirror.write("todo-mdmirror-99994e6f.md", "written again\n");
  await mirror.syncTimes(2);
  expect(mirror.texts()).toEqual(new Map([["todo.md", "written again\n"]]));
  expect([...rig.app.files().keys()]).toEqual(["todo.md"]);
});

describe("the name of a conflict copy", () => {
  test.each([
    ["note.md", "note (theirs).md"],
    ["d/e/note.md", "d/e/note (theirs).md"],
    [`${"n".repeat(243)}.md`, `${"n".repeat(243)} (theirs).md`],
  ])("of %s is made of the document's where the disk can hold it", (path, beside) => {
    expect(makeTheirsCopyPath(path, 1, 255)).toBe(beside);
  });

  test("is beside any document, no longer than a disk's names may be, and different for two documents", () => {
    const stem = fc.string({ unit: "grapheme", minLength: 1, maxLength: 260 }).map((text) => text.replaceAll("/", "-"));
    const name = stem.map((text) => `${text}.md`).filter((text) => Buffer.byteLength(text) <= 255);
    fc.assert(
      fc.property(name, name, (one, other) => {
        const beside = makeTheirsCopyPath(`d/${one}`, 1, 255);
        expect(parentOf(beside)).toBe("d");
        expect(isConflictCopyName(nameOf(beside))).toBe(true);
        expect(Buffer.byteLength(nameOf(beside))).toBeLessThanOrEqual(255);
        expect(beside.isWellFormed()).toBe(true);
        if (one !== other) expect(makeTheirsCopyPath(`d/${other}`, 1, 255)).not.toBe(beside);
      }),
    );
    const long = "x".repeat(251);
    expect(makeTheirsCopyPath(`${long}a.md`, 1, 255)).not.toBe(makeTheirsCopyPath(`${long}b.md`, 1, 255));
  });
});

test("two conflicts of documents whose long names differ at the end alone: each keeps both versions, and ends by its own copy", async () => {
  const rig = createRig(1);
  const mirror = rig.mirror();
  const paths = ["a", "b"].map((end) => `${"long-".repeat(50)}${end}.md`);
  for (const path of paths) rig.app.create(path, "first\n");
  await mirror.sync();
  for (const path of paths) {
    mirror.write(path, `mine of ${path.at(-4)!}\n`);
    rig.app.edit(path, `theirs of ${path.at(-4)!}\n`);
  }
  await mirror.sync();
  const besides = paths.map((path) => makeTheirsCopyPath(path, 1, 255));
  for (const [index, path] of paths.entries()) {
    expect(mirror.texts().get(path)).toBe(`mine of ${path.at(-4)!}\n`);
    expect(mirror.texts().get(besides[index]!)).toBe(`theirs of ${path.at(-4)!}\n`);
    expect(Buffer.byteLength(besides[index]!)).toBeLessThanOrEqual(255);
  }
  mirror.remove(besides[0]!);
  mirror.rename(besides[1]!, paths[1]!);
  await settle(mirror);
  expect(paths.map((path) => rig.app.text(path)!)).toEqual(["mine of a\n", "theirs of b\n"]);
  expect([...mirror.texts().keys()].sort()).toEqual(paths);
});

test("a document whose name is as long as a disk takes goes to the trash under a name that the disk takes", async () => {
  const rig = createRig(2);
  const mirror = rig.mirror();
  const long = `d/${"long-".repeat(50)}xy.md`;
  rig.app.create(long, "a long name\n");
  for (let n = 0; n < 5; n++) rig.app.create(`n${n}.md`, `${n}\n`);
  await mirror.sync();
  rig.app.remove(long);
  await mirror.sync();
  const trash = [...mirror.disk.user.texts(mirror.path(".mdmirror/trash"), true)];
  expect(trash.map(([, text]) => text)).toEqual(["a long name\n"]);
  const [, folder, name] = trash[0]![0].split("/");
  expect(folder).toBe("d");
  expect(name).toMatch(/^(?:long-)+[^/]*\.[0-9a-f]{8}\.md$/);
  expect(Buffer.byteLength(name!)).toBeLessThanOrEqual(255);
});

describe("a disk with short names", () => {
  /** A disk that takes names of 143 bytes, as eCryptfs does. The service takes longer names. */
  const LIMIT = 143;
  const LONG = `${"long-".repeat(39)}x.md`;
  const WIDE = `${"字".repeat(60)}.md`;
  const DEEP = `${"folder-".repeat(28)}/note.md`;

  let rig: Rig;
  let mirror: Mirror;

  beforeEach(() => {
    rig = createRig(1);
    mirror = rig.mirror({ disk: { maxNameBytes: LIMIT } });
  });

  /** Expects local names that the disk takes, and the same contents on both sides. */
  function expectFit(): void {
    const paths = [...mirror.texts().keys()];
    for (const name of paths.flatMap((path) => path.split("/")))
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(LIMIT);
  }

  async function expectQuiet(): Promise<void> {
    const before = [mirror.writes().length, [...mirror.texts()]];
    const report = await mirror.sync();
    expect([mirror.writes().length, [...mirror.texts()]]).toEqual(before);
    expect(report?.state).toBe("in-sync");
  }

  /** Returns the local path of the document with this content. */
  function pathOf(text: string): string {
    return [...mirror.texts()].find(([, found]) => found === text)![0];
  }

  it("I01 I02 takes documents and folders with longer ones under shortened names, and renames none on the service", async () => {
    for (const path of [LONG, WIDE, DEEP]) rig.app.create(path, `text of ${path}\n`);
    const before = rig.app.files();
    const report = await mirror.sync();
    expect(report?.state).toBe("in-sync");
    expectFit();
    expect([...mirror.texts().values()].sort()).toEqual([...before.values()].map(({ text }) => text).sort());
    await expectQuiet();
    expect(mirror.writes()).toEqual([]);
    expect(rig.app.files()).toEqual(before);
  });

  it("I09 sends an edit, and a move of the file, to the document with the longer name", async () => {
    rig.app.create(LONG, "first\n");
    const id = rig.app.id(LONG)!;
    await mirror.sync();
    const path = pathOf("first\n");
    mirror.write(path, "first\nsecond\n");
    mirror.write("d/other.md", "other\n");
    mirror.rename(path, `d/${path}`);
    await mirror.sync();
    expect(rig.app.files().get(`d/${LONG}`)).toMatchObject({ id, text: "first\nsecond\n" });
    await expectQuiet();
  });

  it("I05 with a state that was lost finds the documents of the shortened files again", async () => {
    for (const path of [LONG, WIDE, DEEP]) rig.app.create(path, `text of ${path}\n`);
    await mirror.sync();
    const fill = (disk: typeof mirror.disk): void => {
      for (const [path, text] of mirror.texts()) {
        disk.user.makeFolder(mirror.path(path).slice(0, mirror.path(path).lastIndexOf("/")));
        disk.user.write(mirror.path(path), text);
      }
    };
    const again = rig.mirror({ disk: { maxNameBytes: LIMIT }, fill });
    await again.sync();
    expect([...again.texts()].sort()).toEqual([...mirror.texts()].sort());
    expect(rig.app.paths()).toEqual([LONG, WIDE, DEEP].sort());
  });

  it.each([LONG, WIDE, `${"n".repeat(LIMIT - 3)}.md`])(
    "I27 shows the conflict of %s in a copy, and ends it",
    async (path) => {
      rig.app.create(path, "first\n");
      await mirror.sync();
      const local = pathOf("first\n");
      for (const version of ["theirs\n", "theirs once more\n"]) {
        mirror.write(local, "mine\n");
        rig.app.edit(path, version);
        await mirror.sync();
        expectFit();
        expect(isConflictCopyName(nameOf(pathOf(version)))).toBe(true);
      }
      mirror.remove(pathOf("theirs once more\n"));
      await settle(mirror);
      expect(rig.app.text(path)).toBe("mine\n");
      expect([...mirror.texts()]).toEqual([[local, "mine\n"]]);
      await expectQuiet();
    },
  );

  it("I09 I11 gives a free name that fits to one of two documents with one path, and lets two change names", async () => {
    const [one, other, third] = ["a", "b", "c"].map((end) => `${"漢".repeat(46)}${end}.md`) as [string, string, string];
    for (const name of [one, other]) rig.app.create(name, `${name}\n`);
    const ids = rig.app.files();
    await mirror.sync();
    mirror.rename(one, "x.md");
    mirror.rename(other, one);
    mirror.rename("x.md", other);
    await mirror.sync();
    expectFit();
    expect(rig.app.files().get(other)).toMatchObject({ id: ids.get(one)!.id, text: `${one}\n` });
    mirror.rename(one, third);
    rig.app.create(third, "remote\n");
    await mirror.syncTimes(2);
    expectFit();
    expect(pathOf("remote\n")).toBe(third);
    expect([...rig.app.files().values()].find(({ id }) => id === ids.get(other)!.id)?.text).toBe(`${other}\n`);
    await expectQuiet();
  });

  it("I09 I18 leaves the names as they are when the folder comes to a disk with longer ones", async () => {
    for (const path of [LONG, WIDE, DEEP]) rig.app.create(path, `text of ${path}\n`);
    await mirror.sync();
    const before = rig.app.files();
    const paths = [...mirror.texts().keys()];
    const { disk, ...state } = mirror.copy();
    const moved = rig.mirror({}, { ...state, disk: new RamDisk({}, disk).copy() });
    await moved.sync();
    expect([...moved.texts().keys()]).toEqual(paths);
    expect(rig.app.files()).toEqual(before);
  });
});
