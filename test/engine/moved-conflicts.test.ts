import { describe, expect, it, test } from "vitest";
import { makeConflictCopyPath } from "../../src/mirror/model/names.ts";
import { MAX_NAME_BYTES } from "../../src/contract/path.ts";
import { openFixture, settle, openSynced, type Fixture } from "../promises/fixture.ts";
import { type Mirror, ROOT } from "../simulator/mirror.ts";
import { type Rig, createRig } from "../simulator/rig.ts";
import { actLocally, actOnService } from "../simulator/commands.ts";

/** A conflict of a document whose local move is blocked: base has the path before the move. */

const REST = Array.from({ length: 12 }, (_, line) => `line ${line}\n`).join("");
const [ONE, HELD_MINE, HELD_THEIRS] = [`one\n${REST}`, `mine\n${REST}`, `theirs\n${REST}`];

const HELD = [
  ["its folder was renamed", "d", "e", "e/a (theirs).md", "e/a.md"],
  ["it was renamed itself", "d/a.md", "d/z.md", "d/z (theirs).md", "d/z.md"],
] as const;

describe.each(HELD)("where the key may not move a document, and %s", (_how, from, to, conflictCopy, document) => {
  it.each([
    ["conflict-copy", { [conflictCopy]: HELD_THEIRS, [document]: HELD_MINE }],
    ["copy", { [conflictCopy.replace("theirs", "mine")]: HELD_MINE, [document]: HELD_THEIRS }],
  ] as const)("I01 I27 two edits that do not merge are kept beside each other (%s)", async (policy, texts) => {
    const fixture = await openSynced({ "d/a.md": ONE }, (opened) => ({ key: opened.makeKey().key }));
    const { rig, mirror } = fixture;
    mirror.rename(from, to);
    await settle(mirror);
    mirror.write(document, HELD_MINE);
    rig.app.edit("d/a.md", HELD_THEIRS);
    await settle(mirror, { conflicts: () => policy });
    const here = mirror.disk.user.texts(mirror.path("").replace(/\/$/, ""));
    expect(Object.fromEntries(here)).toEqual(texts);
  });
});

/**
 * A document in conflict is deleted locally, so the service's version must be restored. Its
 * conflict copy is then in the trash. Before the restoration, another file takes the path.
 */

const PATH = "note.md";
const RETURNING = "theirs\n";
const NEIGHBOUR = "of another file\n";

/** Returns a conflict of two new documents at one path: base is the service's version. */
async function inConflict(): Promise<{ readonly rig: Rig; readonly mirror: Mirror }> {
  const { rig, mirror } = await openSynced({});
  rig.app.create(PATH, RETURNING);
  mirror.write(PATH, "mine\n");
  await mirror.sync();
  expect(mirror.texts().get(makeConflictCopyPath(PATH, "theirs", 1, MAX_NAME_BYTES))).toBe(RETURNING);
  mirror.remove(PATH);
  return { rig, mirror };
}

/**
 * Expects an open conflict: the service's version is live, and its conflict copy is beside the
 * file.
 */
function expectUndecided({ rig, mirror }: { readonly rig: Rig; readonly mirror: Mirror }, when: string): void {
  expect(rig.app.text(PATH), when).toBe(RETURNING);
  expect(Object.fromEntries(mirror.texts()), when).toEqual({
    [makeConflictCopyPath(PATH, "theirs", 1, MAX_NAME_BYTES)]: RETURNING,
    [PATH]: NEIGHBOUR,
  });
}

it("I06 I27 a file at the path of a version that could not be restored is not sent over it", async () => {
  const opened = await inConflict();
  const { mirror } = opened;
  const ends = mirror.disk.fail({ call: "link", path: `${ROOT}/${PATH}`, code: "EIO" });
  await mirror.sync();
  ends();
  expect([...mirror.texts()]).toEqual([]);
  mirror.write(PATH, NEIGHBOUR);
  for (let sync = 1; sync <= 4; sync++) {
    await mirror.sync();
    expectUndecided(opened, `after sync ${sync}`);
  }
});

