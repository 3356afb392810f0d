import type { PackedText } from "../../src/contract/packed-text.ts";
import { expect, test } from "vitest";
import { PackAhead } from "../../src/engine/observe/pack-ahead.ts";
import { observeLocalInTurns } from "../../src/engine/observe/observe.ts";
import { digestOf } from "../../src/model/digest.ts";
import type { TextPacker } from "../../src/ports/text-packer.ts";
import { encodeText } from "../../src/state/text-codec.ts";
import { createRig } from "../simulator/rig.ts";

const FILES = 900;

/** Takes every second text, and hands them back when it is asked. */
class SlowPacker implements TextPacker {
  readonly #waiting: (() => void)[] = [];
  #offered = 0;

  put(text: string, done: (text: string | PackedText) => void): boolean {
    if (this.#offered++ % 2 === 0) return false;
    this.#waiting.push(() => done(this.#waiting.length % 2 === 0 ? text : encodeText(text)));
    return true;
  }

  deliver(): void {
    while (this.#waiting.length > 0) this.#waiting.pop()!();
  }

  async end(): Promise<void> {
    this.deliver();
  }
}

function setUp() {
  const mirror = createRig(1).mirror({});
  for (let n = 0; n < FILES; n++) mirror.write(`${n % 30}/${n}.md`, `text ${n}\n`);
  return { world: mirror.world(), packer: new SlowPacker() };
}

function look({ world, packer }: ReturnType<typeof setUp>, turn: () => Promise<void>) {
  const base = world.state.load();
  const ahead = new PackAhead(world.state, packer, base);
  return ahead.during((take) => observeLocalInTurns(world, base, true, take, turn));
}

function storedIn({ world: { state } }: ReturnType<typeof setUp>) {
  return EACH.map((text) => state.text(digestOf(text)));
}

const EACH = Array.from({ length: FILES }, (_, n) => `text ${n}\n`);

test("I03 all texts of a look are in the store when it ends, whenever they are packed", async () => {
  for (const deliversMeanwhile of [true, false]) {
    const all = setUp();
    const tree = await look(all, async () => {
      if (deliversMeanwhile) all.packer.deliver();
    });
    expect([tree.files.size, storedIn(all)]).toEqual([FILES, EACH]);
  }
});

test("I03 what a walk has read by then is stored when it breaks off", async () => {
  const all = setUp();
  let turns = 0;
  const walk = look(all, async () => {
    if (++turns === 3) throw new Error("cut off");
  });
  await expect(walk).rejects.toThrow("cut off");
  const kept = storedIn(all).filter((text) => text !== null);
  expect(kept.length).toBeGreaterThan(FILES / 4);
  expect(kept.length).toBeLessThan(FILES);
});

test("texts that are packed are found by the path that they were seen at", async () => {
  const all = setUp();
  await look(all, async () => undefined);
  const { state } = all.world;
  expect(state.sightings({ path: "1/1.md" })).toMatchObject([{ path: "1/1.md", side: "local" }]);
  expect(state.sightings({}).length).toBe(FILES);
});
