import { expect, it } from "vitest";
import { conflictCopyPath } from "../../src/mirror/model/conflict-copy-path.ts";
import { ROOT } from "../simulator/mirror.ts";
import { MAX_NAME_BYTES } from "../../src/contract/path.ts";
import { openSynced } from "../promises/fixture.ts";

/** A file of somebody's stands where a conflict's other version is to be shown. */

const AT = conflictCopyPath("note.md", "theirs", 1, MAX_NAME_BYTES);
const OWN = "of nobody's conflict\n";

it("I03 a file at the name of a conflict copy is renamed, and log and history say so", async () => {
  const { rig, mirror } = await openSynced({ "note.md": "one\n" });
  mirror.write(AT, OWN);
  await mirror.sync();
  mirror.write("note.md", "mine\n");
  rig.app.edit("note.md", "theirs\n");
  await mirror.sync();
  expect(mirror.texts().get(AT)).toBe("theirs\n");
  const told = mirror.state.events({ limit: 100, path: AT });
  expect(told).toEqual([expect.objectContaining({ kind: "trash-local", id: null, outcome: "done" })]);
  const [, place] = /(\.mdmirror\/trash\/[^,]*)/.exec(told[0]!.detail)!;
  expect(mirror.disk.user.read(`${ROOT}/${place}`)).toBe(OWN);
  expect(mirror.state.text(told[0]!.before!)).toBe(OWN);
  // That a copy goes once a newer one is shown is not reported.
  rig.app.edit("note.md", "theirs, later\n");
  await mirror.sync();
  expect(mirror.texts().has(AT)).toBe(false);
  expect(mirror.state.events({ limit: 100, path: AT })).toEqual(told);
});
