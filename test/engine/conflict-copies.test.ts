import { describe, expect, test, it } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import { makeTheirsCopyPath } from "../../src/mirror/model/names.ts";
import { MAX_NAME_BYTES } from "../../src/contract/path.ts";
import type { Settings } from "../../src/mirror/engine/run/world.ts";
import { type Fixture, openFixture, problem, settle, openSynced, isWrite, openConflicts } from "../promises/fixture.ts";
import { killAtEachCall } from "../simulator/moment.ts";
import { type Mirror, ROOT } from "../simulator/mirror.ts";
import type { Rig } from "../simulator/rig.ts";

/** Each conflict copy shows one version, and a user's choice refers to that version. */

const text = (first: string, last = "end") => `${first}\n\nmiddle\n\nof it\n\n${last}\n`;
const [MINE, V1, V3] = [text("mine"), text("theirs 1"), text("theirs 3")];

/** Returns the local files of the conflict. */
function notesOf({ mirror }: Fixture): object {
  return Object.fromEntries([...mirror.texts()].filter(([path]) => path !== "n.md"));
}

/** Returns the local files of the conflict, and the document's content on the service. */
function sides(fixture: Fixture): readonly [object, string | undefined] {
  return [notesOf(fixture), fixture.rig.app.text("note.md")];
}

/** Opens a conflict whose copy `note (theirs).md` shows version V1. */
async function inConflict(seed: number): Promise<Fixture> {
  const fixture = openFixture(seed);
  const { rig, mirror } = fixture;
  rig.app.create("note.md", text("one"));
  rig.app.create("n.md", "n\n");
  await settle(mirror);
  mirror.write("note.md", MINE);
  rig.app.edit("note.md", V1);
  await settle(mirror);
  expect(notesOf(fixture)).toEqual({ "note.md": MINE, "note (theirs).md": V1 });
  return fixture;
}

test("I27 a newer version has a copy with a name of its own, and the copy before goes", async () => {
  const one = await inConflict(901);
  one.rig.app.edit("note.md", V3);
  await settle(one.mirror);
  expect(notesOf(one)).toEqual({ "note.md": MINE, "note (theirs 2).md": V3 });
  one.rig.app.edit("note.md", text("theirs 4"));
  await settle(one.mirror);
  expect(notesOf(one)).toEqual({ "note.md": MINE, "note (theirs 3).md": text("theirs 4") });
});

/** Time between the user's action and the next sync, and between two syncs. */
const MILLISECONDS = [0, 61_000, 86_400_000];

describe.each(MILLISECONDS)("with %d ms between the syncs", (ms) => {
  test("I06 I29 removing the copy of a version does not decide about a later version that no user saw", async () => {
    const one = await inConflict(903);
    await one.rig.clock.sleep(ms);
    one.mirror.remove("note (theirs).md");
    one.rig.app.edit("note.md", V3);
    await one.rig.clock.sleep(ms);
    await settle(one.mirror);
    expect(sides(one)).toEqual([{ "note.md": MINE, "note (theirs 2).md": V3 }, V3]);
    one.mirror.remove("note (theirs 2).md");
    await one.rig.clock.sleep(ms);
    await settle(one.mirror);
    expect(sides(one)).toEqual([{ "note.md": MINE }, MINE]);
  });

  test("I06 I29 edits of a later version at other lines are merged with the content that was chosen over an earlier version", async () => {
    const one = await inConflict(904);
    one.mirror.remove("note (theirs).md");
    one.rig.app.edit("note.md", text("theirs 1", "end, edited there"));
    await one.rig.clock.sleep(ms);
    await settle(one.mirror);
    const merged = text("mine", "end, edited there");
    expect(sides(one)).toEqual([{ "note.md": merged }, merged]);
  });
});

const EDITED = text("of both");

/** Returns a conflict whose copy of V1 was edited before the service got a later version. */
async function edited(seed: number, later: string): Promise<Fixture> {
  const opened = await inConflict(seed);
  opened.mirror.write("note (theirs).md", EDITED);
  opened.rig.app.edit("note.md", later);
  await settle(opened.mirror);
  expect(notesOf(opened)).toEqual({ "note.md": MINE, "note (theirs).md": EDITED, "note (theirs 2).md": later });
  return opened;
}

