import { expect, test } from "vitest";
import { createRig, type Rig } from "../../simulator/rig.ts";
import type { Mirror } from "../../simulator/mirror.ts";

const HERE = { links: true } as const;

async function begin(): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(1);
  const mirror = rig.mirror(HERE);
  mirror.write("a.md", "[b](b.md) [c](sub/c.md)\n");
  mirror.write("b.md", "[a](a.md)\n");
  mirror.write("sub/c.md", "[b](../b.md)\n");
  await mirror.sync();
  return { rig, mirror };
}

/** Moves the one document here, the other there. */
function moveAway(rig: Rig, mirror: Mirror): void {
  mirror.disk.user.makeFolder(mirror.path("deep"));
  mirror.disk.user.rename(mirror.path("b.md"), mirror.path("deep/d.md"));
  mirror.disk.advance(10);
  rig.app.renameFolder("sub", "under");
}

const AFTER = new Map([
  ["a.md", "[b](deep/d.md) [c](under/c.md)\n"],
  ["deep/d.md", "[a](../a.md)\n"],
  ["under/c.md", "[b](../deep/d.md)\n"],
]);

test("killed at any call while links are written anew, the next runs bring each home, and send nothing (I13, I10)", async () => {
  const first = await begin();
  const [rigThen, mirrorThen] = [first.rig.copy(), first.mirror.copy()];
  moveAway(first.rig, first.mirror);
  await first.mirror.sync();
  expect(first.mirror.texts()).toEqual(AFTER);
  const calls = first.mirror.calls();
  expect(calls).toBeGreaterThan(50);
  for (let kill = 1; kill <= calls; kill += 3) {
    const rig = createRig(1, {}, undefined, rigThen);
    const mirror = rig.mirror(HERE, mirrorThen);
    moveAway(rig, mirror);
    mirror.requests.length = 0;
    mirror.killAt(kill);
    await mirror.sync();
    for (const [path, text] of mirror.texts()) expect(text, `${kill} ${path}`).toMatch(/^(\[[a-c]\]\([^)]+\) ?)+\n$/);
    await mirror.sync();
    await mirror.sync();
    expect(mirror.texts(), `killed at call ${kill}`).toEqual(AFTER);
    expect(
      mirror.requests.filter((request) => /^(?:PUT|DELETE|POST .*files)/.test(request)),
      `${kill}`,
    ).toEqual([]);
  }
});

test("an edit that is saved while a file's links are written anew survives, with its links (I14)", async () => {
  const { rig, mirror } = await begin();
  const open = mirror.disk.user.open(mirror.path("a.md"));
  rig.app.rename("b.md", "d.md");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("[b](d.md) [c](sub/c.md)\n");
  open.write("[b](b.md) [c](sub/c.md) saved late\n");
  await mirror.sync();
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("[b](d.md) [c](sub/c.md) saved late\n");
  expect(rig.app.files().get("a.md")!.text).toBe(
    `[b](${rig.app.files().get("d.md")!.id}) [c](${rig.app.files().get("sub/c.md")!.id}) saved late\n`,
  );
});

test("killed at any call of a clone, and a target is moved there: no file is in conflict, and each link leads home (I13)", async () => {
  const fill = (rig: Rig): void => {
    const b = rig.app.create("sub/b.md", "b\n");
    const a = rig.app.create("a.md", `[b](${b})\n`);
    rig.app.create("c.md", `[a](${a}) [b](${b}#part)\n`);
  };
  const first = createRig(1);
  fill(first);
  const rigThen = first.copy();
  const clone = first.mirror(HERE);
  await clone.sync();
  const calls = clone.calls();
  expect(clone.texts().get("c.md")).toBe("[a](a.md) [b](sub/b.md#part)\n");
  for (let kill = 1; kill <= calls; kill += 2) {
    const rig = createRig(1, {}, undefined, rigThen);
    const mirror = rig.mirror(HERE);
    mirror.killAt(kill);
    await mirror.sync();
    rig.app.renameFolder("sub", "under");
    const report = await mirror.sync();
    expect(report!.counts, `killed at call ${kill}`).toMatchObject({ conflicts: 0, uploaded: 0 });
    await mirror.sync();
    // A file without a link whose document went elsewhere is a new one, and may stand beside it.
    const texts = mirror.texts();
    texts.delete("sub/b.md");
    expect(texts, `killed at call ${kill}`).toEqual(
      new Map([
        ["a.md", "[b](under/b.md)\n"],
        ["c.md", "[a](a.md) [b](under/b.md#part)\n"],
        ["under/b.md", "b\n"],
      ]),
    );
  }
});

test("killed at any call of a clone, and a text is saved anew before its targets came: its links go up by id (I13)", async () => {
  const first = createRig(1);
  const b = first.app.create("sub/b.md", "b\n");
  const c = first.app.create("sub/c.md", "c\n");
  first.app.create("a.md", `[b](${b}) [c](${c})\n`);
  const rigThen = first.copy();
  const clone = first.mirror(HERE);
  await clone.sync();
  const calls = clone.calls();
  let [before, between] = [0, 0];
  for (let kill = 1; kill <= calls; kill += 2) {
    const rig = createRig(1, {}, undefined, rigThen);
    const mirror = rig.mirror(HERE);
    mirror.killAt(kill);
    await mirror.sync();
    const here = mirror.texts();
    // Until it is linked, what stands there is another new document, and in conflict.
    if (mirror.state.linksAt("a.md").length === 0) continue;
    mirror.disk.user.saveAtomically(mirror.path("a.md"), `${here.get("a.md")}more\n`);
    mirror.disk.advance(10);
    rig.app.renameFolder("sub", "under");
    rig.app.remove("under/c.md");
    await mirror.sync();
    const there = rig.app.files().get("a.md")!;
    if (here.has("sub/b.md")) between++;
    else before++;
    expect(there.text, `killed at call ${kill}`).toBe(`[b](${b}) [c](ref://sub/c.md)\nmore\n`);
    expect(mirror.texts().get("a.md"), `killed at call ${kill}`).toBe("[b](under/b.md) [c](sub/c.md)\nmore\n");
  }
  expect(before).toBeGreaterThan(1);
  expect(between).toBeGreaterThan(10);
});
