import { unwrap } from "../../src/common/trouble.ts";
import { describe, expect, test } from "vitest";
import { findProblem } from "../../src/mirror/operations/manual/problem.ts";
import { restoreVersion, textsOf, unreachableTexts } from "../simulator/versions.ts";
import { type Fixture, openConflicts, openFixture, openSynced, settle } from "./fixture.ts";
import { resolveProblem } from "../engine/resolution.ts";

const PATH = "d/note.md";
const BESIDE = "d/note (theirs).md";
const BASE = "# Note\n\none line\n\nanother line\n";
const MINE = "# Note\n\none line, mine\n\nanother line\n";
const THEIRS = "# Note\n\none line, theirs\n\nanother line\n";

/** Opens a conflict of `d/note.md`. The second document keeps both sides from being empty. */
const inConflict = () => openConflicts({ [PATH]: [BASE, MINE, THEIRS] }, { "d/other.md": "other\n" });

function expectReachable({ mirror }: Fixture, path: string, ...texts: readonly string[]): void {
  expect(textsOf(mirror.state, path)).toEqual(expect.arrayContaining([...texts]));
  expect(unreachableTexts(mirror.state)).toEqual([]);
}

describe("I03 however a conflict ends, the version that lost is in the history of its path", () => {
  const ways: readonly [string, (fixture: Fixture) => void, live: string][] = [
    ["the other version is deleted", ({ mirror }) => mirror.remove(BESIDE), MINE],
    ["the other version is moved over the document", ({ mirror }) => mirror.rename(BESIDE, PATH), THEIRS],
    [
      "both are deleted",
      ({ mirror }) => {
        mirror.remove(BESIDE);
        mirror.remove(PATH);
      },
      THEIRS,
    ],
    ["the document is deleted", ({ mirror }) => mirror.remove(PATH), THEIRS],
    ["a later version merges", ({ rig }) => rig.app.edit(PATH, `${BASE}\na third line\n`), `${MINE}\na third line\n`],
    ["the document goes there", ({ rig }) => rig.app.remove(PATH), MINE],
  ];

  test.each(ways)("%s", async (what, end, live) => {
    const fixture = await inConflict();
    end(fixture);
    await settle(fixture.mirror);
    if (!what.includes("goes there")) expect([...fixture.rig.app.texts().values()]).toContain(live);
    expectReachable(fixture, PATH, BASE, MINE, THEIRS);
  });

  test.each(["", ", and the service moved on"])("the other version is edited, seen%s, and deleted", async (moved) => {
    const fixture = await inConflict();
    const { rig, mirror } = fixture;
    mirror.write(BESIDE, `${THEIRS}edited beside\n`);
    if (moved !== "") rig.app.edit(PATH, THEIRS.replace("theirs", "theirs again"));
    await settle(mirror);
    mirror.remove(BESIDE);
    await settle(mirror);
    expectReachable(fixture, PATH, MINE, THEIRS, `${THEIRS}edited beside\n`);
  });

  test.each(["mine", "theirs", "merged"] as const)("resolve --%s", async (how) => {
    const fixture = await inConflict();
    const { mirror } = fixture;
    mirror.write(BESIDE, `${THEIRS}edited beside\n`);
    const way = how === "merged" ? ({ kind: how, text: "of both\n" } as const) : ({ kind: how } as const);
    const subject = unwrap(findProblem(mirror.world(), PATH));
    expect(await resolveProblem(mirror.world(), subject, way, { force: false })).toMatchObject({ kind: "ok" });
    await settle(mirror);
    expectReachable(fixture, PATH, MINE, THEIRS, `${THEIRS}edited beside\n`);
  });

  test.each(["local", "remote", "copy"] as const)("the policy %s ends it immediately", async (policy) => {
    const fixture = await openSynced({ [PATH]: BASE });
    const { rig, mirror } = fixture;
    mirror.write(PATH, MINE);
    rig.app.edit(PATH, THEIRS);
    await settle(mirror, { conflicts: () => policy });
    expectReachable(fixture, PATH, MINE, THEIRS);
  });

  test.each(["local", "remote", "each"] as const)("a first sync prefers %s", async (prefer) => {
    const fixture = openFixture(74);
    const { rig, mirror } = fixture;
    rig.app.create(PATH, THEIRS);
    mirror.write(PATH, MINE);
    await settle(mirror, { prefer });
    expectReachable(fixture, PATH, MINE, THEIRS);
  });

  test("and it can be restored, and is found by an earlier and a later name", async () => {
    const fixture = await inConflict();
    const { mirror } = fixture;
    mirror.rename(BESIDE, PATH);
    await settle(mirror);
    mirror.rename(PATH, "d/renamed.md");
    await settle(mirror);
    for (const path of [PATH, "d/renamed.md"]) expectReachable(fixture, path, MINE, THEIRS);
    const n = textsOf(mirror.state, "d/renamed.md").indexOf(MINE) + 1;
    expect(await restoreVersion(mirror.world(), "d/renamed.md", n)).toMatchObject({ kind: "ok" });
    expect(mirror.texts().get("d/renamed.md")).toBe(MINE);
  });
});

describe("I03 a version that was seen and never sent is in the history of its path", () => {
  test("a save that the next one replaced, while nothing was sent", async () => {
    const fixture = await openSynced({ [PATH]: BASE });
    const { mirror } = fixture;
    mirror.write(PATH, "a first draft\n");
    await mirror.sync({ direction: "pull" });
    mirror.write(PATH, "a second draft\n");
    await settle(mirror);
    expectReachable(fixture, PATH, "a first draft\n");
  });

  test("a file that never was a document, under its path alone; and beside a later file at that path", async () => {
    const fixture = await openSynced({ "keep.md": "keep\n" });
    const { rig, mirror } = fixture;
    mirror.write("draft.md", "only ever here\n");
    await mirror.sync({ direction: "pull" });
    mirror.remove("draft.md");
    await settle(mirror);
    expectReachable(fixture, "draft.md", "only ever here\n");
    expect(await restoreVersion(mirror.world(), "draft.md", null)).toMatchObject({ kind: "ok" });
    expect(mirror.texts().get("draft.md")).toBe("only ever here\n");
    mirror.remove("draft.md");
    await settle(mirror);
    rig.app.create("draft.md", "another document\n");
    await settle(mirror);
    expectReachable(fixture, "draft.md", "only ever here\n", "another document\n");
  });
});
