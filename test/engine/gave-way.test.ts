import { expect, it } from "vitest";
import { createRig } from "../simulator/rig.ts";
import { openSynced } from "../promises/fixture.ts";

/**
 * One name wanted by two: the service's row keeps it, and what is renamed locally for it is told,
 * once.
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
