import { describe, expect, it } from "vitest";
import { LocalDisk } from "../../src/local/disk.ts";
import { type Dice, rollDice } from "../simulator/dice.ts";
import type { RamDisk } from "../simulator/ram-disk.ts";
import { ramMirror, ROOT } from "./benches.ts";
import { countCalls, diskAfter, EACH, FOLDERS, grown, record, shown } from "./recorded-rig.ts";

const nothing = () => null;
const noText = () => undefined;

const LIVES = 3_000;

describe("I04 what changes after it was recorded", () => {
  it(`is seen as by a walk that begins then, ${LIVES} times`, async () => {
    const used = { recorded: 0, changed: 0 };
    for (let seed = 0; seed < LIVES; seed++) {
      const dice = rollDice(seed);
      const mirror = grown(ramMirror({ granularityMs: dice.pick([0, 4, 2_000]), reusesInodes: dice.below(2) === 0 }));
      const { ram } = mirror;
      // Some changes lie right before, within the same tick of the disk's clock.
      for (let n = dice.below(3); n > 0; n--) act(mirror, dice);
      const recorded = record(ram, ROOT);
      for (let n = dice.below(4); n > 0; n--) used.changed += Number(act(mirror, dice));
      if (dice.below(2) === 0) ram.advance(3_000);
      const disk = await diskAfter(ram, ROOT, recorded);
      disk.folding();
      const calls = countCalls(ram);
      const tree = disk.walk(nothing, noText);
      used.recorded += Number((calls.readdir ?? 0) < FOLDERS);
      ram.beforeCall = null;
      const fresh = new LocalDisk(ram, ROOT, { random: rollDice(7) }).walk(nothing, noText);
      expect([seed, ...shown(tree)]).toEqual([seed, ...shown(fresh)]);
    }
    // Neither side of the comparison is empty.
    expect(used.recorded).toBeGreaterThan(LIVES / 4);
    expect(used.changed).toBeGreaterThan(LIVES / 2);
  });
});

/** Somebody changes something. @returns whether anything changed */
function act({ ram, at }: ReturnType<typeof ramMirror>, dice: Dice): boolean {
  const { user } = ram;
  if (dice.below(2) === 0) ram.advance(dice.pick([1, 5, 3_000]));
  const [one, other] = [at(`f${dice.below(FOLDERS)}`), at(`f${dice.below(FOLDERS)}`)];
  const isFile = dice.below(3) > 0;
  const [from, to] = isFile ? [`${one}/${dice.below(EACH)}.md`, `${other}/${dice.below(EACH)}.md`] : [one, other];
  const isThere = user.exists(from);
  switch (dice.below(6)) {
    case 0:
      if (isThere && isFile) user.remove(from);
      return isThere;
    case 1:
      if (isThere && !user.exists(to) && user.exists(to.slice(0, to.lastIndexOf("/")))) user.rename(from, to);
      return isThere;
    case 2:
      if (isThere && isFile) user.write(from, `edited ${dice.below(99)}`);
      return isThere;
    case 3:
      if (isThere && isFile) user.saveAtomically(from, `saved ${dice.below(99)}`);
      return isThere;
    case 4:
      if (isThere && !isFile) exchange(ram, from, at("aside"));
      return isThere;
    default:
      if (!isThere && user.exists(from.slice(0, from.lastIndexOf("/"))) && isFile) user.write(from, "new");
      return !isThere;
  }
}

/** Puts another folder in the place of one, with a file of the same name. */
function exchange({ user }: RamDisk, folder: string, aside: string): void {
  if (user.exists(aside)) return;
  user.rename(folder, aside);
  user.makeFolder(folder);
  user.write(`${folder}/0.md`, "of the other folder");
}
