import { beforeEach, describe, expect, it } from "vitest";
import { isConflictCopyName, nameOf } from "../../src/contract/path.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { RamDisk } from "../simulator/ram-disk.ts";
import { settle } from "../promises/fixture.ts";

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

function writes(): string[] {
  return mirror.writes();
}

async function expectQuiet(): Promise<void> {
  const before = [writes().length, [...mirror.texts()]];
  const report = await mirror.sync();
  expect([writes().length, [...mirror.texts()]]).toEqual(before);
  expect(report?.state).toBe("in-sync");
}

/** Returns the local path of the document with this content. */
function pathOf(text: string): string {
  return [...mirror.texts()].find(([, found]) => found === text)![0];
}

describe("a disk with short names", () => {
  it("I01 I02 takes documents and folders with longer ones under shortened names, and renames none on the service", async () => {
    for (const path of [LONG, WIDE, DEEP]) rig.app.create(path, `text of ${path}\n`);
    const before = rig.app.files();
    const report = await mirror.sync();
    expect(report?.state).toBe("in-sync");
    expectFit();
    expect([...mirror.texts().values()].sort()).toEqual([...before.values()].map(({ text }) => text).sort());
    await expectQuiet();
    expect(writes()).toEqual([]);
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
