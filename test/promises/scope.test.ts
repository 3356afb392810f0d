import { describe, expect, test } from "vitest";
import { syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import type { Settings } from "../../src/mirror/engine/run/world.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { type Fixture, remoteTexts, type Seen, settle, openSynced } from "./fixture.ts";

const DOCUMENTS = 12;

const inSync = () =>
  openSynced(Object.fromEntries(Array.from({ length: DOCUMENTS }, (_, n) => [`d${n % 3}/n${n}.md`, `note ${n}\n`])));

function deletes(seen: readonly Seen[]): string[] {
  return seen.flatMap(({ method, path }) => (method === "DELETE" ? [path] : []));
}

/** Nothing went on either side, and nothing went up. */
function expectNothingGone(
  fixture: Fixture,
  local: ReadonlyMap<string, string>,
  remote: ReadonlyMap<string, string>,
): void {
  expect(deletes(fixture.seen)).toEqual([]);
  const here = fixture.mirror.texts();
  for (const [path, text] of local) expect({ path, here: here.get(path) }).toEqual({ path, here: text });
  expect(remoteTexts(fixture.rig)).toEqual(remote);
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
    const [local, remote] = [mirror.texts(), remoteTexts(rig)];
    const ids = [...mirror.state.load().links.keys()].sort();
    mirror.write(".mdmirrorignore", rules);
    for (let run = 0; run < 3; run++) await mirror.sync();
    expectNothingGone(fixture, local, remote);
    mirror.disk.user.remove(mirror.path(".mdmirrorignore"));
    for (let run = 0; run < 3; run++) await mirror.sync();
    expectNothingGone(fixture, local, remote);
    expect([...mirror.state.load().links.keys()].sort()).toEqual(ids);
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
    const ids = new Set(mirror.state.load().links.keys());
    fixture.seen.length = 0;
    for (let run = 0; run < 3; run++) await mirror.sync(settings);
    expect(deletes(fixture.seen)).toEqual([]);
    expect(mirror.texts().get("A name.md")).toBe("mapped\n");
    expect(remoteTexts(rig).get("A-name.md")).toBe("mapped\n");
    await settle(mirror);
    expect(deletes(fixture.seen)).toEqual([]);
    expect(new Set(mirror.state.load().links.keys())).toEqual(ids);
    expect(mirror.texts().size).toBe(DOCUMENTS + 1);
  });

  test("the folder is moved or copied, with the state: the sync stops, and deletes nothing on either side", async () => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    const { user } = mirror.disk;
    const [local, remote] = [mirror.texts(), remoteTexts(rig)];
    const [root, old] = [mirror.path("x").slice(0, -2), "/home/ann/old"];
    user.rename(root, old);
    // A copy: the same bytes and the same marker in folders and files of their own, half of it
    // missing.
    for (const [path, text] of user.texts(old, true)) {
      if (path.startsWith("d1/")) continue;
      user.makeFolder(`${root}/${path}`.replace(/\/[^/]*$/, ""));
      user.write(`${root}/${path}`, text);
    }
    const report = await mirror.sync();
    expect(report?.state).toBe("stopped");
    expect(report?.safetyStop?.reasons.map(({ reason }) => reason)).toEqual(["root-moved-or-copied"]);
    expect(deletes(fixture.seen)).toEqual([]);
    expect(remoteTexts(rig)).toEqual(remote);
    expect(user.texts(old).size).toBe(local.size);
  });

  test("a narrower linked subtree: documents outside it are deleted neither on the service nor locally", async () => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    const [local, remote] = [mirror.texts(), remoteTexts(rig)];
    // The same folder and state, linked to a part of the workspace.
    for (let run = 0; run < 3; run++) {
      const world = { ...mirror.world(), prefix: "d0" };
      const report = await syncToConvergence(world, { settings: SETTINGS, retryRefused: true, kind: "sync" });
      expect(report.fault).toBeNull();
      mirror.disk.advance(10);
    }
    expect(deletes(fixture.seen)).toEqual([]);
    for (const [path, text] of remote)
      expect({ path, there: remoteTexts(rig).get(path) }).toEqual({ path, there: text });
    const files = [...mirror.disk.user.texts(mirror.path("."), true).values()];
    for (const text of local.values()) expect(files).toContain(text);
    const states = [...mirror.state.load().links.values()].map(({ state }) => state);
    expect(states).toContain("outside");
  });
});
