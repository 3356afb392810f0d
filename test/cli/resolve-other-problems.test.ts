import { beforeEach, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();

function clash(path: string): void {
  rig.write(path, "# Title\n\nlocal words\n");
  rig.editRemotely(path, "# Title\n\nother words\n");
}

beforeEach(async () => {
  for (const path of ["plan.md", "other.md", "note.md"]) rig.createRemotely(path, "# Title\n\nbase words\n");
  await rig.init();
  rig.write("note.md", "second version\n");
  expect((await rig.run(["sync", "w"])).code).toBe(0);
  clash("other.md");
  expect((await rig.run(["sync", "w"])).code).toBe(3);
});

const linesOn = (lines: readonly string[]) => lines.filter((line) => line.includes("other document")).length;

test.each([
  ["restore", "w/note.md@1"],
  ["undo", "w", "2", "--yes"],
])("%s succeeds, and one line names the other document", async (...argv) => {
  const { code, out, err } = await rig.run(argv);
  expect([code, linesOn(out), err]).toEqual([0, 1, []]);
  expect(rig.remote("note.md")!.content).toBe(rig.read("note.md"));
  expect(rig.read("note.md")).not.toBe("second version\n");
});

test("resolve succeeds, and one line reports the other document", async () => {
  clash("plan.md");
  expect((await rig.run(["sync", "w"])).code).toBe(3);
  const { code, out, err } = await rig.run(["resolve", "w/plan.md", "--mine"]);
  expect([code, linesOn(out), err]).toEqual([0, 1, []]);
});

test("a command fails by a problem of its own document", async () => {
  rig.editRemotely("note.md", "# Title\n\nwords of somebody else\n");
  const { code, err } = await rig.run(["restore", "w/note.md@1"]);
  expect([code, err.length > 0]).toEqual([3, true]);
  expect((await rig.run(["conflicts", "w"])).code).toBe(3);
});

test("JSON has all problems, and the exit code is that of the command's own documents", async () => {
  const sync = { state: "attention", attention: [{ path: "other.md" }] };
  expect(await rig.json(["restore", "w/note.md@1"])).toMatchObject({ exit: 0, sync });
});
