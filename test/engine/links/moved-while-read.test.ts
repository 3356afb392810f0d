import { expect, test } from "vitest";
import { remoteFileOf } from "../../../src/mirror/model/left-out.ts";
import type { LinkedDisk } from "../../../src/mirror/engine/links/linked-disk.ts";
import { MirrorLinks } from "../../../src/mirror/engine/links/mirror-links.ts";
import { syncToConvergence } from "../../../src/mirror/engine/run/sync.ts";
import type { Digest } from "../../../src/contract/digest.ts";
import type { Disk } from "../../../src/mirror/ports/disk.ts";
import { POLICY } from "../../planner/defaults.ts";
import { type Mirror, type MirrorCopy, SETTINGS } from "../../simulator/mirror.ts";
import { createRig } from "../../simulator/rig.ts";

const HERE = { links: true } as const;

const REFUNDS = "# Refunds\n\n[b](sub/b.md) [c](c.md)\n\nwho is paid back, and when\n";
const TRAVEL = "# Travel\n\n[c](../c.md) [a](../a.md)\n\nwhich trains and which hotels\n";

function move(mirror: Mirror, from: string, to: string): void {
  mirror.disk.user.rename(mirror.path(from), mirror.path(to));
  mirror.disk.advance(10);
}

/** Two documents in two folders that link each other and a third one, and that exchange paths. */
async function exchanged() {
  const rig = createRig(1);
  const mirror = rig.mirror(HERE);
  mirror.write("a.md", REFUNDS);
  mirror.write("c.md", "# Billing\n\n[a](a.md) [b](sub/b.md)\n");
  mirror.write("sub/b.md", TRAVEL);
  await mirror.sync();
  await mirror.sync();
  const ids = ["a.md", "sub/b.md"].map((path) => rig.app.files().get(path)!.id);
  move(mirror, "a.md", "aside.tmp");
  move(mirror, "sub/b.md", "a.md");
  move(mirror, "aside.tmp", "sub/b.md");
  return { ids, rig: rig.copy(), mirror: mirror.copy() };
}

/** @returns how often it called the disk */
async function syncWith(mirror: Mirror, act: (call: number) => void): Promise<number> {
  const world = mirror.world();
  let calls = 0;
  mirror.disk.beforeCall = () => act(++calls);
  await syncToConvergence(world, { settings: SETTINGS, retryRefused: true, kind: "sync" });
  mirror.disk.beforeCall = null;
  mirror.disk.advance(10);
  return calls;
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
  // At this call the folder is scanned; later its links are rewritten, and the file is set aside.
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
  const links = new MirrorLinks({ state, disk: moving, scope: { prefix: "", wiki: false }, keeps: true });
  const local = { ...links.disk.walk(() => null, ignore), inodesTrusted: true };
  hasWalked = true;
  const base = state.load();
  const listed = new Map([...base.links].map(([id, link]) => [id, remoteFileOf(link)]));
  const nothing = { folders: new Map(), unseen: new Map(), gone: new Set<never>(), goneFolders: new Set<never>() };
  const remote = { files: listed, complete: true, foldersComplete: true, outside: new Set<never>(), ...nothing };
  const trees = { base, local, remote };
  const matching = { policy: POLICY, texts: (digest: Digest) => state.text(digest) };
  const { files, unseen } = links.read(trees, matching, ignore, true);
  expect([...files.keys()]).toEqual(["c.md", "sub/b.md"]);
  expect([...unseen.keys()]).toEqual([""]);
});
