import { expect, test } from "vitest";
import { toRemoteFile } from "../../../src/mirror/model/left-out.ts";
import type { LinkedDisk } from "../../../src/mirror/engine/links/linked-disk.ts";
import { MirrorLinks } from "../../../src/mirror/engine/links/mirror-links.ts";
import type { Digest } from "../../../src/contract/digest.ts";
import type { Disk } from "../../../src/mirror/ports/disk.ts";
import { killAtEachCall, type Moment, type Pair } from "../../simulator/moment.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";
import type { Mirror, MirrorCopy } from "../../simulator/mirror.ts";
import { POLICY } from "../../planner/table.ts";
import { start, syncThree, syncWith } from "./linked-rig.ts";

const HERE = { links: true } as const;
const open = (beginning: Moment) => beginning.open({}, HERE);

async function begin(): Promise<{ rig: Rig; mirror: Mirror }> {
  const { rig, mirror } = start();
  mirror.write("a.md", "[b](b.md) [c](sub/c.md)\n");
  mirror.write("b.md", "[a](a.md)\n");
  mirror.write("sub/c.md", "[b](../b.md)\n");
  await mirror.sync();
  return { rig, mirror };
}

/** Moves one document locally, and the folder of another on the service. */
function moveAway(rig: Rig, mirror: Mirror): void {
  mirror.disk.user.makeFolder(mirror.path("deep"));
  mirror.rename("b.md", "deep/d.md");
  mirror.disk.advance(10);
  rig.app.renameFolder("sub", "under");
}

const AFTER = new Map([
  ["a.md", "[b](deep/d.md) [c](under/c.md)\n"],
  ["deep/d.md", "[a](../a.md)\n"],
  ["under/c.md", "[b](../deep/d.md)\n"],
]);

test("killed at any call while links are rewritten, the next runs correct each link, and send nothing (I13, I10)", async () => {
  const first = await begin();
  moveAway(first.rig, first.mirror);
  first.mirror.requests.length = 0;
  const kills = await killAtEachCall(first, {
    open,
    async judge({ mirror }, kill) {
      for (const [path, text] of mirror.texts()) expect(text, `${kill} ${path}`).toMatch(/^(\[[a-c]\]\([^)]+\) ?)+\n$/);
      await mirror.syncTimes(2);
      expect(mirror.texts(), `killed at call ${kill}`).toEqual(AFTER);
      const sent = mirror.requests.filter((request) => /^(?:PUT|DELETE|POST .*files)/.test(request));
      expect(sent, `killed at call ${kill}`).toEqual([]);
    },
  });
  expect(kills).toBeGreaterThan(20);
});

test("killed at any call of a clone while a target moves on the service: no file is in conflict, and each link has its target (I13)", async () => {
  const first = createRig(1);
  const b = first.app.create("sub/b.md", "b\n");
  const a = first.app.create("a.md", `[b](${b})\n`);
  first.app.create("c.md", `[a](${a}) [b](${b}#part)\n`);
  const after = {
    "a.md": "[b](under/b.md)\n",
    "c.md": "[a](a.md) [b](under/b.md#part)\n",
    "under/b.md": "b\n",
  };
  await killAtEachCall(
    { rig: first, mirror: first.mirror(HERE) },
    {
      open,
      async judge({ rig, mirror }, kill) {
        rig.app.renameFolder("sub", "under");
        const report = await mirror.sync();
        expect(report!.counts, `killed at call ${kill}`).toMatchObject({ conflicts: 0, uploaded: 0 });
        await mirror.sync();
        // The file at the old path has no record after the kill, and its document has moved. So it
        // counts as a new document.
        const { "sub/b.md": _, ...texts } = Object.fromEntries(mirror.texts());
        expect(texts, `killed at call ${kill}`).toEqual(after);
      },
    },
  );
});

/**
 * A power cut may take everything from the state that was not flushed, but leave what was written
 * to files. These files then contain links by paths that the state does not know.
 */

