import { describe, expect, it } from "vitest";
import { ROOT } from "../simulator/mirror.ts";
import type { RamCall } from "../simulator/ram-disk.ts";
import { copyOf, type HostileFixture, openHostile, syncPlanting } from "./hostile-fixture.ts";

/**
 * I26: mdmirror reads, writes and deletes nothing behind a symlink, whenever the symlink was
 * created.
 */

const OUTSIDE = "/home/ann/other";
const SECRET = "a text of somebody else\n";
const NAMES = ["a.md", "b.md", "c.md", "d.md", "g/e.md", "new.md", "moved.md"];

/** Syncs documents in `f`. A folder beside the root has other files with the same names. */
async function openLinked() {
  const fixture = openHostile();
  fixture.disk.user.makeFolder(`${OUTSIDE}/g`);
  for (const name of NAMES) fixture.disk.user.write(`${OUTSIDE}/${name}`, SECRET);
  for (const name of ["a", "b", "c", "d", "g/e"]) fixture.rig.app.create(`f/${name}.md`, `${name}\n`);
  await fixture.sync();
  return fixture;
}

/**
 * Makes changes in `f` and in a folder below it. A sync must replace, trash, move, create and
 * upload files.
 */
function changeBothSides({ rig: { app }, mirror }: HostileFixture): void {
  for (const name of ["a", "g/e"]) app.edit(`f/${name}.md`, `${name}, edited there\n`);
  app.remove("f/b.md");
  app.rename("f/c.md", "moved.md");
  mirror.write("f/d.md", "d, edited locally\n");
  app.create("f/new.md", "new\n");
}

/** Returns a function that opens a new copy of the fixture with these changes. */
async function openChanged(): Promise<() => HostileFixture> {
  const fixture = await openLinked();
  changeBothSides(fixture);
  return copyOf(fixture);
}

function outside(fixture: HostileFixture): Map<string, string> {
  const texts = fixture.disk.user.texts(OUTSIDE, true);
  texts.delete("x.md");
  return texts;
}

function expectUntouched(fixture: HostileFixture): void {
  expect([...outside(fixture)].filter(([, text]) => text !== SECRET)).toEqual([]);
  expect([...outside(fixture).keys()].sort()).toEqual(NAMES.toSorted());
  expect([...fixture.rig.app.texts().values()].filter((text) => text === SECRET)).toEqual([]);
  expect(fixture.keeps(SECRET)).toBe(false);
}

function swapFolder(fixture: HostileFixture, path: string): () => void {
  const { user } = fixture.disk;
  user.rename(`${ROOT}/${path}`, "/tmp/aside");
  user.symlink(path.includes("/") ? `${OUTSIDE}/g` : OUTSIDE, `${ROOT}/${path}`);
  return () => {
    fixture.mirror.remove(path);
    user.rename("/tmp/aside", `${ROOT}/${path}`);
  };
}

const PLANTS: Readonly<Record<string, (fixture: HostileFixture) => void>> = {
  "a document, to one outside": ({ disk }) => {
    disk.user.remove(`${ROOT}/f/a.md`);
    disk.user.symlink(`${OUTSIDE}/a.md`, `${ROOT}/f/a.md`);
  },
  "a document, to nothing": ({ disk }) => {
    disk.user.remove(`${ROOT}/f/a.md`);
    disk.user.symlink("/home/ann/nothing.md", `${ROOT}/f/a.md`);
  },
  "a document, to itself": ({ disk }) => {
    disk.user.remove(`${ROOT}/f/a.md`);
    disk.user.symlink("a.md", `${ROOT}/f/a.md`);
  },
  "a document, to another": ({ disk }) => {
    disk.user.remove(`${ROOT}/f/a.md`);
    disk.user.symlink("d.md", `${ROOT}/f/a.md`);
  },
  "the place of a new document": ({ disk }) => disk.user.symlink(`${OUTSIDE}/new.md`, `${ROOT}/f/new.md`),
  "the place that one moves to": ({ disk }) => disk.user.symlink(`${OUTSIDE}/moved.md`, `${ROOT}/f/moved.md`),
  "a folder, to one outside": (fixture) => void swapFolder(fixture, "f"),
  "a folder below, to one outside": (fixture) => void swapFolder(fixture, "f/g"),
  "a folder, to the folder above": ({ disk }) => {
    disk.user.rename(`${ROOT}/f/g`, "/tmp/aside");
    disk.user.symlink("..", `${ROOT}/f/g`);
  },
  "a folder, to the root": ({ disk }) => {
    disk.user.rename(`${ROOT}/f`, "/tmp/aside");
    disk.user.symlink(ROOT, `${ROOT}/f`);
  },
  "a folder, to .mdmirror": ({ disk }) => {
    disk.user.rename(`${ROOT}/f`, "/tmp/aside");
    disk.user.symlink(".mdmirror", `${ROOT}/f`);
  },
  "a new folder, to one outside": ({ disk }) => disk.user.symlink(OUTSIDE, `${ROOT}/way`),
  "the ignore rules": ({ disk }) => disk.user.symlink(`${OUTSIDE}/a.md`, `${ROOT}/.mdmirrorignore`),
  ".mdmirror/tmp": ({ disk }) => {
    disk.user.rename(`${ROOT}/.mdmirror/tmp`, "/tmp/aside");
    disk.user.symlink(OUTSIDE, `${ROOT}/.mdmirror/tmp`);
  },
  ".mdmirror/trash": ({ disk }) => {
    disk.user.rename(`${ROOT}/.mdmirror/trash`, "/tmp/aside");
    disk.user.symlink(OUTSIDE, `${ROOT}/.mdmirror/trash`);
  },
  "the root, to a folder outside": ({ disk }) => {
    disk.user.rename(ROOT, "/tmp/aside");
    disk.user.symlink(OUTSIDE, ROOT);
  },
};

