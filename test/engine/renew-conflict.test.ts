import { expect, it } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import { copyPath } from "../../src/mirror/model/conflict-copy-path.ts";
import { type Mirror, ROOT } from "../simulator/mirror.ts";
import type { Rig } from "../simulator/rig.ts";
import { MAX_NAME_BYTES } from "../../src/contract/path.ts";
import { openSynced } from "../promises/fixture.ts";

const BASE = "base\n";
const MINE = "mine\n";

/** A conflict over `d/note.md`, whose conflict copy shows the service's text. */
async function inConflict(): Promise<{ readonly rig: Rig; readonly mirror: Mirror }> {
  const { rig, mirror } = await openSynced({ "d/note.md": BASE });
  mirror.write("d/note.md", MINE);
  rig.app.edit("d/note.md", "theirs 0\n");
  await mirror.sync();
  expect(mirror.texts().get("d/note (theirs).md")).toBe("theirs 0\n");
  return { rig, mirror };
}

/**
 * The conflict that there was goes on, and the newest of its copies alone is in the folder: a
 * conflict that its user had ended, and that came again, would have another base.
 */
function expectOpen(
  { rig, mirror }: { readonly rig: Rig; readonly mirror: Mirror },
  path: string,
  theirs: string,
  when: string,
): void {
  const conflicts = [...mirror.state.load().conflicts.values()];
  expect(
    conflicts.map(({ baseDigest }) => baseDigest),
    when,
  ).toEqual([digestOf(BASE)]);
  expect(Object.fromEntries(mirror.texts()), when).toEqual({
    [copyPath(path, conflicts[0]!.shown.length, MAX_NAME_BYTES)]: theirs,
    [path]: MINE,
  });
  expect(rig.app.files().get(path)?.text, when).toBe(theirs);
}

it("I13 I27 killed at any call while a newer version is shown, a conflict continues with that version, and no name has shown two", async () => {
  const { rig, mirror } = await inConflict();
  // The folders of the trash are there from now on: each kill finds the calls where the one before
  // found them.
  rig.app.edit("d/note.md", "theirs 0, renewed\n");
  await mirror.sync();
  const left = () => JSON.stringify([[...mirror.texts()], [...mirror.state.load().conflicts.values()]]);
  const shownAs = new Map<string, string>();
  let isOver = false;
  for (let call = 1; !isOver; call++) {
    const theirs = `theirs ${call}\n`;
    const before = left();
    rig.app.edit("d/note.md", theirs);
    mirror.killAt(call);
    isOver = (await mirror.sync()) !== null;
    for (const [path, text] of mirror.texts())
      if (path !== "d/note.md") expect(shownAs.set(path, shownAs.get(path) ?? text).get(path), path).toBe(text);
    // Where nothing was done yet, the next kill finds the same.
    if (left() === before) continue;
    await mirror.sync();
    expectOpen({ rig, mirror }, "d/note.md", theirs, `killed at call ${call}`);
  }
});

it("I06 I27 a disk too full for the newer version decides nothing: it is shown where its document is by then", async () => {
  const { rig, mirror } = await inConflict();
  rig.app.edit("d/note.md", "theirs 1\n");
  const emptied = mirror.disk.fail({ call: "writeNew.bytes", path: null, code: "ENOSPC" });
  await mirror.sync();
  await mirror.sync();
  expect(Object.fromEntries(mirror.texts())).toEqual({ "d/note (theirs).md": "theirs 0\n", "d/note.md": MINE });
  emptied();
  mirror.disk.user.rename(`${ROOT}/d`, `${ROOT}/e`);
  await mirror.sync();
  await mirror.sync();
  expectOpen({ rig, mirror }, "e/note.md", "theirs 1\n", "with room again");
});

it("I27 a copy that somebody edited while a newer version could not be shown stays beside that", async () => {
  const { rig, mirror } = await inConflict();
  rig.app.edit("d/note.md", "theirs 1\n");
  const ends = mirror.disk.fail({ call: "link", path: `${ROOT}/d/note (theirs 2).md`, code: "EIO" });
  await mirror.sync();
  ends();
  mirror.write("d/note (theirs).md", "theirs, and mine\n");
  await mirror.sync();
  expect(mirror.texts().get("d/note (theirs).md")).toBe("theirs, and mine\n");
  expect(mirror.texts().get("d/note (theirs 2).md")).toBe("theirs 1\n");
  expect(rig.app.files().get("d/note.md")?.text).toBe("theirs 1\n");
});

it("I06 I27 a power cut that the state survives removes no conflict copy: nobody chose between the two versions", async () => {
  const opened = await inConflict();
  opened.mirror.disk.losePower(() => 0);
  await opened.mirror.sync();
  expectOpen(opened, "d/note.md", "theirs 0\n", "after it was opened");
  opened.rig.app.edit("d/note.md", "theirs 1\n");
  await opened.mirror.sync();
  opened.mirror.disk.losePower(() => 0);
  await opened.mirror.sync();
  expectOpen(opened, "d/note.md", "theirs 1\n", "after it was renewed");
});
