import { describe, expect, test } from "vitest";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import { HANDS, OPEN, SWAP, TEXT, withNote } from "./in-hand.ts";

/** A file that is being edited, and that only the service's text can show to need a write. */

const MINE = "# Mine\n\nwords of its own\n";

function bothNew(): { rig: Rig; mirror: Mirror } {
  const rig = createRig(1);
  rig.app.create("note.md", TEXT);
  const mirror = rig.mirror();
  mirror.write("note.md", MINE);
  mirror.disk.user.write(SWAP, OPEN);
  return { rig, mirror };
}

describe("a file that is new on both sides, and open in an editor", () => {
  test.each([
    ["the service's is preferred", { prefer: "remote" }],
    ["policy copy takes the service's", { conflicts: () => "copy" }],
  ] as const)("I14 keeps its text until it is closed, where %s", async (_, choice) => {
    const { mirror } = bothNew();
    const settings = { ...choice, handsOff: HANDS };
    for (let n = 0; n < 2; n++) {
      const report = await mirror.sync(settings);
      expect(report?.attention).toEqual([expect.objectContaining({ path: "note.md", kind: "in-use", waits: true })]);
      expect(mirror.texts().get("note.md")).toBe(MINE);
    }
    mirror.disk.user.remove(SWAP);
    expect((await mirror.sync(settings))?.state).toBe("in-sync");
    expect(mirror.texts().get("note.md")).toBe(TEXT);
    const [event] = mirror.state.events({ limit: 1, path: "note.md" });
    expect(mirror.state.text(event!.before!)).toBe(MINE);
  });

  test("is a conflict immediately without a preference, because nothing is written over it", async () => {
    const { mirror } = bothNew();
    const report = await mirror.sync({ handsOff: HANDS });
    expect(report?.attention).toEqual([expect.objectContaining({ path: "note.md", kind: "conflict" })]);
    expect([mirror.texts().get("note.md"), mirror.texts().get("note (theirs).md")]).toEqual([MINE, TEXT]);
  });

  test("is linked immediately if the contents are equal", async () => {
    const { mirror } = bothNew();
    mirror.write("note.md", TEXT);
    expect((await mirror.sync({ prefer: "remote", handsOff: HANDS }))?.state).toBe("in-sync");
  });
});

describe("a file in conflict that is open in an editor", () => {
  async function inConflict(): Promise<{ rig: Rig; mirror: Mirror; mine: string }> {
    const { rig, mirror } = await withNote();
    const mine = TEXT.replace("two", "mine");
    mirror.write("note.md", mine);
    rig.app.edit("note.md", TEXT.replace("two", "theirs"));
    await mirror.sync();
    expect(mirror.state.load().conflicts.size).toBe(1);
    mirror.disk.user.write(SWAP, OPEN);
    return { rig, mirror, mine };
  }

  test("I14 keeps its text until it is closed, where a later version merges, and asks once a run", async () => {
    const { rig, mirror, mine } = await inConflict();
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    expect((await mirror.sync({ handsOff: HANDS }))?.attention).toEqual([
      expect.objectContaining({ path: "note.md", kind: "in-use", waits: true }),
    ]);
    const before = mirror.requests.length;
    expect((await mirror.sync({ handsOff: HANDS }))?.attention.map(({ kind }) => kind)).toEqual(["in-use"]);
    expect(mirror.requests.slice(before).filter((request) => request.startsWith("GET /v1/files/"))).toEqual([]);
    expect(mirror.texts().get("note.md")).toBe(mine);
    mirror.disk.user.remove(SWAP);
    expect((await mirror.sync({ handsOff: HANDS }))?.state).toBe("in-sync");
    expect(mirror.texts().get("note.md")).toBe(mine.replace("one", "theirs"));
    expect(mirror.texts().has("note (theirs).md")).toBe(false);
  });

  test("shows a later version that does not merge immediately", async () => {
    const { rig, mirror, mine } = await inConflict();
    rig.app.edit("note.md", TEXT.replace("two", "theirs again"));
    expect((await mirror.sync({ handsOff: HANDS }))?.attention.map(({ kind }) => kind)).toEqual(["conflict"]);
    expect([mirror.texts().get("note.md"), mirror.texts().get("note (theirs 2).md")]).toEqual([
      mine,
      TEXT.replace("two", "theirs again"),
    ]);
  });
});
