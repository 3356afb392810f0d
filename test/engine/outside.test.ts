import { expect, it } from "vitest";
import { isAway, linksByPath } from "../../src/mirror/model/link.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import { remoteTexts, settle } from "../promises/fixture.ts";

/** A folder linked to `part`, from which a document was moved: its content is in the trash. */
async function withOneOutside(seed: number, path: string): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(seed);
  rig.app.create("part/stays.md", "stays\n");
  rig.app.create(`part/${path}`, "left\n");
  rig.app.makeFolder("elsewhere");
  const mirror = rig.mirror({ prefix: "part" });
  await settle(mirror);
  rig.app.move(`part/${path}`, "elsewhere");
  await settle(mirror);
  expect(mirror.texts()).toEqual(new Map([["stays.md", "stays\n"]]));
  return { rig, mirror };
}

it("a text taken back out of the trash to where its document was, before that left the subtree, is a new document and stays", async () => {
  const { rig, mirror } = await withOneOutside(31, "note.md");
  mirror.write("note.md", "left\n");
  // Its stamp is trusted from the first look on.
  mirror.disk.advance(10_000);
  await settle(mirror);
  expect(mirror.texts().get("note.md")).toBe("left\n");
  expect(Object.fromEntries(remoteTexts(rig))).toEqual({
    "elsewhere/note.md": "left\n",
    "part/note.md": "left\n",
    "part/stays.md": "stays\n",
  });
});

it("I09 a document at the path of one that left the subtree keeps its id after any save", async () => {
  const { rig, mirror } = await withOneOutside(32, "note.md");
  const id = rig.app.create("part/note.md", "left\n");
  await settle(mirror);
  mirror.disk.advance(10_000);
  await settle(mirror);
  // A save by rename: another inode.
  mirror.disk.user.remove(mirror.path("note.md"));
  mirror.write("note.md", "left, and edited locally\n");
  mirror.disk.advance(10_000);
  await settle(mirror);
  expect(rig.app.files().get("part/note.md")).toMatchObject({ id, text: "left, and edited locally\n" });
  expect(rig.app.files().get("elsewhere/note.md")?.text).toBe("left\n");
});

it("I11 I18 a document blocked outside whose file is removed frees its path, and is restored when it is moved back", async () => {
  const rig = createRig(36);
  rig.app.create("part/stays.md", "stays\n");
  const left = rig.app.create("part/note.md", "left\n");
  rig.app.makeFolder("elsewhere");
  const mirror = rig.mirror({ prefix: "part" });
  await settle(mirror);
  mirror.write("note.md", "left, and edited locally\n");
  rig.app.move("part/note.md", "elsewhere");
  expect((await mirror.sync())?.state).toBe("attention");
  mirror.disk.user.remove(mirror.path("note.md"));
  const other = rig.app.create("part/note.md", "another one\n");
  await settle(mirror);
  expect((await mirror.sync())?.state).toBe("in-sync");
  const { links } = mirror.state.load();
  expect(linksByPath(links.values()).get("note.md")?.id).toBe(other);
  expect(isAway(links.get(left)!)).toBe(true);
  expect(Object.fromEntries(remoteTexts(rig))).toEqual({
    "elsewhere/note.md": "left\n",
    "part/note.md": "another one\n",
    "part/stays.md": "stays\n",
  });
  rig.app.rename("part/note.md", "other.md");
  rig.app.move("elsewhere/note.md", "part");
  await settle(mirror);
  expect(Object.fromEntries(mirror.texts())).toEqual({
    "note.md": "left\n",
    "other.md": "another one\n",
    "stays.md": "stays\n",
  });
});

/** Moves one of six documents out of `part`, and deletes the other five on the service. */
async function emptied(seed: number): Promise<{ rig: Rig; mirror: Mirror }> {
  const { rig, mirror } = await withOneOutside(seed, "note.md");
  const names = ["a", "b", "c", "d"];
  for (const name of names) rig.app.create(`part/${name}.md`, `${name}\n`);
  await settle(mirror);
  for (const name of [...names, "stays"]) rig.app.remove(`part/${name}.md`);
  return { rig, mirror };
}

it("I04 I21 a readable document outside the linked part proves the key: a sync asks about the deletions", async () => {
  const { mirror } = await emptied(33);
  const report = await mirror.sync();
  expect(report).toMatchObject({ state: "stopped", safetyStop: { reasons: [{ reason: "remote-emptied" }] } });
  expect(report?.stopped.map(({ kind }) => kind)).toEqual(new Array(5).fill("trash-local"));
  expect(mirror.texts().size).toBe(5);
});

it("I04 I19 without a readable document outside the linked part no absence is proven", async () => {
  const { rig, mirror } = await emptied(34);
  rig.app.remove("elsewhere/note.md");
  const report = await mirror.sync();
  expect(report).toMatchObject({ state: "stopped", safetyStop: { reasons: [{ reason: "wrong-workspace" }] } });
  expect(mirror.texts().size).toBe(5);
});
