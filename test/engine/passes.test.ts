import { expect, test } from "vitest";
import { observeRemote, observeLocalAsync } from "../../src/mirror/engine/observe/observe.ts";
import { createRig } from "../simulator/rig.ts";
import { syncToConvergence } from "../../src/mirror/engine/run/sync.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import { CONCURRENCY } from "../../src/mirror/remote/queue.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { storeLocalContents } from "../../src/mirror/engine/apply/text-name.ts";
import type { ChangeId } from "../../src/contract/ids.ts";
import { createLocal } from "../../src/mirror/engine/apply/create-local.ts";
import { CycleContext } from "../../src/mirror/engine/run/cycle-context.ts";

test("I20 the document that is read to prove the key is in the observation once, beside one that is gone", async () => {
  const rig = createRig(50);
  const ids = ["a.md", "b.md", "c.md", "d.md"].map((path) => rig.app.create(path, path));
  const mirror = rig.mirror();
  await mirror.sync();
  rig.app.edit("a.md", "edited");
  rig.app.remove("d.md");
  const world = mirror.world();
  const { kind, ...look } = await observeRemote(world, world.state.load(), false);
  const { files, gone } = ("tree" in look && look.tree) || { files: new Map(), gone: new Set() };
  expect([kind, files.size, [...files.keys()].sort(), [...gone]]).toEqual([
    "seen",
    3,
    ids.slice(0, 3).sort(),
    ids.slice(3),
  ]);
});

test("I01 a document that is gone on the service is not taken for one that rests, beside one that changed", async () => {
  const rig = createRig(51);
  for (const path of ["a.md", "b.md", "c.md", "d.md"]) rig.app.create(path, path);
  const mirror = rig.mirror();
  // In the second one each file is read again, and its stamp is trusted from then on.
  await mirror.sync();
  mirror.disk.advance(5_000);
  await mirror.sync();
  rig.app.edit("a.md", "edited");
  rig.app.remove("d.md");
  const report = await mirror.sync();
  expect([report!.state, report!.counts.deletedLocal, [...mirror.texts().keys()].sort()]).toEqual([
    "in-sync",
    1,
    ["a.md", "b.md", "c.md"],
  ]);
});

test("I33 contents in flight fill the service's request limit, and hardly exceed it", async () => {
  const mirror = createRig(5).mirror({});
  for (let n = 0; n < 500; n++) mirror.write(`${n}.md`, `text ${n}\n`);
  const world = mirror.world();
  const { remote, clock } = world;
  let [waiting, most] = [0, 0];
  const createFile: Remote["createFile"] = async (...file) => {
    most = Math.max(most, ++waiting);
    await clock.sleep(1_000);
    waiting--;
    return remote.createFile(...file);
  };
  const slow = new Proxy(remote, {
    get(of, name) {
      const member: unknown = name === "createFile" ? createFile : Reflect.get(of, name, of);
      return typeof member === "function" ? (member.bind(of) as unknown) : member;
    },
  });
  await syncToConvergence({ ...world, remote: slow }, { settings: SETTINGS, retryRefused: true, kind: "sync" });
  expect(most).toBeGreaterThanOrEqual(CONCURRENCY.most);
  expect(most).toBeLessThanOrEqual(CONCURRENCY.most + 8);
});

test("a scan of the folder reports between its parts how many files it has read", async () => {
  const mirror = createRig(1).mirror({});
  for (let n = 0; n < 1_500; n++) mirror.write(`${n % 30}/${n}.md`, `text ${n}\n`);
  const world = mirror.world();
  const base = world.state.load();
  const calls: (readonly [number, number | null])[] = [];
  const report = (_: string, done: number, total: number | null) => calls.push([done, total]);
  const turns = async () => undefined;
  await observeLocalAsync({ ...world, progress: { report } }, base, true, storeLocalContents(world.state, base), turns);
  expect(calls[0]).toEqual([0, null]);
  expect(calls.at(-1)).toEqual([1_500, 1_500]);
  const between = calls.slice(1, -1);
  expect(between.length).toBeGreaterThan(0);
  for (const [index, [done, total]] of between.entries()) {
    expect(total).toBeNull();
    expect(done).toBeGreaterThan(calls[index]![0]);
  }
});

test("I12 a new file that is made outside of a plan has its base when its effect ends", async () => {
  const rig = createRig(11);
  const id = rig.app.create("a.md", "text\n");
  const world = rig.mirror({}).world();
  const ctx = new CycleContext(world, { run: { number: 1 }, settings: SETTINGS });
  const others = Promise.withResolvers<void>();
  const running = ctx.group.during(() => others.promise);
  const outcome = await createLocal(ctx, {
    kind: "create-local",
    why: "a manual change",
    id,
    localPath: "a.md",
    remotePath: "a.md",
    changeId: rig.app.files().get("a.md")!.changeId as ChangeId,
  });
  expect([outcome.kind, world.state.link(id)?.localPath]).toEqual(["done", "a.md"]);
  others.resolve();
  await running;
});
