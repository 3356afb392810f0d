import { describe, expect, it } from "vitest";
import { TextBeside } from "../../src/contract/wire.ts";
import { syncToConvergence } from "../../src/engine/run/sync.ts";
import type { World } from "../../src/engine/run/world.ts";
import { LocalDisk } from "../../src/local/disk.ts";
import type { PackedText } from "../../src/contract/packed-text.ts";
import { digestOf } from "../../src/model/digest.ts";
import type { Answer, ServedFile } from "../../src/ports/remote.ts";
import { packed } from "../remote/take-batch.ts";
import { MakesInTurn } from "../simulator/make-in-turn.ts";
import { ROOT, SETTINGS } from "../simulator/mirror.ts";
import { createRig } from "../simulator/rig.ts";

/** Texts of a clone that come packed, and are handed on as they came. */

const TEXT = "größer, and so on; ".repeat(60);
const PATHS = ["a.md", "sub/b.md", "sub/c.md", "sub/d.md"];
const SYNC = { settings: SETTINGS, retryRefused: false, kind: "sync" } as const;

const damaged = (text: PackedText): PackedText => ({ ...text, bytes: Buffer.alloc(text.bytes.length) });

/** @param came what becomes of a packed text on its way */
function ground(
  { aside, came }: { readonly aside: boolean; readonly came: (text: PackedText) => PackedText },
  paths: readonly string[] = PATHS,
) {
  const rig = createRig(1);
  const mirror = rig.mirror();
  for (const path of paths) rig.app.create(path, `${path} ${TEXT}`);
  const world = mirror.world();
  const { remote, random } = world;
  const served: string[] = [];
  remote.getServed = async (id) => {
    served.push(id);
    const answer = await remote.getFile(id);
    if (!answer.ok) return answer;
    const content = new TextBeside(came(packed(answer.value.content)));
    return { ...answer, value: { ...answer.value, content } };
  };
  remote.getAllServed = (ids) => Promise.all(ids.map((id) => remote.getServed(id)));
  const disk = new LocalDisk(mirror.disk, ROOT, {
    random,
    aside: aside ? new MakesInTurn(mirror.disk, ROOT, random) : null,
  });
  return { rig, mirror, served, world: { ...world, disk, leastTogether: 2 } satisfies World };
}

describe.each([true, false])("a clone whose texts come packed, with a thread for new files: %s", (aside) => {
  it("I25 has each of them, and its store too", async () => {
    const { mirror, served, world } = ground({ aside, came: (text) => text });
    expect((await syncToConvergence(world, SYNC)).state).toBe("in-sync");
    expect(served).toHaveLength(PATHS.length);
    for (const [path, text] of mirror.texts()) expect(text).toBe(`${path} ${TEXT}`);
    for (const { digest, localPath } of mirror.state.load().links.values())
      expect(mirror.state.text(digest)).toBe(`${localPath} ${TEXT}`);
    expect(mirror.texts().size).toBe(PATHS.length);
  });

  it("I05 reads one again that came damaged, and makes no file of what it is not", async () => {
    const { mirror, world } = ground({ aside, came: damaged });
    expect((await syncToConvergence(world, SYNC)).state).toBe("in-sync");
    expect([...mirror.texts()]).toEqual(PATHS.map((path) => [path, `${path} ${TEXT}`]));
    for (const { digest, localPath } of mirror.state.load().links.values())
      expect(mirror.state.text(digest)).toBe(`${localPath} ${TEXT}`);
  });
});

const told = ({ mirror }: ReturnType<typeof ground>, path: string) =>
  mirror.state.events({ limit: 50 }).find((event) => event.path === path && event.kind === "fault")?.detail ?? null;

/** Not the first sync, which has read some of them by then. */
async function later() {
  const at = ground({ aside: true, came: (text) => text }, []);
  at.rig.app.create("k.md", "k\n");
  await syncToConvergence(at.world, SYNC);
  for (const path of PATHS) at.rig.app.create(path, `${path} ${TEXT}`);
  return at;
}

describe("one of several new files that are made together", () => {
  it("I17 that was moved meanwhile, is gone or cannot be read keeps none of the others from their files", async () => {
    const at = await later();
    const { rig, world, mirror } = at;
    const ids = new Map([...rig.app.files().values()].map(({ path, id }) => [path, id]));
    const { getAllServed } = world.remote;
    let asked = 0;
    world.remote.getAllServed = async (wanted) => {
      if (asked++ === 0) {
        rig.app.rename("sub/b.md", "moved.md");
        rig.app.remove("sub/c.md");
      }
      return getAllServed.call(world.remote, wanted);
    };
    expect((await syncToConvergence(world, SYNC)).state).toBe("in-sync");
    expect([...mirror.texts().keys()].toSorted()).toEqual(["a.md", "k.md", "sub/d.md", "sub/moved.md"]);
    expect(rig.app.files().get("sub/moved.md")!.id).toBe(ids.get("sub/b.md"));
  });

  it("I05 at whose path something is by then leaves that, and its text is in the store", async () => {
    const at = await later();
    const { world, mirror } = at;
    const { getAllServed } = world.remote;
    world.remote.getAllServed = async (wanted) => {
      const answers = await getAllServed.call(world.remote, wanted);
      mirror.write("sub/c.md", "mine\n");
      return answers;
    };
    await syncToConvergence(world, SYNC);
    expect(mirror.texts().get("sub/c.md")).toBe("mine\n");
    expect(mirror.texts().get("sub/d.md")).toBe(`sub/d.md ${TEXT}`);
    expect(mirror.state.hasText(digestOf(`sub/c.md ${TEXT}`))).toBe(true);
  });

  it("I25 that no file can hold is held, and told once", async () => {
    const at = await later();
    const { world, mirror, rig } = at;
    const { id } = rig.app.files().get("sub/c.md")!;
    const { getAllServed } = world.remote;
    const half = (answer: Answer<ServedFile>) =>
      answer.ok && answer.value.id === id ? { ...answer, value: { ...answer.value, content: "half \ud800" } } : answer;
    world.remote.getAllServed = async (wanted) => (await getAllServed.call(world.remote, wanted)).map(half);
    world.remote.getServed = async (one) => half(await world.remote.getFile(one));
    expect((await syncToConvergence(world, SYNC)).attention).toMatchObject([
      { path: "sub/c.md", kind: "remote-text-unfit" },
    ]);
    expect(told(at, "sub/c.md")).toContain("half a surrogate pair");
    expect(mirror.texts().size).toBe(PATHS.length);
  });
});
