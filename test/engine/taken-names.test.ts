import { expect, it, test } from "vitest";
import { createRig } from "../simulator/rig.ts";
import { openSynced } from "../promises/fixture.ts";
import { conflictCopyPath } from "../../src/mirror/model/conflict-copy-path.ts";
import { ROOT } from "../simulator/mirror.ts";
import { MAX_NAME_BYTES } from "../../src/contract/path.ts";

/**
 * Two documents want one name: the one of the service keeps it, and the other one's new local name
 * is reported once.
 */

it("a file that is renamed locally to another document's name on the service is reported with the name that it gets", async () => {
  const { rig, mirror } = await openSynced({ "a.md": "a\n" });
  mirror.disk.user.rename(mirror.path("a.md"), mirror.path("t.md"));
  rig.app.create("t.md", "theirs\n");
  const report = await mirror.sync();
  expect([...mirror.texts().keys()].sort()).toEqual(["t-2.md", "t.md"]);
  expect(report?.renamed).toEqual([{ from: "t.md", to: "t-2.md" }]);
  expect(report?.state).toBe("in-sync");
  expect((await mirror.sync())?.renamed).toEqual([]);
});

it("a folder too; and names that nobody else has are not reported", async () => {
  const rig = createRig(44);
  rig.app.create("f/a.md", "a\n");
  const mirror = rig.mirror();
  expect((await mirror.sync())?.renamed).toEqual([]);
  mirror.disk.user.rename(mirror.path("f"), mirror.path("g"));
  rig.app.create("g/b.md", "theirs\n");
  const report = await mirror.sync();
  expect([...mirror.texts().keys()].sort()).toEqual(["g-2/a.md", "g/b.md"]);
  expect(report?.renamed).toEqual([{ from: "g", to: "g-2" }]);
});

/** A user's file has the path at which a conflict's other version must be shown. */

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
  const events = mirror.state.events({ limit: 100, path: AT });
  expect(events).toEqual([expect.objectContaining({ kind: "trash-local", id: null, outcome: "done" })]);
  const [, place] = /(\.mdmirror\/trash\/[^,]*)/.exec(events[0]!.detail)!;
  expect(mirror.disk.user.read(`${ROOT}/${place}`)).toBe(OWN);
  expect(mirror.state.text(events[0]!.before!)).toBe(OWN);
  // That a copy goes once a newer one is shown is not reported.
  rig.app.edit("note.md", "theirs, later\n");
  await mirror.sync();
  expect(mirror.texts().has(AT)).toBe(false);
  expect(mirror.state.events({ limit: 100, path: AT })).toEqual(events);
});

test("a file left at a temporary name, with no text in it, waits for one, and gets a lasting name with it (I13)", async () => {
  const rig = createRig(1);
  const mirror = rig.mirror();
  mirror.write("todo-mdmirror-99994e6f.md", "torn\0\0\0");
  await mirror.sync();
  expect([...mirror.state.load().blocks.values()].map(({ reason }) => reason)).toEqual(["contains-nul"]);
  mirror.write("todo-mdmirror-99994e6f.md", "written again\n");
  await mirror.sync();
  await mirror.sync();
  expect(mirror.texts()).toEqual(new Map([["todo.md", "written again\n"]]));
  expect([...rig.app.files().keys()]).toEqual(["todo.md"]);
});