async function beginWith(fill: (rig: Rig) => void): Promise<Pair> {
  const rig = createRig(1);
  fill(rig);
  const mirror = rig.mirror(HERE);
  await mirror.sync();
  return { rig, mirror };
}

type Cut = Pair & { readonly after: string };

/**
 * Cuts the power of a sync at each of its calls, and calls `judge` with both sides after each
 * restart.
 */
async function cutAtEachCall(start: Pair, judge: (cut: Cut) => Promise<void>): Promise<void> {
  const cuts = await killAtEachCall(start, {
    open: (beginning) => beginning.open({}, HERE),
    async judge({ rig, mirror }, call, lived) {
      if (lived) return;
      const restarted = rig.mirror(HERE, mirror.copyAfterPowerCut());
      restarted.requests.length = 0;
      await judge({ rig, mirror: restarted, after: `power cut at call ${call}` });
    },
  });
  expect(cuts).toBeGreaterThan(15);
}

/** Expects these files after two syncs, and that nothing was sent. */
async function expectHome({ mirror, after }: Cut, files: readonly (readonly [path: string, text: string])[]) {
  await mirror.syncTimes(2);
  expect(mirror.texts(), after).toEqual(new Map(files));
  expect(mirror.writes(), after).toEqual([]);
}

test("power is cut at any call while links are rewritten, and their target is moved again: each leads to it, and nothing is sent (I13)", async () => {
  const start = await beginWith((rig) => {
    const c = rig.app.create("sub/c.md", "# Travel\n");
    const a = rig.app.create("a.md", `[c](${c})\n`);
    rig.app.edit("sub/c.md", `# Travel\n\n[a](${a})\n`);
  });
  start.rig.app.renameFolder("sub", "under");
  await cutAtEachCall(start, async (cut) => {
    const { rig } = cut;
    rig.app.rename("under/c.md", "e.md");
    rig.app.renameFolder("under", "over");
    await expectHome(cut, [
      ["a.md", "[c](over/e.md)\n"],
      ["over/e.md", "# Travel\n\n[a](../a.md)\n"],
    ]);
  });
});

test.each([
  ["a folder", "box/a.md", "deep/box/a.md"],
  ["a file", "a.md", "deep/a.md"],
])("power is cut at any call while %s is moved: an edit on the service arrives (I13)", async (what, from, to) => {
  const start = await beginWith((rig) => {
    const b = rig.app.create("b.md", "b\n");
    rig.app.create(from, `[b](${b})\n`);
    rig.app.makeFolder("deep");
  });
  // mdmirror does not read files again that are older than its last scan.
  start.mirror.disk.advance(5_000);
  await start.mirror.sync();
  const b = start.rig.app.id("b.md")!;
  if (what === "a folder") start.rig.app.moveFolder("box", "deep");
  else start.rig.app.move(from, "deep");
  await cutAtEachCall(start, async (cut) => {
    await cut.mirror.sync();
    cut.rig.app.edit(to, `[b](${b})\n\nand more\n`);
    await expectHome(cut, [
      ["b.md", "b\n"],
      [to, `[b](${what === "a folder" ? "../../" : "../"}b.md)\n\nand more\n`],
    ]);
  });
});

test("power is cut at any call while a file is replaced, and its targets change places: its old bytes are no edit (I13)", async () => {
  const start = await beginWith((rig) => {
    const [b, c] = [rig.app.create("b.md", "b\n"), rig.app.create("c.md", "of c\n")];
    rig.app.create("a.md", `[b](${b}) [c](${c})\n`);
  });
  const [b, c] = ["b.md", "c.md"].map((path) => start.rig.app.id(path)!);
  start.rig.app.edit("a.md", `[b](${b}) [c](${c})\n\nand more\n`);
  await cutAtEachCall(start, async (cut) => {
    const { app } = cut.rig;
    app.rename("b.md", "d.md");
    app.rename("c.md", "b.md");
    app.rename("d.md", "c.md");
    await expectHome(cut, [
      ["a.md", "[b](c.md) [c](b.md)\n\nand more\n"],
      ["b.md", "of c\n"],
      ["c.md", "b\n"],
    ]);
  });
});

