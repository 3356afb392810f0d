import { describe, expect, test } from "vitest";
import type { Resolution } from "../../src/mirror/operations/manual/resolve.ts";
import { killAtEachCall } from "../simulator/moment.ts";
import { createRig } from "../simulator/rig.ts";
import { blocksOf, localTexts, remoteTexts, resolve } from "./resolution.ts";
import { type Fixture, openSynced } from "../promises/fixture.ts";

type Texts = Readonly<Record<string, string>>;

const K = { "k.md": "k\n" };

async function blocked(made: Fixture, reason: string): Promise<Fixture> {
  await made.mirror.sync();
  expect(blocksOf(made.mirror)).toEqual([reason]);
  return made;
}

async function renamedOut(): Promise<Fixture> {
  const made = await openSynced({ ...K, "note.md": "was\n" });
  made.mirror.rename("note.md", "note.txt");
  return blocked(made, "renamed-out-of-mirror");
}

async function gone(): Promise<Fixture> {
  const made = await openSynced({ ...K, "f/note.md": "was\n" });
  made.mirror.write("f/note.md", "mine\n");
  made.rig.app.removeFolder("f");
  return blocked(made, "gone-or-unreadable");
}

async function goneInConflict(): Promise<Fixture> {
  const made = await openSynced({ ...K, "f/note.md": "was\n" });
  made.mirror.write("f/note.md", "mine\n");
  made.rig.app.edit("f/note.md", "theirs\n");
  await blocked(made, "conflict");
  made.rig.app.removeFolder("f");
  await blocked(made, "gone-or-unreadable");
  expect(localTexts(made.mirror)["f/note (theirs).md"]).toBe("theirs\n");
  return made;
}

async function movedOut(): Promise<Fixture> {
  const documents = { "part/note.md": "was\n", "part/k.md": "k\n", "other/x.md": "x\n" };
  const made = await openSynced(documents, { prefix: "part" });
  made.mirror.write("note.md", "mine\n");
  made.rig.app.move("part/note.md", "other");
  return blocked(made, "outside");
}

async function inReview(): Promise<Fixture> {
  const made = await openSynced({ ...K, "note.md": "was\n" });
  made.rig.app.protect("note.md", true);
  await made.mirror.sync();
  made.mirror.write("note.md", "mine\n");
  await made.mirror.sync();
  return blocked(made, "in-review");
}

async function reviewUnknown(): Promise<Fixture> {
  const made = await inReview();
  made.rig.app.protect("note.md", false);
  return blocked(made, "review-unknown");
}

async function readOnly(): Promise<Fixture> {
  const made = await openSynced({ ...K, "note.md": "was\n" }, (rig) => ({ key: rig.makeKey().key }));
  made.mirror.write("note.md", "mine\n");
  return blocked(made, "read-only");
}

type Row = readonly [
  what: string,
  begin: () => Promise<Fixture>,
  way: Resolution["kind"],
  path: string,
  local: Texts,
  remote: Texts,
  trash: readonly string[],
];

const AT_F = (text: string): Texts => ({ ...K, "f/note.md": text });
const AT_ROOT = (text: string): Texts => ({ ...K, "note.md": text });
const OUTSIDE = { "other/note.md": "was\n", "other/x.md": "x\n", "part/k.md": "k\n" };

const ROWS: readonly Row[] = [
  ["renamed out", renamedOut, "delete", "note.md", { ...K, "note.txt": "was\n" }, K, []],
  ["renamed out", renamedOut, "keep", "note.txt", { ...AT_ROOT("was\n"), "note.txt": "was\n" }, AT_ROOT("was\n"), []],
  ["edited, and gone", gone, "keep", "f/note.md", AT_F("mine\n"), AT_F("mine\n"), []],
  ["edited, and gone", gone, "delete", "f/note.md", K, K, ["mine\n"]],
  ["in conflict, and gone", goneInConflict, "keep", "f/note.md", AT_F("mine\n"), AT_F("mine\n"), ["theirs\n"]],
  ["in conflict, and gone", goneInConflict, "delete", "f/note.md", K, K, ["mine\n", "theirs\n"]],
  ["moved out", movedOut, "keep", "note.md", AT_ROOT("mine\n"), { ...OUTSIDE, "part/note.md": "mine\n" }, []],
  ["moved out", movedOut, "delete", "note.md", K, OUTSIDE, ["mine\n"]],
  ["in review", inReview, "theirs", "note.md", AT_ROOT("was\n"), AT_ROOT("was\n"), ["mine\n"]],
  ["in an unknown review", reviewUnknown, "mine", "note.md", AT_ROOT("mine\n"), AT_ROOT("mine\n"), []],
  ["in an unknown review", reviewUnknown, "theirs", "note.md", AT_ROOT("was\n"), AT_ROOT("was\n"), ["mine\n"]],
  ["without the grant", readOnly, "theirs", "note.md", AT_ROOT("was\n"), AT_ROOT("was\n"), ["mine\n"]],
];