/** A renamed document in conflict keeps its id, and the conflict stays the same. */

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

/** Local commands, commands on the service, and the document's path at the end. */
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
    const id = rig.app.id("d/note.md")!;

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
    expect(rig.app.texts().get(at)).toBe(THEIRS);
    expect(rig.app.texts().size).toBe(3);
    expect(rig.app.id(at)).toBe(id);
    expect([...mirror.state.load().conflicts.values()]).toMatchObject([{ id, newestCopyPath: beside }]);

    // The conflict ends as usual: removing the copy keeps the local version.
    mirror.remove(beside);
    await settle(mirror);
    expect(rig.app.texts().get(at)).toBe(MINE);
    expect(rig.app.id(at)).toBe(id);
    expect(mirror.state.load().conflicts.size).toBe(0);
  });
});

test.each(OPENED)("I27 a file back from a name that is not synced, without a copy, is sent (%s)", async (_, open) => {
  const fixture = openFixture(63);
  const { rig, mirror } = fixture;
  await open(fixture);
  await settle(mirror);
  mirror.rename("d/note.md", "d/note.md.old");
  mirror.remove("d/note (theirs).md");
  await settle(mirror);
  expect(rig.app.texts()).toEqual(new Map([["d/note.md", THEIRS]]));
  mirror.rename("d/note.md.old", "d/note.md");
  await settle(mirror);
  expect(rig.app.texts()).toEqual(mirror.texts());
  expect(mirror.texts()).toEqual(new Map([["d/note.md", MINE]]));
  expect(mirror.state.load().conflicts.size).toBe(0);
});

test("I09 renamed after its conflict has ended and before its local content is sent, it keeps its id", async () => {
  const fixture = openFixture(62);
  const { rig, mirror } = fixture;
  await OPENED[2]![1](fixture);
  await settle(mirror);
  const id = rig.app.id("d/note.md")!;
  const { user } = mirror.disk;
  mirror.remove("d/note (theirs).md");
  const rename = (): void => {
    const isOver = mirror.state.load().conflicts.size === 0;
    if (isOver && user.exists(mirror.path("d/note.md"))) mirror.rename("d/note.md", "d/new.md");
  };
  mirror.disk.beforeCall = rename;
  await settle(mirror);
  expect(rig.app.texts()).toEqual(new Map([["d/new.md", MINE]]));
  expect(rig.app.id("d/new.md")).toBe(id);
});

/** Two folders exchange their paths while a document of the same name is in conflict in each. */
const FOLDERS = ["a", "b"] as const;
const COPY = "note (theirs).md";

type Opened = { readonly rig: Rig; readonly mirror: Mirror };

/** @param theirs the service's version in each folder */
async function openBoth(theirs: Readonly<Record<"a" | "b", string>>): Promise<Opened> {
  const rig = createRig(4);
  const mirror = rig.mirror();
  for (const folder of FOLDERS) {
    rig.app.create(`${folder}/note.md`, `base of ${folder}\n`);
    rig.app.create(`${folder}/rest.md`, `rest of ${folder}\n`);
  }
  await mirror.sync();
  for (const folder of FOLDERS) {
    mirror.write(`${folder}/note.md`, `mine of ${folder}\n`);
    rig.app.edit(`${folder}/note.md`, theirs[folder]);
  }
  await mirror.sync();
  return { rig, mirror };
}

function swap({ rig, mirror }: Opened, side: "local" | "remote"): void {
  const moves = "mv a free; mv b a; mv free b";
  if (side === "local") actLocally(mirror, moves);
  else actOnService(rig.app, moves);
}

/** Returns the local files, without the documents that are in no conflict. */
function notes({ mirror }: Opened): Record<string, string> {
  return Object.fromEntries([...mirror.texts()].filter(([path]) => !path.endsWith("rest.md")));
}

