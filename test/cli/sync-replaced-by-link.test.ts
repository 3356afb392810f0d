import { mkdirSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { useRig } from "./rig.ts";

const rig = useRig();
beforeEach(async () => {
  for (const path of ["a.md", "b.md", "d/c.md"]) rig.write(path, `${path}\n`);
  expect((await rig.init("--yes")).code).toBe(0);
});

const sync = () => rig.run(["sync"], { cwd: rig.root });
const away = (path: string) => join(rig.root, "..", `away-${path.replace("/", "-")}`);

describe("I04 I09 something that is never mirrored, in the place of a document", () => {
  test.each([
    ["a symbolic link to it", () => symlinkSync(away("a.md"), rig.path("a.md")), "a symbolic link is at this path"],
    ["a folder", () => mkdirSync(rig.path("a.md")), "a folder is at this path"],
  ])("%s: the document stays, and is the same when its file is back", async (_what, put, kind) => {
    const { id } = rig.remote("a.md")!;
    renameSync(rig.path("a.md"), away("a.md"));
    put();
    const ran = await sync();
    expect([ran.code, ran.err.join("\n")]).toEqual([3, expect.stringContaining(`a.md: type-clash: ${kind}`)]);
    expect(rig.remote("a.md")!.id).toBe(id);
    rig.remove("a.md");
    renameSync(away("a.md"), rig.path("a.md"));
    expect((await sync()).code).toBe(0);
    expect(rig.remote("a.md")!.id).toBe(id);
  });

  test("without it the document is deleted, and reported by its own name", async () => {
    rig.remove("a.md");
    symlinkSync("nowhere", rig.path("a.md"));
    expect((await sync()).code).toBe(3);
    rig.remove("a.md");
    expect(await sync()).toMatchObject({ code: 0, out: [expect.stringContaining("1 deleted on the service")] });
    expect(rig.remote("a.md")).toBeNull();
  });

  test("in the place of a folder: its documents stay, and so does it", async () => {
    renameSync(rig.path("d"), away("d"));
    symlinkSync(away("d"), rig.path("d"));
    const ran = await sync();
    expect([ran.code, ran.err.join("\n")]).toEqual([3, expect.stringContaining('a symbolic link is at "d"')]);
    expect(rig.remote("d/c.md")).not.toBeNull();
  });
});
