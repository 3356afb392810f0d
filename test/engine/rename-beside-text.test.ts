import { expect, it } from "vitest";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig } from "../simulator/rig.ts";
import { openFixture } from "../promises/fixture.ts";

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);

/** What a further look would do. */
async function stepsLeft(mirror: Mirror): Promise<unknown> {
  const end = await mirror.plan();
  return end.kind === "planned" ? end.plan.steps : end;
}

it("I02 a run whose rename is answered with a version that nobody here has seen goes on until it has", async () => {
  const fixture = openFixture(61);
  const { rig, mirror } = fixture;
  rig.app.create("a.md", LINES.join(""));
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("a.md"), mirror.path("b.md"));
  const edited = LINES.with(3, "written there\n\n").join("");
  fixture.onRequest = ({ method }) => {
    if (method === "PATCH") rig.app.edit("a.md", edited);
  };
  expect((await mirror.sync())?.state).toBe("in-sync");
  expect(await stepsLeft(mirror)).toEqual([]);
  expect(mirror.texts().get("b.md")).toBe(edited);
});

it("I12 where change ids move on a rename, a text that is sent to review beside a rename leaves base at the change id that the rename gave", async () => {
  const rig = createRig(62, { changeIdMovesOnRename: true });
  const id = rig.app.create("a.md", LINES.join(""));
  rig.app.protect("a.md", true);
  const mirror = rig.mirror();
  await mirror.sync();
  const before = mirror.state.link(id)!.changeId;
  mirror.disk.user.rename(mirror.path("a.md"), mirror.path("b.md"));
  mirror.write("b.md", LINES.with(3, "written here\n\n").join(""));
  await mirror.sync();
  expect(mirror.state.link(id)).toMatchObject({ remotePath: "b.md", changeId: `${before}-r1` });
  expect(mirror.state.link(id)?.submissions).toHaveLength(1);
  expect(await stepsLeft(mirror)).toEqual([]);
});
