import { describe, expect, test } from "vitest";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig } from "../simulator/rig.ts";
import { openSynced } from "../promises/fixture.ts";

/** A linked folder inside another linked folder. */
const CONFIG = "inner/.mdmirror/config.json";

describe("a linked folder that was moved into another one", () => {
  test("sends nothing to the other's workspace, and is reported until it is moved out", async () => {
    const rig = createRig(3);
    const mirror = rig.mirror();
    mirror.write("own.md", "own\n");
    mirror.write("inner/deep/secret.md", "secret\n");
    mirror.write(CONFIG, "{}");
    const report = await mirror.sync();
    expect([report?.state, [...rig.app.files().keys()], rig.app.folders()]).toEqual(["attention", ["own.md"], []]);
    expect(report?.attention.map(({ path, kind }) => [path, kind])).toEqual([["inner", "not-seen"]]);
    expect(report?.attention[0]?.detail).toMatch(/linked folder itself.*move it out/);
    moveOut(mirror);
    expect((await mirror.sync())?.state).toBe("in-sync");
  });

  test("gets nothing of the other's workspace, which would go to its own", async () => {
    const rig = createRig(6);
    const mirror = rig.mirror();
    mirror.write("inner/own.md", "own\n");
    mirror.write(CONFIG, "{}");
    rig.app.create("inner/outer.md", "outer\n");
    expect((await mirror.sync())?.attention.map(({ path }) => path).toSorted()).toEqual(["inner/outer.md"]);
    expect(mirror.texts().has("inner/outer.md")).toBe(false);
    moveOut(mirror);
    expect((await mirror.sync())?.state).toBe("in-sync");
    expect(mirror.texts().get("inner/outer.md")).toBe("outer\n");
    expect([...rig.app.files().keys()]).toEqual(["inner/outer.md"]);
  });

  test("gets nothing that is moved into it on the service, document or folder", async () => {
    const { rig, mirror } = await openSynced({
      "inner/first.md": "first\n",
      "note.md": "note\n",
      "box/deep.md": "deep\n",
    });
    mirror.write(CONFIG, "{}");
    rig.app.move("note.md", "inner");
    rig.app.moveFolder("box", "inner");
    rig.app.create("inner/new/newer.md", "newer\n");
    for (let run = 0; run < 3; run++) expect((await mirror.sync())?.state).toBe("attention");
    expect([...mirror.texts().keys()].toSorted()).toEqual(["box/deep.md", CONFIG, "inner/first.md", "note.md"]);
    expect(mirror.disk.user.exists(mirror.path("inner/new"))).toBe(false);
    expect(rig.app.paths()).toEqual(["inner/box/deep.md", "inner/first.md", "inner/new/newer.md", "inner/note.md"]);
    mirror.remove(CONFIG);
    expect((await mirror.sync())?.state).toBe("in-sync");
    expect([...mirror.texts().keys()].toSorted()).toEqual(rig.app.paths());
  });

  test("I04 leaves alone what of it was mirrored before, on both sides", async () => {
    const { rig, mirror } = await openSynced({ "inner/note.md": "note\n" });
    mirror.write(CONFIG, "{}");
    mirror.write("inner/note.md", "edited\n");
    for (let run = 0; run < 3; run++) expect((await mirror.sync())?.state).toBe("attention");
    expect(rig.app.text("inner/note.md")).toBe("note\n");
    mirror.remove(CONFIG);
    expect((await mirror.sync())?.state).toBe("in-sync");
    expect(rig.app.text("inner/note.md")).toBe("edited\n");
  });

  test("is none without a configuration: what an unlinked one left is a folder like others", async () => {
    const rig = createRig(5);
    const mirror = rig.mirror();
    mirror.write("inner/note.md", "note\n");
    mirror.write("inner/.mdmirror/unlinked/state.db", "");
    expect((await mirror.sync())?.state).toBe("in-sync");
    expect([...rig.app.files().keys()]).toEqual(["inner/note.md"]);
  });
});

function moveOut(mirror: Mirror): void {
  mirror.disk.user.makeFolder("/home/ann/elsewhere");
  mirror.disk.user.rename(mirror.path("inner"), "/home/ann/elsewhere/inner");
}
