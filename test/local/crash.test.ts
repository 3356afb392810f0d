import { describe, expect, it } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import type { Disk } from "../../src/mirror/ports/disk.ts";
import { rollDice } from "../simulator/dice.ts";
import type { RamDisk, RamDiskOptions } from "../simulator/ram-disk.ts";
import { type LocalIntent, recoverLocal } from "../simulator/recover-local.ts";
import { killAt, ramMirror, reopened, ROOT } from "./benches.ts";

const at = (below: string) => `${ROOT}/${below}`;

type Effect = {
  readonly act: (disk: Disk) => { readonly kind: string };
  /** Intent that the caller journals before the effect; null if none is needed. */
  readonly intent: LocalIntent | null;
  /** Files before and after the effect. After a crash and recovery, the tree is one of the two. */
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
};

const EFFECTS: Readonly<Record<string, Effect>> = {
  create: { act: (disk) => disk.create("n.md", "new"), intent: null, before: {}, after: { "n.md": "new" } },
  replace: {
    act: (disk) => disk.replace("n.md", "new", digestOf("old"), "tmp/park"),
    intent: { kind: "replace", path: "n.md", setAsideAt: "tmp/park", expect: digestOf("old"), writes: digestOf("new") },
    before: { "n.md": "old" },
    after: { "n.md": "new" },
  },
  move: {
    act: (disk) => disk.move("n.md", "f/m.md", digestOf("old")),
    intent: { kind: "move", from: "n.md", to: "f/m.md" },
    before: { "n.md": "old" },
    after: { "f/m.md": "old" },
  },
  trash: {
    act: (disk) => disk.trash("n.md", digestOf("old"), "trash/d/n.md"),
    intent: { kind: "trash", path: "n.md", setAsideAt: "trash/d/n.md" },
    before: { "n.md": "old" },
    after: {},
  },
  "move a folder": {
    act: (disk) => disk.moveFolder("g", "f/g"),
    intent: null,
    before: { "g/n.md": "old" },
    after: { "f/g/n.md": "old" },
  },
  "put back": {
    act: (disk) => disk.putBack("tmp/park", "n.md"),
    intent: { kind: "replace", path: "n.md", setAsideAt: "tmp/park", expect: digestOf("old"), writes: digestOf("x") },
    before: { ".mdmirror/tmp/park": "old" },
    after: { "n.md": "old" },
  },
};

function prepare(effect: Effect, options: RamDiskOptions = {}): { ram: RamDisk; disk: Disk } {
  const { ram, disk } = ramMirror(options);
  ram.user.makeFolder(at("f"));
  ram.user.makeFolder(at("g"));
  for (const [path, text] of Object.entries(effect.before)) ram.user.write(at(path), text);
  disk.identify();
  disk.names();
  ram.settle();
  return { ram, disk };
}

/** Recovers like the engine after a start. */
function recover(ram: RamDisk, effect: Effect, kept: string[]): void {
  const disk = reopened(ram);
  const { intent } = effect;
  const settled = intent === null || recoverLocal(disk, intent, (text) => kept.push(text)) === "settled";
  expect(settled).toBe(true);
  disk.sweep(new Set());
}

function expectOneOfBoth(ram: RamDisk, effect: Effect, kept: readonly string[], what: string): void {
  const tree = Object.fromEntries(ram.user.texts(ROOT));
  const before = Object.fromEntries(Object.entries(effect.before).filter(([path]) => !path.startsWith(".mdmirror/")));
  const texts = new Set([...ram.user.texts(ROOT, true).values(), ...kept]);
  expect([JSON.stringify(before), JSON.stringify(effect.after)], what).toContain(JSON.stringify(tree));
  for (const text of Object.values(effect.before)) expect([what, text, texts.has(text)]).toEqual([what, text, true]);
  const temps = [...ram.user.texts(ROOT, true).keys()].filter((path) => path.startsWith(".mdmirror/tmp/"));
  expect([what, temps]).toEqual([what, []]);
}

it.each([{}, { hardLinks: false }])("I13 killed at any call of an effect on a disk %j", (options) => {
  for (const [name, effect] of Object.entries(EFFECTS)) {
    for (let [moment, killed] = [0, true]; killed; moment++) {
      const { ram, disk } = prepare(effect, options);
      killed = killAt(ram, moment, () => effect.act(disk));
      const kept: string[] = [];
      recover(ram, effect, kept);
      expectOneOfBoth(ram, effect, kept, `${name} at ${moment}`);
    }
  }
});

describe("I13 power lost at any call of an effect", () => {
  it.each(["replace", "move", "trash", "move a folder", "put back"])("%s: whole old or whole new bytes", (name) => {
    const effect = EFFECTS[name]!;
    for (let moment = 0; ; moment++) {
      let killed = true;
      for (let seed = 1; seed <= 10; seed++) {
        const { ram, disk } = prepare(effect);
        killed = killAt(ram, moment, () => effect.act(disk));
        ram.losePower(rollDice(seed * 7919).fraction);
        const kept: string[] = [];
        recover(ram, effect, kept);
        expectOneOfBoth(ram, effect, kept, `${name} at ${moment}, seed ${seed}`);
      }
      if (!killed) break;
    }
  });

  it("a created file is whole once it was flushed, and may be anything before", async () => {
    const seen = new Set<string | null>();
    for (let seed = 1; seed <= 60; seed++) {
      const { ram, disk } = prepare(EFFECTS["create"]!);
      disk.create("n.md", "new");
      disk.makeFolder("h");
      disk.create("h/flushed.md", "new");
      if (seed % 2 === 0) await disk.flush(["h/flushed.md"]);
      ram.losePower(rollDice(seed * 7919).fraction);
      seen.add(ram.user.read(at("n.md")));
      if (seed % 2 === 0) expect([seed, ram.user.read(at("h/flushed.md"))]).toEqual([seed, "new"]);
    }
    expect([...seen].map(String).sort()).toEqual(expect.arrayContaining(["", "\0\0\0", "new", "null"]));
  });
});
