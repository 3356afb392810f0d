import { describe, expect, test } from "vitest";
import type { DocId } from "../../src/contract/ids.ts";
import type { LocalPath } from "../../src/contract/path.ts";
import { killAtEachCall } from "../simulator/moment.ts";
import type { Mirror, MirrorOptions } from "../simulator/mirror.ts";
import { openFixture, openSynced, problem } from "../promises/fixture.ts";
import type { Rig } from "../simulator/rig.ts";

/**
 * An editor opens a file, mdmirror replaces the file, and the editor then saves into the old inode.
 * The saved content has the earlier version as its base.
 */

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);
const BASE = LINES.join("");
const PLACES = { app: 2, again: 6, editor: 9 } as const;
const textWith = (...by: readonly (keyof typeof PLACES)[]): string =>
  by.reduce((lines, one) => lines.with(PLACES[one], `by ${one}\n\n`), LINES).join("");

type Fixture = { readonly rig: Rig; readonly mirror: Mirror; readonly id: string };

/** An edit from the service replaces the file, then an editor saves into the old file. */
async function saveLate(other = "another document\n"): Promise<Fixture> {
  const { rig, mirror } = await openSynced({ "note.md": BASE, "other.md": other });
  const id = rig.app.id("note.md")!;
  const editor = mirror.disk.user.open(mirror.path("note.md"));
  rig.app.edit("note.md", textWith("app"));
  await mirror.sync();
  expect(mirror.texts().get("note.md")).toBe(textWith("app"));
  editor.write(textWith("editor"));
  return { rig, mirror, id };
}

async function settle({ mirror }: Fixture): Promise<void> {
  await mirror.syncTimes(2);
}

function live({ rig }: Fixture, path = "note.md"): string | undefined {
  return rig.app.text(path);
}

/** The service, an editor with the old file open, and a save by path each change the same line. */
async function clash(name: string, options: MirrorOptions = {}): Promise<Fixture> {
  const { rig, mirror } = await openSynced({ [name]: BASE }, options);
  const id = rig.app.id(name)!;
  const editor = mirror.disk.user.open(mirror.path(name));
  rig.app.edit(name, textWith("app"));
  await mirror.sync();
  editor.write(BASE.replace("line 5", "late"));
  mirror.write(name, textWith("app").replace("line 5", "other"));
  return { rig, mirror, id };
}

const BETWEEN: Readonly<Record<string, { act: (mirror: Mirror) => void; ends: string }>> = {
  "nothing else": { act: () => undefined, ends: textWith("app", "editor") },
  "the new file was deleted": {
    act: (mirror) => mirror.remove("note.md"),
    ends: textWith("app", "editor"),
  },
  "the editor saved once more, by its path": {
    act: (mirror) => mirror.write("note.md", textWith("editor", "again")),
    ends: textWith("app", "editor", "again"),
  },
  "somebody edited the new file": {
    act: (mirror) => mirror.write("note.md", textWith("app", "again")),
    ends: textWith("app", "editor", "again"),
  },
};

describe("I06 I14 content saved into a replaced file is an edit of the earlier version", () => {
  test.each(Object.entries(BETWEEN))("it undoes no edit of the app: %s", async (_, { act, ends }) => {
    const fixture = await saveLate();
    act(fixture.mirror);
    await settle(fixture);
    expect(live(fixture)).toBe(ends);
    expect(fixture.mirror.texts().get("note.md")).toBe(ends);
    expect(fixture.rig.app.id("note.md")).toBe(fixture.id);
    expect(fixture.rig.app.files().size).toBe(2);
  });

  test.each(Object.entries(BETWEEN))("I13 nor if it is killed while it is restored: %s", async (_, { act, ends }) => {
    const late = await saveLate();
    act(late.mirror);
    const before = late.mirror.requests.length;
    await killAtEachCall(late, {
      open: (beginning) => ({ ...late, ...beginning.open() }),
      // Recovery is done before the first request.
      until: ({ mirror }) => mirror.requests.length > before,
      async judge(fixture, at) {
        await settle(fixture);
        expect({ at, text: live(fixture) }).toEqual({ at, text: ends });
      },
    });
  });

  test("I09 a document that was renamed since keeps its id, and the late save is its edit", async () => {
    const fixture = await saveLate();
    fixture.mirror.rename("note.md", "plan.md");
    await settle(fixture);
    expect(live(fixture, "plan.md")).toBe(textWith("app"));
    expect(fixture.rig.app.id("plan.md")).toBe(fixture.id);
    expect(live(fixture)).toBe(textWith("editor"));
  });

  test("I09 the late save does not change another document that was renamed to the path", async () => {
    const other = `# Other\n\n${BASE}`;
    const fixture = await saveLate(other);
    fixture.mirror.rename("note.md", "between.md");
    fixture.mirror.rename("other.md", "note.md");
    fixture.mirror.rename("between.md", "other.md");
    await settle(fixture);
    expect(live(fixture)).toBe(other);
    expect(live(fixture, "other.md")).toBe(textWith("app"));
    expect(fixture.rig.app.id("other.md")).toBe(fixture.id);
    expect(live(fixture, "note-late.md")).toBe(textWith("editor"));
  });
});

test("I06 a late save undoes no edit of the app, although another file has come to the path", async () => {
  const fixture = await saveLate(`# Other\n\n${BASE}`);
  fixture.mirror.rename("other.md", "note.md");
  await fixture.mirror.syncTimes(3);
  const texts = [...fixture.rig.app.texts().values()].join();
  for (const line of ["by app", "by editor"]) expect(texts).toContain(line);
});