describe("I26 symlinks planted before a cycle", () => {
  it.each(Object.entries(PLANTS))("%s", async (_name, plant) => {
    const fixture = await openLinked();
    changeBothSides(fixture);
    plant(fixture);
    await fixture.sync();
    expectUntouched(fixture);
    await fixture.sync();
    expectUntouched(fixture);
    // A document behind a symlink does not count as deleted, so nothing more is deleted on the
    // service.
    expect(fixture.rig.app.paths().length).toBeGreaterThanOrEqual(4);
  });

  it("in the place of a folder: its documents are not absent, and all is well when it is back", async () => {
    const fixture = await openLinked();
    changeBothSides(fixture);
    const back = swapFolder(fixture, "f");
    for (let i = 0; i < 3; i++) await fixture.sync();
    expect(fixture.rig.app.paths().length).toBe(5);
    back();
    await fixture.sync();
    // b.md was deleted on the service while its local folder was not visible. Its file counts as
    // new, so nothing is lost (I03).
    expect(Object.fromEntries(fixture.texts())).toEqual({
      "f/b.md": "b\n",
      "f/a.md": "a, edited there\n",
      "f/d.md": "d, edited locally\n",
      "f/g/e.md": "g/e, edited there\n",
      "f/moved.md": "c\n",
      "f/new.md": "new\n",
    });
    expectUntouched(fixture);
  });
});

describe("I26 symlinks planted during a cycle", () => {
  it("at a document's name, right before any call: nothing outside is read or written", async () => {
    let planted = 0;
    const open = await openChanged();
    for (let n = 1; ; n += 2) {
      const fixture = open();
      const targets = ["a.md", "b.md", "c.md", "d.md", "new.md", "moved.md", "g/e.md"];
      const target = targets[((n - 1) / 2) % targets.length]!;
      const reached = await syncPlanting(
        fixture,
        () => true,
        n,
        () => {
          fixture.mirror.remove(`f/${target}`);
          fixture.disk.user.symlink(`${OUTSIDE}/${target}`, `${ROOT}/f/${target}`);
        },
      );
      expectUntouched(fixture);
      if (!reached) break;
      planted++;
      await fixture.sync();
      expectUntouched(fixture);
    }
    expect(planted).toBeGreaterThan(80);
  });

  it.each([
    ["f", 6],
    ["f/g", 2],
  ])("in the place of the folder %s, right before any check of it", async (folder, least) => {
    const looks = new Set<RamCall>(["realpath"]);
    let planted = 0;
    const open = await openChanged();
    for (let n = 1; ; n++) {
      const fixture = open();
      let back: () => void = () => undefined;
      const reached = await syncPlanting(
        fixture,
        (call, path) => looks.has(call) && path.startsWith(`${ROOT}/${folder}`),
        n,
        () => {
          back = swapFolder(fixture, folder);
        },
      );
      expectUntouched(fixture);
      if (!reached) break;
      planted++;
      back();
      await fixture.sync();
      await fixture.sync();
      expectUntouched(fixture);
      expect(fixture.texts().get("f/d.md")).toBe("d, edited locally\n");
      expect(fixture.texts().get("f/g/e.md")).toBe("g/e, edited there\n");
    }
    expect(planted).toBeGreaterThanOrEqual(least);
  });

  it.each(["f", "f/g"])(
    "in the place of the folder %s while it is walked, and taken back: nothing of it is sent or written",
    async (folder) => {
      const fixture = await openLinked();
      fixture.mirror.write("f/d.md", "d, edited locally\n");
      let back: (() => void) | null = null;
      let swaps = 0;
      fixture.disk.beforeCall = (call, path) => {
        if (call === "readdir" && path === `${ROOT}/${folder}` && swaps === 0) {
          swaps++;
          back = swapFolder(fixture, folder);
        } else if (back !== null && (path === ROOT || !path.startsWith(`${ROOT}/${folder}`))) {
          back();
          back = null;
        }
      };
      await fixture.sync();
      fixture.disk.beforeCall = null;
      expect([swaps, back]).toEqual([1, null]);
      await fixture.sync();
      expect([...fixture.rig.app.texts().values()].filter((text) => text === SECRET)).toEqual([]);
      expect(fixture.texts().get("f/d.md")).toBe("d, edited locally\n");
      expect(fixture.rig.app.text("f/d.md")).toBe("d, edited locally\n");
      expect([...fixture.texts().values()]).not.toContain(SECRET);
    },
  );
});
