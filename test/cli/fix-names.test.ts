import { describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();

describe("fix-names", () => {
  test("renames what the service names otherwise, deepest first; each document stays the same one (I09)", async () => {
    rig.write("My notes.md", "notes\n");
    rig.write("My folder/To do.md", "to do\n");
    await rig.init();
    const before = [rig.remote("My-notes.md")!.id, rig.remote("My-folder/To-do.md")!.id];
    const { code, out } = await rig.run(["fix-names", "w"]);
    expect(out).toEqual([
      "My folder/To do.md → My folder/To-do.md",
      "My folder → My-folder",
      "My notes.md → My-notes.md",
      "3 names changed; next: mdmirror sync",
    ]);
    expect(code).toBe(0);
    expect(await rig.syncCounts()).toEqual({});
    expect([rig.remote("My-notes.md")!.id, rig.remote("My-folder/To-do.md")!.id]).toEqual(before);
    expect((await rig.run(["fix-names", "w"])).out).toHaveLength(1);
  });

  test("leaves a name whose legal one is taken, and ends with 3", async () => {
    rig.write("a b.md", "one\n");
    rig.write("a-b.md", "two\n");
    await rig.init();
    const { code, err } = await rig.run(["fix-names", "w"]);
    expect([code, err]).toEqual([3, ["a b.md: not renamed: that name is taken; rename one of the two yourself"]]);
  });
});