describe("a copy that its user edited stays beside the copy of a newer version", () => {
  test("I27 moved over the document, it is a choice on the version that it was made of", async () => {
    const one = await edited(905, text("theirs 1", "end, edited there"));
    one.mirror.rename("note (theirs).md", "note.md");
    await settle(one.mirror);
    const merged = text("of both", "end, edited there");
    expect(sides(one)).toEqual([{ "note.md": merged }, merged]);
  });

  test("I06 I27 moved over the document, it does not decide about what does not merge with it", async () => {
    const one = await edited(906, V3);
    one.mirror.rename("note (theirs).md", "note.md");
    await settle(one.mirror);
    expect(sides(one)).toEqual([{ "note.md": EDITED, "note (theirs 2).md": V3 }, V3]);
  });

  const later = text("theirs 1", "end, edited there");
  const merged = text("mine", "end, edited there");
  test.each([
    ["does not merge", V3, { "note.md": MINE, "note (theirs 2).md": V3 }, V3],
    ["merges", later, { "note.md": merged }, merged],
  ])("I06 I27 removed, it does not decide about a newer version, which %s", async (_, newer, local, live) => {
    const one = await edited(907, newer);
    one.mirror.remove("note (theirs).md");
    await settle(one.mirror);
    expect(sides(one)).toEqual([local, live]);
  });

  test("I27 both copies go with their document, and both end with the conflict", async () => {
    const one = await edited(908, V3);
    one.mirror.rename("note.md", "moved.md");
    await settle(one.mirror);
    expect(notesOf(one)).toEqual({ "moved.md": MINE, "moved (theirs).md": EDITED, "moved (theirs 2).md": V3 });
    one.mirror.remove("moved (theirs 2).md");
    await settle(one.mirror);
    expect([...sides(one), one.rig.app.text("moved.md")]).toEqual([{ "moved.md": MINE }, undefined, MINE]);
  });
});

/** mdmirror reads the new version of this document when the other conflict is already open. */
test("I06 I27 a copy of another document at the same path does not take the place of this one", async () => {
  const fixture = await inConflict(950);
  const { rig, mirror } = fixture;
  mirror.rename("note.md", "elsewhere.md");
  mirror.write("note.md", text("new, local"));
  const newer = text("theirs 1", "end, edited there");
  rig.app.edit("note.md", newer);
  rig.app.rename("note.md", "moved.md");
  rig.app.create("note.md", text("new, on the service"));
  const id = rig.app.id("moved.md")!;
  let waits = 20;
  fixture.fault = ({ method, path }) => {
    const isOpen = mirror.state.load().conflicts.size > 1;
    if (isOpen || method !== "GET" || path !== `/v1/files/${id}` || waits-- === 0) return null;
    return problem(503, "service_unavailable");
  };
  await settle(mirror);
  await settle(mirror);
  expect(mirror.state.load().conflicts.size).toBe(2);
  expect([rig.app.text("moved.md"), rig.app.text("note.md")]).toEqual([newer, text("new, on the service")]);
  expect(notesOf(fixture)).toEqual({
    "moved.md": MINE,
    "moved (theirs 2).md": newer,
    "note.md": text("new, local"),
    "note (theirs 2).md": text("new, on the service"),
  });
});

const BASE = "base\n";
const YOURS = "mine\n";

/** Opens a conflict of `d/note.md`, with a conflict copy of the service's version. */
const inFolderConflict = () => openConflicts({ "d/note.md": [BASE, YOURS, "theirs 0\n"] });

/**
 * Expects the same conflict, with its newest copy only. A conflict that was resolved and opened
 * again would have another base.
 */
function expectOpen(
  { rig, mirror }: { readonly rig: Rig; readonly mirror: Mirror },
  path: string,
  theirs: string,
  when: string,
): void {
  const conflicts = [...mirror.state.load().conflicts.values()];
  expect(
    conflicts.map(({ baseDigest }) => baseDigest),
    when,
  ).toEqual([digestOf(BASE)]);
  expect(Object.fromEntries(mirror.texts()), when).toEqual({
    [makeTheirsCopyPath(path, conflicts[0]!.shown.length, MAX_NAME_BYTES)]: theirs,
    [path]: YOURS,
  });
  expect(rig.app.text(path), when).toBe(theirs);
}

