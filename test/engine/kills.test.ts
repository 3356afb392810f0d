import { expect, test } from "vitest";
import { killAtEachCall } from "../simulator/moment.ts";
import { createRig } from "../simulator/rig.ts";

const TEXTS = Array.from(
  { length: 4 },
  (_, n) => [`folder-${n % 2}/note-${n}.md`, `note ${n}\n\n${"line of text\n".repeat(5)}`] as const,
);

test("I13 a clone that is killed at each call loses, doubles and halves nothing", async () => {
  const service = createRig(7);
  for (const [path, text] of TEXTS) service.app.create(path, text);
  const calls = await killAtEachCall(
    { rig: service, mirror: service.mirror() },
    {
      async judge({ rig, mirror }) {
        for (const text of mirror.texts().values()) expect(TEXTS.map(([, whole]) => whole)).toContain(text);
        await mirror.sync();
        expect(mirror.texts()).toEqual(new Map([...TEXTS].sort(([a], [b]) => (a < b ? -1 : 1))));
        expect(rig.app.files().size).toBe(TEXTS.length);
      },
    },
  );
  expect(calls).toBeGreaterThan(20);
});

test("I09 I13 a push, an edit on each side, a rename and a deletion, killed at each call, lose, double and tear nothing", async () => {
  const rig = createRig(7);
  for (const [path, text] of TEXTS) rig.app.create(path, text);
  const first = rig.mirror();
  await first.sync();
  first.write("folder-0/note-0.md", "edited locally\n");
  rig.app.edit("folder-1/note-1.md", "edited on the service\n");
  first.rename("folder-0/note-2.md", "folder-1/moved.md");
  first.remove("folder-1/note-3.md");
  first.write("new.md", "created locally\n");
  const moved = rig.app.id("folder-0/note-2.md");
  const expected = new Map([
    ["folder-0/note-0.md", "edited locally\n"],
    ["folder-1/moved.md", TEXTS[2]![1]],
    ["folder-1/note-1.md", "edited on the service\n"],
    ["new.md", "created locally\n"],
  ]);
  const calls = await killAtEachCall(
    { rig, mirror: first },
    {
      async judge({ rig: after, mirror }, call) {
        await mirror.syncTimes(2);
        expect({ call, local: mirror.texts() }).toEqual({ call, local: expected });
        const files = [...after.app.texts()];
        expect({ call, remote: new Map(files.toSorted()) }).toEqual({ call, remote: expected });
        expect(after.app.id("folder-1/moved.md")).toBe(moved);
      },
    },
  );
  expect(calls).toBeGreaterThan(20);
});