describe("I14 a late save that does not merge", () => {
  const late = BASE.replace("line 5", "late");

  test("lands moved to its document on a disk with short names", async () => {
    const name = `${"n".repeat(140)}.md`;
    const { mirror } = await clash(name, { disk: { maxNameBytes: 143 } });
    await mirror.sync();
    expect([...mirror.texts()].filter(([, text]) => text === late)).toEqual([[`${"n".repeat(135)}-late.md`, late]]);
    expect(mirror.state.intents()).toEqual([]);
  });

  test("stays set aside while the moved file of its document cannot be read", async () => {
    const { mirror } = await clash("note.md");
    const heal = mirror.disk.fail({ call: "lstat", path: mirror.path("note-late.md"), code: "EIO" });
    await mirror.sync();
    expect(mirror.state.intents().map(({ intent }) => intent.kind)).toEqual(["set-aside"]);
    heal();
    await mirror.sync();
    expect([...mirror.texts().values()]).toContain(late);
  });
});

test("I14 a file that was replaced is kept while a program has it open to write, and each of its texts comes back", async () => {
  const { rig, mirror } = await openSynced({ "note.md": BASE });
  const path = mirror.path("note.md");
  const program = mirror.disk.user.open(path);
  mirror.disk.openToWrite = new Set([mirror.disk.user.inode(path)]);
  const fixture = { rig, mirror, id: "" };
  rig.app.edit("note.md", textWith("app"));
  for (const line of ["one\n", "two\n", "three\n"]) {
    await settle(fixture);
    await settle(fixture);
    program.append(line);
    if (line === "two\n") rig.app.edit("note.md", live(fixture)!.replace("line 5", "by again"));
  }
  mirror.disk.openToWrite = new Set();
  await settle(fixture);
  await settle(fixture);
  const whole = `${textWith("app").replace("line 5", "by again")}one\ntwo\nthree\n`;
  expect([mirror.texts().get("note.md"), live(fixture)]).toEqual([whole, whole]);
  expect(mirror.state.intents()).toEqual([]);
});

describe("I14 content that was saved late, while the move of its document is refused", () => {
  /**
   * `a.md` was moved to `box/a.md`, which the service refuses, and `b.md` was renamed to `a.md`.
   */
  async function saveLateBesideSwap(): Promise<Mirror> {
    const fixture = openFixture(67);
    const { rig, mirror } = fixture;
    const { user } = mirror.disk;
    const id = rig.app.create("a.md", BASE);
    rig.app.create("b.md", `${BASE}b\n`);
    rig.app.create("box/c.md", "c\n");
    await mirror.sync();
    fixture.fault = ({ method, path }) =>
      method === "PATCH" && path.endsWith(`/${id}`) ? problem(403, "forbidden") : null;
    const editor = user.open(mirror.path("a.md"));
    rig.app.edit("a.md", textWith("app"));
    mirror.rename("a.md", "box/a.md");
    mirror.rename("b.md", "a.md");
    await mirror.sync();
    expect(mirror.texts().get("box/a.md")).toBe(textWith("app"));
    editor.write(textWith("editor"));
    return mirror;
  }

  test("lands in the document's file", async () => {
    const mirror = await saveLateBesideSwap();
    await mirror.sync();
    expect(mirror.texts().get("box/a.md")).toBe(textWith("app", "editor"));
    expect(mirror.texts().get("a.md")).toBe(`${BASE}b\n`);
  });

  test("lands beside another document's file, if an editor has replaced the document's own", async () => {
    const mirror = await saveLateBesideSwap();
    mirror.disk.user.saveAtomically(mirror.path("box/a.md"), textWith("app", "again"));
    await mirror.sync();
    expect(mirror.texts().get("box/a.md")).toBe(textWith("app", "again", "editor"));
    expect(mirror.texts().get("a.md")).toBe(`${BASE}b\n`);
  });
});

test("I06 content saved while its document goes to the trash is put beside a file that came to its path", async () => {
  const { rig, mirror } = await openSynced({ "note.md": BASE, "other.md": "another document\n" });
  const { user } = mirror.disk;
  const path = mirror.path("note.md");
  rig.app.remove("note.md");
  mirror.disk.beforeCall = (call, from) => {
    if (call === "rename" && from === path) user.write(path, textWith("editor"));
    if (call === "readFile" && from.includes("/trash/")) user.write(path, "newcomer\n");
  };
  await mirror.sync();
  mirror.disk.beforeCall = null;
  await mirror.sync();
  const texts = { "note-late.md": textWith("editor"), "note.md": "newcomer\n", "other.md": "another document\n" };
  expect(Object.fromEntries(mirror.texts())).toEqual(texts);
  expect(Object.fromEntries([...rig.app.files()].map(([at, { text }]) => [at, text]))).toEqual(texts);
  expect(mirror.state.intents()).toEqual([]);
});

test("a file that a row without its digest names stays in the trash beside a file at its path", async () => {
  const { rig, mirror } = await openSynced({ "note.md": BASE });
  const [id, path] = [rig.app.id("note.md")! as DocId, "note.md" as LocalPath];
  const setAsideAt = "trash/2027-01-15/note.md";
  mirror.state.openIntent(1, { kind: "trash", id, path, setAsideAt });
  mirror.disk.mkdir(mirror.path(".mdmirror/trash/2027-01-15"), 0o700);
  mirror.disk.user.write(mirror.path(`.mdmirror/${setAsideAt}`), BASE);
  await mirror.sync();
  expect(Object.fromEntries(mirror.texts())).toEqual({ "note.md": BASE });
  expect(mirror.state.intents()).toEqual([]);
});
