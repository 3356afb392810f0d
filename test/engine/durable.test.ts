import { describe, expect, test } from "vitest";
import { flushEarlier } from "../../src/mirror/engine/apply/durability.ts";
import { walkAll } from "../local/benches.ts";
import type { Mirror } from "../simulator/mirror.ts";
import type { RamDisk } from "../simulator/ram-disk.ts";
import { openSynced } from "../promises/fixture.ts";

/** Above this number, new files are not flushed one by one at the end of a cycle. */
const MANY = 70;

function waiting({ state }: Mirror): number {
  return [...state.load().records.values()].filter(({ durable }) => !durable).length;
}

/** Clones some documents. Returns a mirror whose new files are not flushed yet. */
async function clone(count: number): Promise<{ readonly mirror: Mirror; readonly calls: string[] }> {
  const documents = Array.from({ length: count }, (_, n) => [`area/n${n}.md`, `text ${n}`]);
  const { mirror } = await openSynced(Object.fromEntries(documents));
  const calls: string[] = [];
  const { disk } = mirror;
  const [sync, syncDisk] = [disk.sync.bind(disk), disk.syncDisk!.bind(disk)];
  disk.sync = (path) => {
    calls.push(path);
    return sync(path);
  };
  disk.syncDisk = (path) => {
    calls.push("all");
    return syncDisk(path);
  };
  return { mirror, calls };
}

describe("new files that earlier cycles left", () => {
  test("I13 very many are brought to the medium by one call, and survive a power cut that follows", async () => {
    const { mirror, calls } = await clone(MANY);
    expect(waiting(mirror)).toBe(MANY);
    await mirror.sync();
    expect(calls).toEqual(["all"]);
    expect(waiting(mirror)).toBe(0);
    const before = mirror.texts();
    mirror.disk.losePower(() => 0);
    expect(mirror.texts()).toEqual(before);
    expect(before.size).toBe(MANY);
    await mirror.sync();
    expect(calls).toEqual(["all"]);
  });

  test.each([
    ["a disk that does not do so", (disk: RamDisk) => void Object.assign(disk, { syncDisk: async () => false })],
    ["a system without such a call", (disk: RamDisk) => void delete disk.syncDisk],
    [
      "a disk that cannot be asked now",
      (disk: RamDisk) => void disk.fail({ call: "syncDisk", path: null, code: "EIO" }),
    ],
  ])("I13 %s has each of them fsynced", async (_what, lacks) => {
    const { mirror, calls } = await clone(MANY);
    lacks(mirror.disk);
    await mirror.sync();
    expect(calls.filter((path) => path.endsWith(".md"))).toHaveLength(MANY);
    expect(waiting(mirror)).toBe(0);
  });

  test("I13 a file that is gone meanwhile is not called durable", async () => {
    const { mirror } = await clone(MANY);
    mirror.remove("area/n3.md");
    const world = mirror.world();
    const base = world.state.load();
    await flushEarlier(world, base, walkAll(world.disk));
    expect(
      [...mirror.state.load().records.values()].filter(({ durable }) => !durable).map(({ localPath }) => localPath),
    ).toEqual(["area/n3.md"]);
  });
});
