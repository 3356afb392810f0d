import { describe, expect, test } from "vitest";
import { actLocally, actOnService } from "../simulator/commands.ts";
import { ROOT } from "../simulator/mirror.ts";
import { type Fixture, openFixture, remoteTexts, settle } from "../promises/fixture.ts";

/** A document in conflict is renamed: it keeps its id and its only conflict. */

const [BASE, MINE, THEIRS] = ["one\n", "mine\n", "theirs\n"];

const OPENED: readonly (readonly [string, (fixture: Fixture) => Promise<void>])[] = [
  [
    "edited on both sides",
    async ({ rig, mirror }) => {
      rig.app.create("d/note.md", BASE);
      await settle(mirror);
      mirror.write("d/note.md", MINE);
      rig.app.edit("d/note.md", THEIRS);
    },
  ],
  [
    "edited on both sides, and saved by a rename",
    async ({ rig, mirror }) => {
      rig.app.create("d/note.md", BASE);
      await settle(mirror);
      mirror.disk.user.saveAtomically(mirror.path("d/note.md"), MINE);
      rig.app.edit("d/note.md", THEIRS);
    },
  ],
  [
    "new on both sides",
    async ({ rig, mirror }) => {
      await settle(mirror);
      rig.app.create("d/note.md", THEIRS);
      mirror.write("d/note.md", MINE);
    },
  ],
];

/** Local commands, commands on the service, and where the document is in the end. */
const MOVES: readonly (readonly [local: string, remote: string, at: string])[] = [
  ["mv d/note.md d/new.md", "", "d/new.md"],
  ["mv d/note.md e/new.md", "", "e/new.md"],
  ["mv d/note.md d/new.md; mv d/note_(theirs).md d/new_(theirs).md", "", "d/new.md"],
  ["mv d/note_(theirs).md e/else_(theirs).md", "", "d/note.md"],
  ["mv d f", "", "f/note.md"],
  ["mv d f; mv f/note.md f/new.md", "", "f/new.md"],
  ["", "mv d/note.md d/there.md", "d/there.md"],
  ["mv d/note.md d/new.md", "mv d/note.md d/there.md", "d/there.md"],
];

describe.each(OPENED)("I09 I27 in conflict, %s, and renamed", (_, open) => {
  test.each(MOVES)("local: %s, on the service: %s, at %s", async (local, remote, at) => {
    const fixture = openFixture(62);
    const { rig, mirror } = fixture;
    rig.app.create("d/other.md", "another\n");
    rig.app.create("e/k.md", "k\n");
    await open(fixture);
    await settle(mirror);
    expect(mirror.state.load().conflicts.size).toBe(1);
    const { id } = rig.app.files().get("d/note.md")!;

    actLocally(mirror, local);
    actOnService(rig.app, remote);
    await settle(mirror);
    const beside = at.replace(/\.md$/, " (theirs).md");
    const folder = at.startsWith("f/") ? "f" : "d";
    expect(Object.fromEntries(mirror.disk.user.texts(ROOT))).toEqual({
      [at]: MINE,
      [beside]: THEIRS,
      [`${folder}/other.md`]: "another\n",
      "e/k.md": "k\n",
    });
    expect(remoteTexts(rig).get(at)).toBe(THEIRS);
    expect(remoteTexts(rig).size).toBe(3);
    expect(rig.app.files().get(at)!.id).toBe(id);
    expect([...mirror.state.load().conflicts.values()]).toMatchObject([{ id, newestCopyPath: beside }]);

    // It ends like any conflict: removing the copy means mine.
    mirror.disk.user.remove(mirror.path(beside));
    await settle(mirror);
    expect(remoteTexts(rig).get(at)).toBe(MINE);
    expect(rig.app.files().get(at)!.id).toBe(id);
    expect(mirror.state.load().conflicts.size).toBe(0);
  });
});

test.each(OPENED)(
  "I27 renamed to a name that is not synced, and its copy removed: back at its name, the local version is sent (%s)",
  async (_, open) => {
    const fixture = openFixture(63);
    const { rig, mirror } = fixture;
    await open(fixture);
    await settle(mirror);
    const { user } = mirror.disk;
    user.rename(`${ROOT}/d/note.md`, `${ROOT}/d/note.md.old`);
    user.remove(`${ROOT}/d/note (theirs).md`);
    await settle(mirror);
    expect(remoteTexts(rig)).toEqual(new Map([["d/note.md", THEIRS]]));
    user.rename(`${ROOT}/d/note.md.old`, `${ROOT}/d/note.md`);
    await settle(mirror);
    expect(remoteTexts(rig)).toEqual(mirror.texts());
    expect(mirror.texts()).toEqual(new Map([["d/note.md", MINE]]));
    expect(mirror.state.load().conflicts.size).toBe(0);
  },
);

test("I09 renamed after its conflict has ended and before its local content is sent, it keeps its id", async () => {
  const fixture = openFixture(62);
  const { rig, mirror } = fixture;
  await OPENED[2]![1](fixture);
  await settle(mirror);
  const { id } = rig.app.files().get("d/note.md")!;
  const { user } = mirror.disk;
  user.remove(mirror.path("d/note (theirs).md"));
  const rename = (): void => {
    const isOver = mirror.state.load().conflicts.size === 0;
    if (isOver && user.exists(mirror.path("d/note.md"))) user.rename(mirror.path("d/note.md"), mirror.path("d/new.md"));
  };
  mirror.disk.beforeCall = rename;
  await settle(mirror);
  expect(remoteTexts(rig)).toEqual(new Map([["d/new.md", MINE]]));
  expect(rig.app.files().get("d/new.md")!.id).toBe(id);
});
