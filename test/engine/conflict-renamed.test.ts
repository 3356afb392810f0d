import { describe, expect, test } from "vitest";
import { ROOT } from "../simulator/mirror.ts";
import { type Fixture, openFixture, remoteTexts, settle } from "../promises/fixture.ts";

/** A document in conflict is renamed: it keeps its id, and its one conflict stands beside it. */

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

type Move = {
  readonly name: string;
  readonly moves: readonly (readonly [from: string, to: string])[];
  readonly there?: string;
  /** Where the document is in the end, on both sides. */
  readonly at: string;
};

const MOVES: readonly Move[] = [
  { name: "the document", moves: [["d/note.md", "d/new.md"]], at: "d/new.md" },
  { name: "the document to another folder", moves: [["d/note.md", "e/new.md"]], at: "e/new.md" },
  {
    name: "the document, and its sidecar with it",
    moves: [
      ["d/note.md", "d/new.md"],
      ["d/note (theirs).md", "d/new (theirs).md"],
    ],
    at: "d/new.md",
  },
  { name: "the sidecar alone", moves: [["d/note (theirs).md", "e/else (theirs).md"]], at: "d/note.md" },
  { name: "its folder", moves: [["d", "f"]], at: "f/note.md" },
  {
    name: "its folder, and the document in it",
    moves: [
      ["d", "f"],
      ["f/note.md", "f/new.md"],
    ],
    at: "f/new.md",
  },
  { name: "the document there", moves: [], there: "there.md", at: "d/there.md" },
  { name: "the document on both sides", moves: [["d/note.md", "d/new.md"]], there: "there.md", at: "d/there.md" },
];

describe.each(OPENED)("I09 I27 in conflict, %s, and renamed", (_, open) => {
  test.each(MOVES.map((move) => [move.name, move] as const))("%s", async (__, { moves, there, at }) => {
    const fixture = openFixture(62);
    const { rig, mirror } = fixture;
    rig.app.create("d/other.md", "another\n");
    rig.app.create("e/k.md", "k\n");
    await open(fixture);
    await settle(mirror);
    expect(mirror.state.load().conflicts.size).toBe(1);
    const { id } = rig.app.files().get("d/note.md")!;

    for (const [from, to] of moves) mirror.disk.user.rename(mirror.path(from), mirror.path(to));
    if (there !== undefined) rig.app.rename("d/note.md", there);
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

    // And it ends as any: by the sidecar's removal, mine.
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
