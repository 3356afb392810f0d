import { describe, expect, it } from "vitest";
import { TextBeside } from "../../src/contract/wire.ts";
import { syncToConvergence } from "../../src/engine/run/sync.ts";
import type { World } from "../../src/engine/run/world.ts";
import { LocalDisk } from "../../src/local/disk.ts";
import type { PackedText } from "../../src/contract/packed-text.ts";
import { packed } from "../remote/take-batch.ts";
import { MakesInTurn } from "../simulator/make-in-turn.ts";
import { ROOT, SETTINGS } from "../simulator/mirror.ts";
import { createRig } from "../simulator/rig.ts";

/** Texts of a clone that come packed, and are handed on as they came. */

const TEXT = "größer, and so on; ".repeat(60);
const SYNC = { settings: SETTINGS, retryRefused: false, kind: "sync" } as const;

const damaged = (text: PackedText): PackedText => ({ ...text, bytes: Buffer.alloc(text.bytes.length) });

/** @param came what becomes of a packed text on its way */
function ground({ aside, came }: { readonly aside: boolean; readonly came: (text: PackedText) => PackedText }) {
  const rig = createRig(1);
  const mirror = rig.mirror();
  for (const path of ["a.md", "sub/b.md"]) rig.app.create(path, `${path} ${TEXT}`);
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
  const disk = new LocalDisk(mirror.disk, ROOT, {
    random,
    aside: aside ? new MakesInTurn(mirror.disk, ROOT, random) : null,
  });
  return { rig, mirror, served, world: { ...world, disk } satisfies World };
}

describe.each([true, false])("a clone whose texts come packed, with a thread for new files: %s", (aside) => {
  it("I25 has each of them, and its store too", async () => {
    const { mirror, served, world } = ground({ aside, came: (text) => text });
    expect((await syncToConvergence(world, SYNC)).state).toBe("in-sync");
    expect(served).toHaveLength(2);
    for (const [path, text] of mirror.texts()) expect(text).toBe(`${path} ${TEXT}`);
    for (const { digest, localPath } of mirror.state.load().links.values())
      expect(mirror.state.text(digest)).toBe(`${localPath} ${TEXT}`);
    expect(mirror.texts().size).toBe(2);
  });

  it("I05 reads one again that came damaged, and makes no file of what it is not", async () => {
    const { mirror, world } = ground({ aside, came: damaged });
    expect((await syncToConvergence(world, SYNC)).state).toBe("in-sync");
    expect([...mirror.texts()]).toEqual(["a.md", "sub/b.md"].map((path) => [path, `${path} ${TEXT}`]));
    for (const { digest, localPath } of mirror.state.load().links.values())
      expect(mirror.state.text(digest)).toBe(`${localPath} ${TEXT}`);
  });
});
