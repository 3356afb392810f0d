import { expect, test } from "vitest";
import { createRig } from "../simulator/rig.ts";

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