it("I13 I27 killed at any call while a newer version is shown, a conflict continues with that version, and no name has shown two", async () => {
  const start = await inFolderConflict();
  start.rig.app.edit("d/note.md", "theirs 1\n");
  await killAtEachCall(start, {
    async judge({ rig, mirror }, call) {
      const shownAs = start.mirror.texts();
      const expectShown = () => {
        for (const [path, text] of mirror.texts())
          expect(shownAs.set(path, shownAs.get(path) ?? text).get(path), path).toBe(text);
      };
      for (const theirs of ["theirs 1\n", "theirs 2\n"]) {
        if (theirs !== "theirs 1\n") rig.app.edit("d/note.md", theirs);
        expectShown();
        await mirror.sync();
        expectShown();
        expectOpen({ rig, mirror }, "d/note.md", theirs, `killed at call ${call}`);
      }
    },
  });
});

it("I06 I27 a disk too full for the newer version decides nothing: it is shown where its document is by then", async () => {
  const { rig, mirror } = await inFolderConflict();
  rig.app.edit("d/note.md", "theirs 1\n");
  const emptied = mirror.disk.fail({ call: "writeNew.bytes", path: null, code: "ENOSPC" });
  await mirror.syncTimes(2);
  expect(Object.fromEntries(mirror.texts())).toEqual({ "d/note (theirs).md": "theirs 0\n", "d/note.md": YOURS });
  emptied();
  mirror.rename("d", "e");
  await mirror.syncTimes(2);
  expectOpen({ rig, mirror }, "e/note.md", "theirs 1\n", "with room again");
});

it("I27 a copy that its user edited while a newer version could not be shown stays beside the newer copy", async () => {
  const { rig, mirror } = await inFolderConflict();
  rig.app.edit("d/note.md", "theirs 1\n");
  const ends = mirror.disk.fail({ call: "link", path: `${ROOT}/d/note (theirs 2).md`, code: "EIO" });
  await mirror.sync();
  ends();
  mirror.write("d/note (theirs).md", "theirs, and mine\n");
  await mirror.sync();
  expect(mirror.texts().get("d/note (theirs).md")).toBe("theirs, and mine\n");
  expect(mirror.texts().get("d/note (theirs 2).md")).toBe("theirs 1\n");
  expect(rig.app.text("d/note.md")).toBe("theirs 1\n");
});

it("I06 I27 a power cut that the state survives removes no conflict copy: nobody chose between the two versions", async () => {
  const opened = await inFolderConflict();
  opened.mirror.disk.losePower(() => 0);
  await opened.mirror.sync();
  expectOpen(opened, "d/note.md", "theirs 0\n", "after it was opened");
  opened.rig.app.edit("d/note.md", "theirs 1\n");
  await opened.mirror.sync();
  opened.mirror.disk.losePower(() => 0);
  await opened.mirror.sync();
  expectOpen(opened, "d/note.md", "theirs 1\n", "after it was renewed");
});

const [UNEDITED, OURS, THEIRS] = ["one\n", "mine\n", "theirs\n"];
const COPY: Partial<Settings> = { conflicts: () => "copy" };

test("I03 I26 policy copy: theirs in place, yours beside as (mine), which is never sent, with the state lost neither", async () => {
  const fixture = await openSynced({ "d/note.md": UNEDITED, "n.md": "n\n" });
  const { rig, mirror } = fixture;
  mirror.write("d/note.md", OURS);
  rig.app.edit("d/note.md", THEIRS);
  await settle(mirror, COPY);
  const texts = { "d/note (mine).md": OURS, "d/note.md": THEIRS, "n.md": "n\n" };
  expect(Object.fromEntries(mirror.disk.user.texts(ROOT))).toEqual(texts);
  expect(Object.fromEntries(rig.app.texts())).toEqual({ "d/note.md": THEIRS, "n.md": "n\n" });

  // The same folder, synced with an empty state.
  const edited = `${OURS}edited beside\n`;
  const other = rig.mirror({
    fill({ user }) {
      user.makeFolder(`${ROOT}/d`);
      for (const [path, text] of Object.entries({ ...texts, "d/note (mine).md": edited }))
        user.write(`${ROOT}/${path}`, text);
    },
  });
  fixture.seen.length = 0;
  await settle(other, COPY);
  expect(fixture.seen.filter(isWrite)).toEqual([]);
  expect(other.disk.user.read(other.path("d/note (mine).md"))).toBe(edited);
});

