import { describe, expect, it, test } from "vitest";
import { checkRow, DEPLOYMENTS, type Row, titled } from "../engine/check-row.ts";
import { isWrite, openSynced, settle } from "../promises/fixture.ts";

/**
 * Tests of rclone bisync (`cmd/bisync/testdata`), and reports of its users. Path1 is the linked
 * folder, path2 the service. Cases about rclone's listings and options do not apply.
 */

const ROWS: readonly Row[] = [
  // "Changes": ten kinds of changes in one sync. An edit beats a deletion on either side.
  [
    "1.md=$A 2.md=$B 3.md=3 4.md=4 5.md=5 6.md=6 7.md=7 8.md=8 9.md=9",
    "write 11.md 11; write 2.md $B+; rm 4.md; write 5.md 5L; rm 6.md; write 7.md 7L; rm 8.md",
    "new 10.md 10; edit 1.md $A+; rm 3.md; edit 5.md 5R; edit 6.md 6R; rm 7.md; rm 8.md",
    "1.md=$A+<1.md 2.md=$B+<2.md 5.md=5L 5_(theirs).md=5R 6.md=6R<6.md 7.md=7L 9.md=9 10.md=10 11.md=11 / 1.md=$A+ 2.md=$B+ 5.md=5R<5.md 6.md=6R 7.md=7L 9.md=9 10.md=10 11.md=11",
    { blocked: ["conflict"] },
  ],
  // "Equal": the same change on both sides needs no sync.
  [
    "1.md=1 2.md=2",
    "write 1.md L; write 2.md new",
    "edit 1.md R; edit 2.md new",
    "1.md=L 1_(theirs).md=R 2.md=new<2.md / 1.md=R<1.md 2.md=new",
    { blocked: ["conflict"] },
  ],
  // "Rmdirs" and "createemptysrcdirs": an empty folder is synced too.
  ["s/20.md=1 k.md=2", "rm s/20.md", "", "k.md=2 s/"],
  ["k.md=2", "mkdir s", "", "k.md=2 s/"],
];

describe.each(DEPLOYMENTS)("bisync's own tests, on a deployment: %s", (_, deployment) => {
  it.each(titled(ROWS))("%s", (_, row) => checkRow(row, deployment));
});

/** More documents in one folder than may be deleted without approval. */
const MANY = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`old/n${n}.md`, `note ${n}\n`]));

describe("rclone 8685: a folder is renamed, and bisync counts all its files as deletions", () => {
  test.each([
    ["which the service renames", {}],
    ["whose documents move one by one", { noFolderPatchOrDelete: 405 }],
  ] as const)("I09 I21 a folder %s is a move, which needs no approval", async (_, variant) => {
    const { rig, mirror } = await openSynced(MANY, {}, variant);
    const id = rig.app.id("old/n7.md")!;
    mirror.rename("old", "new");
    const { state, attention } = await settle(mirror);
    expect([state, attention]).toEqual(["in-sync", []]);
    expect(rig.app.id("new/n7.md")).toBe(id);
    expect([...rig.app.texts().keys()].every((path) => path.startsWith("new/"))).toBe(true);
  });

  test("I21 deletions beside the rename are counted without it", async () => {
    const { rig, mirror, seen } = await openSynced({ ...MANY, "k.md": "k\n" });
    mirror.rename("old", "new");
    for (let n = 0; n < 12; n++) mirror.remove(`new/n${n}.md`);
    const report = await mirror.sync();
    expect(report!.safetyStop!.reasons.map(({ reason }) => reason)).toEqual(["delete-budget-remote"]);
    expect(report!.stopped.map(({ kind }) => kind)).toEqual(Array.from({ length: 12 }, () => "delete-remote"));
    expect(seen.filter(isWrite)).toEqual([]);
    expect(rig.app.files().size).toBe(31);
  });
});

test("rclone 9939: a file that appeared on both sides alike, and was then deleted on one, stays deleted", async () => {
  const { rig, mirror } = await openSynced({ "k.md": "k\n" });
  mirror.write("a.md", "alike\n");
  rig.app.create("a.md", "alike\n");
  await settle(mirror);
  mirror.remove("a.md");
  await settle(mirror);
  expect([...rig.app.texts().keys()]).toEqual(["k.md"]);
  expect([...mirror.texts().keys()]).toEqual(["k.md"]);
});

test('bisync\'s "volatile": files that appear while a sync runs are left to the next one, which sends them all', async () => {
  const fixture = await openSynced({ "k.md": "k\n" });
  const { rig, mirror } = fixture;
  mirror.write("k.md", "edited\n");
  fixture.onRequest = ({ method }) => {
    if (method !== "PUT") return;
    fixture.onRequest = () => undefined;
    for (let n = 0; n < 50; n++) mirror.write(`new/n${n}.md`, `${n}\n`);
  };
  await settle(mirror);
  expect(rig.app.files().size).toBe(51);
  expect(rig.app.texts()).toEqual(mirror.texts());
});
