import { expect, test } from "vitest";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";
import { idThere, textThere } from "./linked-rig.ts";

/** Files and documents of one path that are linked for the first time, with texts that link. */

/** @param files files in the folder before the first sync */
function adopting(rig: Rig, files: Readonly<Record<string, string>>): Mirror {
  const mirror = rig.mirror({ links: true });
  for (const [path, text] of Object.entries(files)) mirror.write(path, text);
  return mirror;
}

test("a file that links by path to what the text links to by an absolute one is that document's (I05)", async () => {
  const rig = createRig(1);
  rig.app.create("plans/b.md", "b\n");
  rig.app.create("plans/a.md", "[b](/plans/b.md#late)\n");
  const mirror = adopting(rig, { "plans/a.md": "[b](b.md#late)\n" });
  expect((await mirror.sync())!.counts).toMatchObject({ conflicts: 0, uploaded: 0 });
  expect(mirror.texts().get("plans/a.md")).toBe("[b](b.md#late)\n");
  expect(textThere(rig, "plans/a.md")).toBe("[b](/plans/b.md#late)\n");
  rig.app.renameFolder("plans", "later");
  await mirror.sync();
  expect(textThere(rig, "later/a.md")).toBe("[b](/plans/b.md#late)\n");
});

test("a file that links to nothing where the text has an id is that document's, and leads there from then on (I05)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("under/b.md", "b\n");
  rig.app.create("a.md", `[b](${b}#late)\n`);
  const mirror = adopting(rig, { "a.md": "[b](sub/b.md#late)\n" });
  expect((await mirror.sync())!.counts).toMatchObject({ conflicts: 0, uploaded: 0 });
  expect(mirror.texts().get("a.md")).toBe("[b](under/b.md#late)\n");
  expect(textThere(rig, "a.md")).toBe(`[b](${b}#late)\n`);
});

test("a file that links to another file than the text is a version of its own (I05)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("under/b.md", "b\n");
  rig.app.create("a.md", `[b](${b})\n`);
  const mirror = adopting(rig, { "a.md": "[b](sub/b.md)\n", "sub/b.md": "mine\n" });
  expect((await mirror.sync())!.counts).toMatchObject({ conflicts: 1 });
  expect(mirror.texts().get("a.md")).toBe("[b](sub/b.md)\n");
  expect(textThere(rig, "a.md")).toBe(`[b](${b})\n`);
  expect(idThere(rig, "sub/b.md")).not.toBe(b);
});

test("a file that differs from the text in more than its links is a version of its own (I05)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("under/b.md", "b\n");
  rig.app.create("a.md", `[b](${b}) and more\n`);
  const mirror = adopting(rig, { "a.md": "[b](sub/b.md)\n" });
  expect((await mirror.sync())!.counts).toMatchObject({ conflicts: 1 });
  expect(mirror.texts().get("a.md")).toBe("[b](sub/b.md)\n");
});

test("ids that a clone left in a file, and forgot when it was killed, become paths (I13)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("b.md", "b\n");
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  rig.app.create("a.md", `[b](${b}#late)\n`);
  mirror.write("a.md", `[b](${b}#late)\n`);
  expect((await mirror.sync())!.counts).toMatchObject({ conflicts: 0, uploaded: 0 });
  expect(mirror.texts().get("a.md")).toBe("[b](b.md#late)\n");
  rig.app.rename("b.md", "c.md");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("[b](c.md#late)\n");
  expect(textThere(rig, "a.md")).toBe(`[b](${b}#late)\n`);
});
