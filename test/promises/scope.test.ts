import { describe, expect, test } from "vitest";
import type { Settings } from "../../src/mirror/engine/run/world.ts";
import { type Fixture, type SeenRequest, settle, openSynced } from "./fixture.ts";

const DOCUMENTS = 12;

const NOTES = Object.fromEntries(Array.from({ length: DOCUMENTS }, (_, n) => [`d${n % 3}/n${n}.md`, `note ${n}\n`]));
const inSync = () => openSynced(NOTES);

function deletes(seen: readonly SeenRequest[]): string[] {
  return seen.flatMap(({ method, path }) => (method === "DELETE" ? [path] : []));
}

/** Expects that nothing was deleted on either side and nothing was sent. */
function expectNothingGone(
  fixture: Fixture,
  local: ReadonlyMap<string, string>,
  remote: ReadonlyMap<string, string>,
): void {
  expect(deletes(fixture.seen)).toEqual([]);
  const here = fixture.mirror.texts();
  for (const [path, text] of local) expect({ path, here: here.get(path) }).toEqual({ path, here: text });
  expect(fixture.rig.app.texts()).toEqual(remote);
}

const RULES: readonly (readonly [name: string, rules: string])[] = [
  ["a folder", "d1/\n"],
  ["one document", "d0/n0.md\n"],
  ["everything", "*\n"],
  ["every document but one", "*.md\n!d0/n0.md\n"],
];

describe("I18 a change of scope deletes nothing", () => {
  test.each(RULES)("ignore rules that newly match %s, and that match nothing again", async (_, rules) => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    const [local, remote] = [mirror.texts(), rig.app.texts()];
    const ids = [...mirror.state.load().records.keys()].sort();
    mirror.write(".mdmirrorignore", rules);
    await mirror.syncTimes(3);
    expectNothingGone(fixture, local, remote);
    mirror.remove(".mdmirrorignore");
    await mirror.syncTimes(3);
    expectNothingGone(fixture, local, remote);
    expect([...mirror.state.load().records.keys()].sort()).toEqual(ids);
  });

  const MODES: readonly (readonly [name: string, settings: Partial<Settings>])[] = [
    ["pull only", { direction: "pull" }],
    ["push only", { direction: "push" }],
    ["names held instead of mapped", { names: "block" }],
  ];
  test.each(MODES)("the mode becomes %s, with edits and deletions on both sides, and back", async (_, settings) => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    mirror.write("A name.md", "mapped\n");
    await settle(mirror);
    const ids = new Set(mirror.state.load().records.keys());
    fixture.seen.length = 0;
    for (let run = 0; run < 3; run++) await mirror.sync(settings);
    expect(deletes(fixture.seen)).toEqual([]);
    expect(mirror.texts().get("A name.md")).toBe("mapped\n");
    expect(rig.app.texts().get("A-name.md")).toBe("mapped\n");
    await settle(mirror);
    expect(deletes(fixture.seen)).toEqual([]);
    expect(new Set(mirror.state.load().records.keys())).toEqual(ids);
    expect(mirror.texts().size).toBe(DOCUMENTS + 1);
  });

  test("the folder is moved or copied, with the state: the sync stops, and deletes nothing on either side", async () => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    const { user } = mirror.disk;
    const [local, remote] = [mirror.texts(), rig.app.texts()];
    const [root, old] = [mirror.path("x").slice(0, -2), "/home/ann/old"];
    user.rename(root, old);
    // An incomplete copy: the same bytes and marker in new files and folders.
    for (const [path, text] of user.texts(old, true)) {
      if (path.startsWith("d1/")) continue;
      user.makeFolder(`${root}/${path}`.replace(/\/[^/]*$/, ""));
      user.write(`${root}/${path}`, text);
    }
    const report = await mirror.sync();
    expect(report?.state).toBe("stopped");
    expect(report?.safetyStop?.reasons.map(({ reason }) => reason)).toEqual(["root-moved-or-copied"]);
    expect(deletes(fixture.seen)).toEqual([]);
    expect(rig.app.texts()).toEqual(remote);
    expect(user.texts(old).size).toBe(local.size);
  });

  test("a narrower linked subtree: documents outside it are deleted neither on the service nor locally", async () => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    const [local, remote] = [mirror.texts(), rig.app.texts()];
    // The same folder and state, now linked to a part of the workspace.
    mirror.alterWorld = (world) => ({ ...world, prefix: "d0" });
    for (let run = 0; run < 3; run++) expect((await mirror.sync())?.fault).toBeNull();
    expect(deletes(fixture.seen)).toEqual([]);
    for (const [path, text] of remote)
      expect({ path, there: rig.app.texts().get(path) }).toEqual({ path, there: text });
    const files = [...mirror.disk.user.texts(mirror.path("."), true).values()];
    for (const text of local.values()) expect(files).toContain(text);
    const states = [...mirror.state.load().records.values()].map(({ state }) => state);
    expect(states).toContain("outside");
  });
});