test.each(["copy", "local", "remote"] as const)(
  "I28 policy %s counts no text as merged that did not merge",
  async (policy) => {
    const { rig, mirror } = await openSynced({ "note.md": UNEDITED });
    mirror.write("note.md", OURS);
    rig.app.edit("note.md", THEIRS);
    const report = await mirror.sync({ conflicts: () => policy });
    expect(report?.counts).toMatchObject({ merged: 0, byPolicy: 1 });
  },
);

test.each([0, 0.25, 0.45, 0.65, 0.9])(
  "I06 I13 policy copy: a power cut takes neither version (%d)",
  async (fraction) => {
    const { rig, mirror } = await openSynced({ "note.md": UNEDITED });
    mirror.write("note.md", OURS);
    rig.app.edit("note.md", THEIRS);
    mirror.disk.settle();
    await mirror.sync(COPY);
    mirror.disk.losePower(() => fraction);
    await mirror.sync(COPY);
    const texts = Object.fromEntries(mirror.disk.user.texts(ROOT));
    expect(texts).toEqual({ "note (mine).md": OURS, "note.md": THEIRS });
  },
);

test("I06 policy copy: what was kept beside before stays, and the same text is kept once", async () => {
  const { rig, mirror } = await openSynced({ "note.md": UNEDITED });
  for (const [mine, theirs] of [
    ["mine\n", "theirs\n"],
    ["something else\n", "nobody knows\n"],
    ["mine\n", "at last\n"],
  ] as const) {
    mirror.write("note.md", mine);
    rig.app.edit("note.md", theirs);
    await settle(mirror, COPY);
  }
  expect(Object.fromEntries(mirror.disk.user.texts(ROOT))).toEqual({
    "note (mine).md": "mine\n",
    "note (mine 2).md": "something else\n",
    "note.md": "at last\n",
  });
  expect(rig.app.texts()).toEqual(new Map([["note.md", "at last\n"]]));
});

test.each([null, "each"] as const)(
  "I03 I05 policy copy: where both sides are new at one path, theirs comes in place and yours stays beside (prefer %s)",
  async (prefer) => {
    const { rig, mirror } = await openSynced({ "n.md": "n\n" });
    mirror.write("d/new.md", OURS);
    rig.app.create("d/new.md", THEIRS);
    const report = await mirror.sync({ ...COPY, prefer });
    expect(report).toMatchObject({ state: "in-sync", counts: { byPolicy: 1, conflicts: 0, uploaded: 0 } });
    expect(Object.fromEntries(mirror.texts())).toEqual({ "d/new (mine).md": OURS, "d/new.md": THEIRS, "n.md": "n\n" });
    expect(Object.fromEntries(rig.app.texts())).toEqual({ "d/new.md": THEIRS, "n.md": "n\n" });
  },
);

test.each(["local", "remote"] as const)(
  "I05 policy %s: if both sides are new at one path, nothing shows which content is older: neither is overwritten",
  async (policy) => {
    const { rig, mirror } = openFixture(66);
    mirror.write("new.md", OURS);
    rig.app.create("new.md", THEIRS);
    await mirror.sync({ conflicts: () => policy });
    expect(Object.fromEntries(mirror.texts())).toEqual({ "new (theirs).md": THEIRS, "new.md": OURS });
    expect(rig.app.texts().get("new.md")).toBe(THEIRS);
  },
);

test("I03 policy copy: a linked folder that only pushes writes nothing over a new file", async () => {
  const { rig, mirror } = openFixture(67);
  mirror.write("new.md", OURS);
  rig.app.create("new.md", THEIRS);
  await mirror.sync({ ...COPY, direction: "push" });
  expect(mirror.texts().get("new.md")).toBe(OURS);
});