const OPPOSITE = { a: "b", b: "a" } as const;
const TEXTS = [
  ["unlike copies", { a: "theirs of a\n", b: "theirs of b\n" }],
  ["equal copies", { a: "theirs\n", b: "theirs\n" }],
] as const;

describe.each(["local", "remote"] as const)("I03 I27 two folders with conflicts change places: %s", (side) => {
  describe.each(TEXTS)("%s", (_, theirs) => {
    it.each([[[]], [["a"]], [["b"]], [["a", "b"]]] as const)(
      "each conflict keeps its copies, and newer ones of %j",
      async (newer) => {
        const opened = await openBoth(theirs);
        const { rig, mirror } = opened;
        const last: Record<"a" | "b", string> = { ...theirs };
        for (const folder of newer) {
          last[folder] = `newer of ${folder}\n`;
          rig.app.edit(`${folder}/note.md`, last[folder]);
        }
        swap(opened, side);
        await settle(mirror);
        expect(mirror.state.load().conflicts.size).toBe(2);
        const expected: Record<string, string> = {};
        for (const folder of FOLDERS) {
          const isNewer = (newer as readonly string[]).includes(folder);
          expected[`${OPPOSITE[folder]}/note.md`] = `mine of ${folder}\n`;
          expected[`${OPPOSITE[folder]}/${isNewer ? "note (theirs 2).md" : COPY}`] = last[folder];
          expect(rig.app.text(`${OPPOSITE[folder]}/note.md`)).toBe(last[folder]);
        }
        expect(notes(opened)).toEqual(expected);
      },
    );

    it.each(FOLDERS)("a copy that is removed from %s ends the conflict of its document alone", async (folder) => {
      const opened = await openBoth(theirs);
      const { rig, mirror } = opened;
      swap(opened, side);
      if (side === "remote") await mirror.sync();
      mirror.remove(`${OPPOSITE[folder]}/${COPY}`);
      await settle(mirror);
      expect(rig.app.text(`${OPPOSITE[folder]}/note.md`)).toBe(`mine of ${folder}\n`);
      expect(rig.app.text(`${folder}/note.md`)).toBe(theirs[OPPOSITE[folder]]);
      expect(notes(opened)[`${folder}/${COPY}`]).toBe(theirs[OPPOSITE[folder]]);
    });

    it.each(FOLDERS)("a document of %s that is deleted with its copy takes no copy of the other", async (folder) => {
      const opened = await openBoth(theirs);
      const { rig, mirror } = opened;
      swap(opened, side);
      const at = side === "local" ? OPPOSITE[folder] : folder;
      mirror.remove(`${at}/note.md`);
      await settle(mirror);
      expect(notes(opened)).toEqual({
        [`${folder}/note.md`]: `mine of ${OPPOSITE[folder]}\n`,
        [`${folder}/${COPY}`]: theirs[OPPOSITE[folder]],
        [`${OPPOSITE[folder]}/note.md`]: theirs[folder],
      });
      expect(rig.app.text(`${folder}/note.md`)).toBe(theirs[OPPOSITE[folder]]);
    });

    it.each(FOLDERS)("an edited copy in %s stays beside its document", async (folder) => {
      const opened = await openBoth(theirs);
      const { rig, mirror } = opened;
      mirror.write(`${folder}/${COPY}`, "edited copy\n");
      rig.app.edit(`${folder}/note.md`, "newer\n");
      swap(opened, side);
      await settle(mirror);
      expect(notes(opened)).toEqual({
        [`${folder}/note.md`]: `mine of ${OPPOSITE[folder]}\n`,
        [`${folder}/${COPY}`]: theirs[OPPOSITE[folder]],
        [`${OPPOSITE[folder]}/note.md`]: `mine of ${folder}\n`,
        [`${OPPOSITE[folder]}/${COPY}`]: "edited copy\n",
        [`${OPPOSITE[folder]}/note (theirs 2).md`]: "newer\n",
      });
    });
  });
});