/** A linked folder with its `.gitignore` files, through the whole engine. */

const writes = ({ seen }: Fixture) => seen.filter(({ method }) => method !== "GET").map(({ method }) => method);

describe("what .gitignore files leave out", () => {
  test("is not sent, and linked documents still sync in both directions (I18)", async () => {
    const fixture = await openSynced(NOTES, { gitignore: true });
    const { rig, mirror } = fixture;
    mirror.write(".gitignore", "d1/\nn0.md\n");
    mirror.write("d1/new.md", "new\n");
    mirror.write("d2/n0.md", "of that name\n");
    mirror.write("d1/n1.md", "edited locally\n");
    rig.app.edit("d0/n0.md", "edited there\n");
    await settle(mirror);
    expect(writes(fixture)).toEqual(["PUT"]);
    expect(rig.app.texts().get("d1/n1.md")).toBe("edited locally\n");
    expect(rig.app.texts().has("d1/new.md")).toBe(false);
    expect(mirror.texts().get("d0/n0.md")).toBe("edited there\n");
    expect(mirror.texts().get("d1/new.md")).toBe("new\n");
    mirror.remove(".gitignore");
    await settle(mirror);
    expect(rig.app.texts()).toEqual(mirror.texts());
  });

  test("is deleted on neither side, whichever side it goes from, then or when the rule goes (I18)", async () => {
    const fixture = await openSynced(NOTES, { gitignore: true });
    const { rig, mirror } = fixture;
    const remote = rig.app.texts();
    mirror.write(".gitignore", "d1/\n");
    await settle(mirror);
    // A build removes its output first.
    mirror.remove("d1");
    await mirror.syncTimes(3);
    expect(writes(fixture)).toEqual([]);
    expect(rig.app.texts()).toEqual(remote);
    expect(mirror.texts().has("d1/n1.md")).toBe(false);
    // The build then creates a file again, which is the earlier document.
    mirror.write("d1/n1.md", "built again\n");
    await settle(mirror);
    expect(writes(fixture)).toEqual(["PUT"]);
    mirror.remove(".gitignore");
    await settle(mirror);
    expect(writes(fixture)).toEqual(["PUT"]);
    expect(rig.app.texts()).toEqual(new Map(remote).set("d1/n1.md", "built again\n"));
    expect(mirror.texts()).toEqual(rig.app.texts());
  });

  test("is not downloaded, and nothing moves to its path", async () => {
    const fixture = await openSynced(NOTES, { gitignore: true });
    const { rig, mirror } = fixture;
    mirror.write(".gitignore", "build/\n");
    await settle(mirror);
    rig.app.create("build/page.md", "page\n");
    rig.app.move("d0/n0.md", "build");
    await mirror.syncTimes(3);
    expect([...mirror.texts().keys()].filter((path) => path.startsWith("build/"))).toEqual([]);
    expect(mirror.texts().get("d0/n0.md")).toBe("note 0\n");
    expect(writes(fixture)).toEqual([]);
    expect([...mirror.state.load().blocks.values()].map(({ reason, detail }) => [reason, detail])).toEqual([
      ["suspended", "its folder on the service is excluded by line 1 of .gitignore"],
    ]);
    mirror.remove(".gitignore");
    await settle(mirror);
    expect(mirror.texts()).toEqual(rig.app.texts());
  });
});
