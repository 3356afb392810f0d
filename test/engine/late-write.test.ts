import { describe, expect, test } from "vitest";
import { createRig, type Mirror, type Rig } from "../simulator/rig.ts";

/**
 * An editor that opened a document before the mirror replaced its file saves into the old inode
 * afterwards: that text was made of the base before.
 */

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);
const BASE = LINES.join("");
const PLACES = { app: 2, again: 6, editor: 9 } as const;
const textWith = (...by: readonly (keyof typeof PLACES)[]): string =>
  by.reduce((lines, one) => lines.with(PLACES[one], `by ${one}\n\n`), LINES).join("");

type Ground = { readonly rig: Rig; readonly mirror: Mirror; readonly id: string };

/** The app's edit has replaced the file, and then the editor saved into the old one. */
async function saveLate(): Promise<Ground> {
  const rig = createRig(1);
  const id = rig.app.create("note.md", BASE);
  rig.app.create("other.md", "another document\n");
  const mirror = rig.mirror();
  await mirror.sync();
  const editor = mirror.disk.user.open(mirror.path("note.md"));
  rig.app.edit("note.md", textWith("app"));
  await mirror.sync();
  expect(mirror.texts().get("note.md")).toBe(textWith("app"));
  editor.write(textWith("editor"));
  return { rig, mirror, id };
}

async function settle({ mirror }: Ground): Promise<void> {
  for (let n = 0; n < 2; n++) await mirror.sync();
}

function live({ rig }: Ground, path = "note.md"): string | undefined {
  return rig.app.files().get(path)?.text;
}

const BETWEEN: Readonly<Record<string, { act: (mirror: Mirror) => void; ends: string }>> = {
  "nothing else": { act: () => undefined, ends: textWith("app", "editor") },
  "the new file was deleted": {
    act: (mirror) => mirror.disk.user.remove(mirror.path("note.md")),
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

describe("I06 I14 a text saved into a file that was replaced is an edit of the text before", () => {
  test.each(Object.entries(BETWEEN))("it undoes no edit of the app: %s", async (_, { act, ends }) => {
    const ground = await saveLate();
    act(ground.mirror);
    await settle(ground);
    expect(live(ground)).toBe(ends);
    expect(ground.mirror.texts().get("note.md")).toBe(ends);
    expect(ground.rig.app.files().get("note.md")?.id).toBe(ground.id);
    expect(ground.rig.app.files().size).toBe(2);
  });

  test.each(Object.entries(BETWEEN))(
    "I13 nor when it is killed while it is brought back: %s",
    async (_, { act, ends }) => {
      for (let at = 1; ; at++) {
        const ground = await saveLate();
        const { mirror } = ground;
        act(mirror);
        const before = mirror.requests.length;
        mirror.killAt(at);
        await mirror.sync();
        // Recovery comes before the first request.
        if (mirror.requests.length > before) break;
        await settle(ground);
        expect({ at, text: live(ground) }).toEqual({ at, text: ends });
      }
    },
  );

  test("I09 a document that was renamed since keeps its id, and the text is one of its own", async () => {
    const ground = await saveLate();
    ground.mirror.disk.user.rename(ground.mirror.path("note.md"), ground.mirror.path("plan.md"));
    await settle(ground);
    expect(live(ground, "plan.md")).toBe(textWith("app"));
    expect(ground.rig.app.files().get("plan.md")?.id).toBe(ground.id);
    expect(live(ground)).toBe(textWith("editor"));
  });
});