describe("a block ends by the decision of its user", () => {
  test.each(ROWS)("I03 $0: --$2 $3", async (_, begin, way, path, local, remote, trash) => {
    const { rig, mirror } = await begin();
    expect(await resolve(mirror, path, way)).toMatchObject({ kind: "ok" });
    expect(await mirror.sync()).toMatchObject({ state: "in-sync", attention: [] });
    expect([localTexts(mirror), remoteTexts(rig)]).toEqual([local, remote]);
    expect(mirror.trash()).toEqual(expect.arrayContaining([...trash]));
    const { conflicts, blocks, records } = mirror.state.load();
    expect([conflicts.size, blocks.size]).toEqual([0, 0]);
    expect([...records.values()].every(({ submissions }) => submissions.length === 0)).toBe(true);
  });

  test("I09 --keep brings a renamed document back under its id", async () => {
    const { rig, mirror } = await renamedOut();
    const id = rig.app.id("note.md")!;
    await resolve(mirror, "note.md", "keep");
    await mirror.sync();
    expect(rig.app.id("note.md")).toBe(id);
  });

  test("I06 --delete is refused when the document was edited on the service meanwhile", async () => {
    const { rig, mirror } = await renamedOut();
    rig.app.edit("note.md", "theirs\n");
    expect(await resolve(mirror, "note.md", "delete")).toMatchObject({ kind: "trouble" });
    await mirror.sync();
    expect(remoteTexts(rig)).toEqual(AT_ROOT("theirs\n"));
  });

  test.each([gone, goneInConflict])("--mine cannot end a block of a document that is gone: $name", async (begin) => {
    const { mirror } = await begin();
    const before = localTexts(mirror);
    const refused = await resolve(mirror, "f/note.md", "mine");
    expect(refused).toMatchObject({ kind: "trouble", trouble: { kind: "usage" } });
    expect(localTexts(mirror)).toEqual(before);
  });

  test("I08 I31 --mine submits a content in review again, once", async () => {
    const { mirror } = await inReview();
    mirror.requests.length = 0;
    expect(await resolve(mirror, "note.md", "mine")).toMatchObject({ kind: "ok" });
    await mirror.sync();
    await mirror.sync();
    expect(mirror.writes("PUT")).toHaveLength(1);
    expect(blocksOf(mirror)).toEqual(["in-review"]);
  });
});

describe("I05 I13 the block of a hidden document in conflict ends, and the process is killed", () => {
  test.each(["keep", "delete"] as const)("--%s leaves its content on the service", async (way) => {
    const rig = createRig(7);
    const own = rig.makeKey({ on: null, level: "full" });
    for (const path of ["f/x.md", "g/k.md"]) rig.app.create(path, `${path}\n`);
    const mirror = rig.mirror({ key: own.key });
    await mirror.sync();
    rig.app.create("f/note.md", "theirs\n");
    mirror.write("f/note.md", "mine\n");
    await mirror.sync();
    const shown = [...mirror.state.load().dirs.values()].find(({ remotePath }) => remotePath === "g")!;
    rig.grant(own.id, { on: shown.id, level: "full" });
    await mirror.sync();
    expect(blocksOf(mirror)).toContain("gone-or-unreadable");
    await killAtEachCall(
      { rig, mirror },
      {
        work: (pair) => resolve(pair.mirror, "f/note.md", way),
        async judge(pair, call) {
          pair.rig.grant(own.id, { on: null, level: "full" });
          await pair.mirror.syncTimes(3);
          expect([call, remoteTexts(pair.rig)["f/note.md"]]).toEqual([call, "theirs\n"]);
        },
      },
    );
  });
});
