import { describe, expect, it, test } from "vitest";
import { checkRow, DEPLOYMENTS, type Row, titled } from "../engine/check-row.ts";
import { openSynced, settle } from "../promises/fixture.ts";
import { createRig } from "../simulator/rig.ts";

/**
 * Syncthing's tests of renames, conflicts and characters (`lib/model`, `test/conflict_test.go`).
 * The service replaces the other device.
 */

const ROWS: readonly Row[] = [
  // TestRequestRemoteRenameChanged: b is edited locally, and the other device renames a to b.
  ["a.md=1 b.md=2", "write b.md 3", "rm b.md; mv a.md b.md", "b-2.md=3 b.md=1<a.md"],
  // TestRequestRemoteRenameConflict: the same without an edit. The old content of b is in the
  // history.
  ["a.md=1 b.md=2", "", "rm b.md; mv a.md b.md", "b.md=1<a.md"],
  // TestRenameSequenceOrder: most documents are edited, and some are renamed.
  [
    "0.md=0 1.md=1 2.md=2 3.md=3 4.md=4 5.md=5",
    "write 0.md 0n; write 2.md 2n; write 3.md 3n; write 5.md 5n; mv 1.md 20.md; mv 4.md 21.md",
    "",
    "0.md=0n<0.md 2.md=2n<2.md 20.md=1<1.md 21.md=4<4.md 3.md=3n<3.md 5.md=5n<5.md",
  ],
  // TestRenameSameFile: a renamed file is copied to similar names.
  [
    "file.md=$X",
    "mv file.md file1.md; write file0.md $X; write file2.md $X; write file3.md $X",
    "",
    "file0.md=$X file1.md=$X<file.md file2.md=$X file3.md=$X",
  ],
];

describe.each(DEPLOYMENTS)("Syncthing's own tests, on a deployment: %s", (_, deployment) => {
  it.each(titled(ROWS))("%s", (_, row) => checkRow(row, deployment));
});

test("TestPullDeleteCaseConflict: a deletion of Note.md takes no note.md with it, on a disk that folds case", async () => {
  const rig = createRig(1);
  const mirror = rig.mirror({ disk: { foldsCase: true } });
  rig.app.create("Note.md", "old\n");
  rig.app.create("k.md", "k\n");
  await settle(mirror);
  rig.app.remove("Note.md");
  rig.app.create("note.md", "new\n");
  await settle(mirror);
  expect(mirror.texts()).toEqual(
    new Map([
      ["k.md", "k\n"],
      ["note.md", "new\n"],
    ]),
  );
});

test("TestSRConflictReplaceFileByDir: a folder in place of a document that was edited on the service loses neither", async () => {
  const { rig, mirror } = await openSynced({ "a.md": "1\n", "k.md": "2\n" });
  mirror.remove("a.md");
  mirror.write("a.md/b.md", "3\n");
  rig.app.edit("a.md", "4\n");
  const { attention } = await settle(mirror);
  expect(attention.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
    "a.md name-refused",
    "a.md type-clash",
    "a.md/b.md folder-blocked",
  ]);
  expect(rig.app.texts().get("a.md")).toBe("4\n");
  mirror.rename("a.md", "d");
  expect((await settle(mirror)).state).toBe("in-sync");
  expect(mirror.texts()).toEqual(rig.app.texts());
  expect([...mirror.texts()]).toEqual([
    ["a.md", "4\n"],
    ["d/b.md", "3\n"],
    ["k.md", "2\n"],
  ]);
});
