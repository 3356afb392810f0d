import { expect, it } from "vitest";
import { createRig } from "../simulator/rig.ts";
import { openSynced } from "../promises/fixture.ts";

/** An unfinished merge: such content is not sent, so its document is blocked. */
const MARKERS = "\n<<<<<<< mine\nthis\n=======\nthat\n>>>>>>> theirs\n";

it("I09 a document that was moved locally and edited on the service in one cycle is known by the written file", async () => {
  const rig = createRig(13);
  const id = rig.app.create("home/plan.md", "a plan\n");
  rig.app.makeFolder("box");
  const mirror = rig.mirror();
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("home/plan.md"), mirror.path("box/plan.md"));
  rig.app.edit("home/plan.md", "another plan\n");
  await mirror.sync();
  expect(mirror.texts()).toEqual(new Map([["box/plan.md", "another plan\n"]]));
  const here = mirror.world().disk.look("box/plan.md");
  const link = mirror.state.load().links.get(id);
  expect(here).toMatchObject({ kind: "file", stamp: { ino: link?.stamp?.ino, birthMs: link?.stamp?.birthMs } });
});

it.each(["a new folder of its name", "another folder that changed places with it"])(
  "I09 a blocked document stays in base in its folder, which was renamed and left its path to %s",
  async (heir) => {
    const { rig, mirror, idOf } = await openSynced({ "d/a.md": "a\n\na plan\n", "e/k.md": "k\n" });
    const id = idOf("d/a.md");
    const { user } = mirror.disk;
    mirror.write("d/a.md", `a\n\na plan\n${MARKERS}`);
    if (heir.startsWith("another")) {
      user.rename(mirror.path("e"), mirror.path("t"));
      user.rename(mirror.path("d"), mirror.path("e"));
      user.rename(mirror.path("t"), mirror.path("d"));
    } else {
      user.rename(mirror.path("d"), mirror.path("box"));
      user.makeFolder(mirror.path("d"));
    }
    rig.app.remove("d/a.md");
    await mirror.sync();
    expect(mirror.state.blocks().map(({ key, reason }) => [key, reason])).toEqual([[id, "conflict-markers"]]);
    const path = heir.startsWith("another") ? "e/a.md" : "box/a.md";
    expect(mirror.state.link(id)).toMatchObject({ localPath: path, remotePath: path });
    expect(mirror.texts().get(path)).toBe(`a\n\na plan\n${MARKERS}`);
  },
);

it.each(["box", "zoo"])(
  "I09 a document at the path of a blocked one is known by its content when it is saved as a new file (the other in %s)",
  async (folder) => {
    const { rig, mirror, idOf } = await openSynced({
      "work/log.md": "log\n\nof monday\n\nof tuesday\n\nof friday\n",
      [`${folder}/x.md`]: "x\n\nthis\n\nthat\n\nand other things\n",
    });
    const id = idOf(`${folder}/x.md`);
    const { user } = mirror.disk;
    user.saveAtomically(mirror.path("work/log.md"), `log\n\nof monday\n\nof tuesday\n${MARKERS}`);
    rig.app.remove("work/log.md");
    await mirror.sync();
    expect(mirror.state.blocks().map(({ reason }) => reason)).toEqual(["conflict-markers"]);
    user.rename(mirror.path("work/log.md"), mirror.path("t~"));
    user.rename(mirror.path(`${folder}/x.md`), mirror.path("work/log.md"));
    user.rename(mirror.path("t~"), mirror.path(`${folder}/x.md`));
    await mirror.sync();
    expect(rig.app.files().get("work/log.md")?.id).toBe(id);
    user.saveAtomically(mirror.path("work/log.md"), "x\n\nthis\n\nthat\n\nand other things\n\nand more\n");
    await mirror.sync();
    expect(rig.app.files().get("work/log.md")).toMatchObject({
      id,
      text: "x\n\nthis\n\nthat\n\nand other things\n\nand more\n",
    });
    expect(mirror.requests.filter((request) => request.startsWith("DELETE"))).toEqual([]);
  },
);
