import { expect, test } from "vitest";
import type { Settings } from "../../src/mirror/engine/run/world.ts";
import { ROOT } from "../simulator/mirror.ts";
import { isWrite, openFixture, remoteTexts, settle, openSynced } from "../promises/fixture.ts";

const [BASE, MINE, THEIRS] = ["one\n", "mine\n", "theirs\n"];
const COPY: Partial<Settings> = { conflicts: () => "copy" };

test("I03 I26 policy copy: theirs in place, yours beside as (mine), which is never sent, with the state lost neither", async () => {
  const fixture = await openSynced({ "d/note.md": BASE, "n.md": "n\n" });
  const { rig, mirror } = fixture;
  mirror.write("d/note.md", MINE);
  rig.app.edit("d/note.md", THEIRS);
  await settle(mirror, COPY);
  const texts = { "d/note (mine).md": MINE, "d/note.md": THEIRS, "n.md": "n\n" };
  expect(Object.fromEntries(mirror.disk.user.texts(ROOT))).toEqual(texts);
  expect(Object.fromEntries(remoteTexts(rig))).toEqual({ "d/note.md": THEIRS, "n.md": "n\n" });

  // The same folder with a state that knows nothing.
  const edited = `${MINE}edited beside\n`;
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
  "I28 policy %s: texts that did not merge are not counted as merged",
  async (policy) => {
    const { rig, mirror } = await openSynced({ "note.md": BASE });
    mirror.write("note.md", MINE);
    rig.app.edit("note.md", THEIRS);
    const report = await mirror.sync({ conflicts: () => policy });
    expect(report?.counts).toMatchObject({ merged: 0, byPolicy: 1 });
  },
);

test.each([0, 0.25, 0.45, 0.65, 0.9])("I06 I13 policy copy: a power cut takes neither text (%d)", async (fraction) => {
  const { rig, mirror } = await openSynced({ "note.md": BASE });
  mirror.write("note.md", MINE);
  rig.app.edit("note.md", THEIRS);
  mirror.disk.settle();
  await mirror.sync(COPY);
  mirror.disk.losePower(() => fraction);
  await mirror.sync(COPY);
  const texts = Object.fromEntries(mirror.disk.user.texts(ROOT));
  expect(texts).toEqual({ "note (mine).md": MINE, "note.md": THEIRS });
});

test("I06 policy copy: what was kept beside before stays, and the same text is kept once", async () => {
  const { rig, mirror } = await openSynced({ "note.md": BASE });
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
  expect(remoteTexts(rig)).toEqual(new Map([["note.md", "at last\n"]]));
});

test.each([null, "each"] as const)(
  "I03 I05 policy copy: where both sides are new at one path, theirs comes in place and yours stays beside (prefer %s)",
  async (prefer) => {
    const { rig, mirror } = await openSynced({ "n.md": "n\n" });
    mirror.write("d/new.md", MINE);
    rig.app.create("d/new.md", THEIRS);
    const report = await mirror.sync({ ...COPY, prefer });
    expect(report).toMatchObject({ state: "in-sync", counts: { byPolicy: 1, conflicts: 0, uploaded: 0 } });
    expect(Object.fromEntries(mirror.texts())).toEqual({ "d/new (mine).md": MINE, "d/new.md": THEIRS, "n.md": "n\n" });
    expect(Object.fromEntries(remoteTexts(rig))).toEqual({ "d/new.md": THEIRS, "n.md": "n\n" });
  },
);

test.each(["local", "remote"] as const)(
  "I05 policy %s: if both sides are new at one path, nothing shows which content is older: neither is overwritten",
  async (policy) => {
    const { rig, mirror } = openFixture(66);
    mirror.write("new.md", MINE);
    rig.app.create("new.md", THEIRS);
    await mirror.sync({ conflicts: () => policy });
    expect(Object.fromEntries(mirror.texts())).toEqual({ "new (theirs).md": THEIRS, "new.md": MINE });
    expect(remoteTexts(rig).get("new.md")).toBe(THEIRS);
  },
);

test("I03 policy copy: a linked folder that only pushes writes nothing over a new file", async () => {
  const { rig, mirror } = openFixture(67);
  mirror.write("new.md", MINE);
  rig.app.create("new.md", THEIRS);
  await mirror.sync({ ...COPY, direction: "push" });
  expect(mirror.texts().get("new.md")).toBe(MINE);
});