function move(mirror: Mirror, from: string, to: string): void {
  mirror.rename(from, to);
  mirror.disk.advance(10);
}

/**
 * Syncs two documents in two folders that link each other and a third one. Then the two exchange
 * their paths.
 */
async function exchanged() {
  const { rig, mirror } = await syncThree();
  const ids = ["a.md", "sub/b.md"].map((path) => rig.app.id(path)!);
  move(mirror, "a.md", "aside.tmp");
  move(mirror, "sub/b.md", "a.md");
  move(mirror, "aside.tmp", "sub/b.md");
  return { ids, rig: rig.copy(), mirror: mirror.copy() };
}

const ignore = (): void => undefined;

type Copies = { readonly rig: Parameters<typeof createRig>[3]; readonly mirror: MirrorCopy };

function again(copies: Copies) {
  const rig = createRig(1, {}, undefined, copies.rig);
  return { rig, mirror: rig.mirror(HERE, copies.mirror) };
}

test("a document that is moved while a sync scans, at any call of the disk, keeps its id, and its links lead to their targets (I09, I04)", async () => {
  const { ids, ...copies } = await exchanged();
  const calls = await syncWith(again(copies).mirror, () => undefined);
  expect(calls).toBeGreaterThan(60);
  // The scan is at call 24; the later calls rewrite the links and set the file aside.
  for (let at = 24; at <= 60; at++) {
    const { rig, mirror } = again(copies);
    await syncWith(mirror, (call) => {
      if (call === at) move(mirror, "sub/b.md", "d.md");
    });
    await mirror.sync();
    const there = new Map([...rig.app.files()].map(([path, { id }]) => [id, path]));
    expect([there.get(ids[0]!), there.get(ids[1]!)], `moved at call ${at}`).toEqual(["d.md", "a.md"]);
    expect(mirror.texts().get("d.md"), `moved at call ${at}`).toContain("[b](a.md) [c](c.md)");
    expect(mirror.texts().get("a.md"), `moved at call ${at}`).toContain("[c](c.md) [a](d.md)");
  }
});

test("a file that is replaced between the walk and the reading of its links is not scanned, and nothing counts as absent (I04)", async () => {
  const { mirror, rig } = await exchanged();
  const { state, disk } = again({ mirror, rig }).mirror.world();
  const { plain } = disk as LinkedDisk;
  let hasWalked = false;
  const moving: Disk = Object.assign(Object.create(plain) as Disk, {
    walk: (...asked: Parameters<Disk["walk"]>) => plain.walk(...asked),
    read: (path: string) =>
      hasWalked && path === "a.md" ? { kind: "stale", detail: "it went away" } : plain.read(path),
  });
  const links = new MirrorLinks({ state, disk: moving, scope: { prefix: "", wiki: false }, mayStore: true });
  const local = { ...links.disk.walk(() => null, ignore), inodesTrusted: true };
  hasWalked = true;
  const base = state.load();
  const listed = new Map([...base.records].map(([id, record]) => [id, toRemoteFile(record)]));
  const nothing = { folders: new Map(), unseen: new Map(), gone: new Set<never>(), goneFolders: new Set<never>() };
  const remote = { files: listed, complete: true, foldersComplete: true, outside: new Set<never>(), ...nothing };
  const trees = { base, local, remote };
  const matching = { policy: POLICY, texts: (digest: Digest) => state.text(digest) };
  const { files, unseen } = links.read(trees, matching, ignore, true);
  expect([...files.keys()]).toEqual(["c.md", "sub/b.md"]);
  expect([...unseen.keys()]).toEqual([""]);
});
