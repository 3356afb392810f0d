import { describe, expect, it } from "vitest";
import { actLocally, actOnService } from "../simulator/commands.ts";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import { settle } from "../promises/fixture.ts";

/** Two folders change places while a document of the same name is in conflict in each of them. */
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

/** What is locally, but for the documents that are in no conflict. */
function notes({ mirror }: Opened): Record<string, string> {
  return Object.fromEntries([...mirror.texts()].filter(([path]) => !path.endsWith("rest.md")));
}

const OTHER = { a: "b", b: "a" } as const;
const TEXTS = [
  ["unlike copies", { a: "theirs of a\n", b: "theirs of b\n" }],
  ["equal copies", { a: "theirs\n", b: "theirs\n" }],
] as const;

describe.each(["local", "remote"] as const)("I03 I27 two folders with conflicts change places: %s", (side) => {
  describe.each(TEXTS)("%s", (_, theirs) => {
    it.each([[[]], [["a"]], [["b"]], [["a", "b"]]] as const)(
      "each conflict keeps its own copies, where newer versions come of %j",
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
          expected[`${OTHER[folder]}/note.md`] = `mine of ${folder}\n`;
          expected[`${OTHER[folder]}/${isNewer ? "note (theirs 2).md" : COPY}`] = last[folder];
          expect(rig.app.files().get(`${OTHER[folder]}/note.md`)?.text).toBe(last[folder]);
        }
        expect(notes(opened)).toEqual(expected);
      },
    );

    it.each(FOLDERS)(
      "a copy that is removed from %s afterwards ends the conflict of its document alone",
      async (folder) => {
        const opened = await openBoth(theirs);
        const { rig, mirror } = opened;
        swap(opened, side);
        if (side === "remote") await mirror.sync();
        mirror.disk.user.remove(mirror.path(`${OTHER[folder]}/${COPY}`));
        await settle(mirror);
        expect(rig.app.files().get(`${OTHER[folder]}/note.md`)?.text).toBe(`mine of ${folder}\n`);
        expect(rig.app.files().get(`${folder}/note.md`)?.text).toBe(theirs[OTHER[folder]]);
        expect(notes(opened)[`${folder}/${COPY}`]).toBe(theirs[OTHER[folder]]);
      },
    );

    it.each(FOLDERS)("a document of %s that is deleted with its copy takes no copy of the other", async (folder) => {
      const opened = await openBoth(theirs);
      const { rig, mirror } = opened;
      swap(opened, side);
      const at = side === "local" ? OTHER[folder] : folder;
      mirror.disk.user.remove(mirror.path(`${at}/note.md`));
      await settle(mirror);
      expect(notes(opened)).toEqual({
        [`${folder}/note.md`]: `mine of ${OTHER[folder]}\n`,
        [`${folder}/${COPY}`]: theirs[OTHER[folder]],
        [`${OTHER[folder]}/note.md`]: theirs[folder],
      });
      expect(rig.app.files().get(`${folder}/note.md`)?.text).toBe(theirs[OTHER[folder]]);
    });

    it.each(FOLDERS)("an edited copy in %s stays beside its document", async (folder) => {
      const opened = await openBoth(theirs);
      const { rig, mirror } = opened;
      mirror.write(`${folder}/${COPY}`, "edited copy\n");
      rig.app.edit(`${folder}/note.md`, "newer\n");
      swap(opened, side);
      await settle(mirror);
      expect(notes(opened)).toEqual({
        [`${folder}/note.md`]: `mine of ${OTHER[folder]}\n`,
        [`${folder}/${COPY}`]: theirs[OTHER[folder]],
        [`${OTHER[folder]}/note.md`]: `mine of ${folder}\n`,
        [`${OTHER[folder]}/${COPY}`]: "edited copy\n",
        [`${OTHER[folder]}/note (theirs 2).md`]: "newer\n",
      });
    });
  });
});
