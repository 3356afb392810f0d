import { fc } from "../property.ts";
import { describe, expect, test } from "vitest";
import { isConflictCopyName, nameOf, parentOf } from "../../src/contract/path.ts";
import { copyPath } from "../../src/mirror/model/conflict-copy-path.ts";
import { createRig } from "../simulator/rig.ts";
import { settle } from "../promises/fixture.ts";

describe("the name of a conflict copy", () => {
  test.each([
    ["note.md", "note (theirs).md"],
    ["d/e/note.md", "d/e/note (theirs).md"],
    [`${"n".repeat(243)}.md`, `${"n".repeat(243)} (theirs).md`],
  ])("of %s is made of the document's where the disk can hold it", (path, beside) => {
    expect(copyPath(path, 1, 255)).toBe(beside);
  });

  test("is beside any document, no longer than a disk's names may be, and different for two documents", () => {
    const stem = fc.string({ unit: "grapheme", minLength: 1, maxLength: 260 }).map((text) => text.replaceAll("/", "-"));
    const name = stem.map((text) => `${text}.md`).filter((text) => Buffer.byteLength(text) <= 255);
    fc.assert(
      fc.property(name, name, (one, other) => {
        const beside = copyPath(`d/${one}`, 1, 255);
        expect(parentOf(beside)).toBe("d");
        expect(isConflictCopyName(nameOf(beside))).toBe(true);
        expect(Buffer.byteLength(nameOf(beside))).toBeLessThanOrEqual(255);
        expect(beside.isWellFormed()).toBe(true);
        if (one !== other) expect(copyPath(`d/${other}`, 1, 255)).not.toBe(beside);
      }),
    );
    const long = "x".repeat(251);
    expect(copyPath(`${long}a.md`, 1, 255)).not.toBe(copyPath(`${long}b.md`, 1, 255));
  });
});

test("two conflicts of documents whose long names differ at the end alone: each keeps both versions, and ends by its own copy", async () => {
  const rig = createRig(1);
  const mirror = rig.mirror();
  const paths = ["a", "b"].map((end) => `${"long-".repeat(50)}${end}.md`);
  for (const path of paths) rig.app.create(path, "first\n");
  await mirror.sync();
  for (const path of paths) {
    mirror.write(path, `mine of ${path.at(-4)!}\n`);
    rig.app.edit(path, `theirs of ${path.at(-4)!}\n`);
  }
  await mirror.sync();
  const besides = paths.map((path) => copyPath(path, 1, 255));
  for (const [index, path] of paths.entries()) {
    expect(mirror.texts().get(path)).toBe(`mine of ${path.at(-4)!}\n`);
    expect(mirror.texts().get(besides[index]!)).toBe(`theirs of ${path.at(-4)!}\n`);
    expect(Buffer.byteLength(besides[index]!)).toBeLessThanOrEqual(255);
  }
  mirror.disk.user.remove(mirror.path(besides[0]!));
  mirror.disk.user.rename(mirror.path(besides[1]!), mirror.path(paths[1]!));
  await settle(mirror);
  expect(paths.map((path) => rig.app.files().get(path)!.text)).toEqual(["mine of a\n", "theirs of b\n"]);
  expect([...mirror.texts().keys()].sort()).toEqual(paths);
});

test("a document whose name is as long as a disk takes goes to the trash under a name that the disk takes", async () => {
  const rig = createRig(2);
  const mirror = rig.mirror();
  const long = `d/${"long-".repeat(50)}xy.md`;
  rig.app.create(long, "a long name\n");
  for (let n = 0; n < 5; n++) rig.app.create(`n${n}.md`, `${n}\n`);
  await mirror.sync();
  rig.app.remove(long);
  await mirror.sync();
  const trash = [...mirror.disk.user.texts(mirror.path(".mdmirror/trash"), true)];
  expect(trash.map(([, text]) => text)).toEqual(["a long name\n"]);
  const [, folder, name] = trash[0]![0].split("/");
  expect(folder).toBe("d");
  expect(name).toMatch(/^(?:long-)+[^/]*\.[0-9a-f]{8}\.md$/);
  expect(Buffer.byteLength(name!)).toBeLessThanOrEqual(255);
});
