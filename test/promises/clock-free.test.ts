import { isConflictCopyName } from "../../src/contract/path.ts";
import type { Dice } from "../simulator/dice.ts";
import {
  approveAndSettle,
  asText,
  type Fixture,
  isWrite,
  openFixture,
  openSynced,
  settle,
  stopReasons,
} from "./fixture.ts";
import { beforeAll, describe, expect, test } from "vitest";
import type { FsStat } from "../../src/mirror/ports/disk.ts";
import { runs } from "../property.ts";

/**
 * Users on both sides who only add: each edit inserts a unique paragraph. Nothing is ever removed.
 */

class Writers {
  readonly #dice: Dice;
  readonly #fixture: Fixture;
  #words = 0;

  constructor(fixture: Fixture) {
    this.#fixture = fixture;
    this.#dice = fixture.rig.dice;
  }

  word(): string {
    return `w${this.#words++}w`;
  }

  text(): string {
    return Array.from({ length: 6 }, () => `${this.word()} as it was written first\n\n`).join("");
  }

  /**
   * Adds a paragraph, or sometimes a word at the end of the first line. Two edits of the first line
   * do not merge.
   */
  grown(text: string): string {
    if (this.#dice.below(3) === 0) return text.replace("\n", ` ${this.word()}\n`);
    const parts = text.split("\n\n");
    parts.splice(this.#dice.below(parts.length), 0, `${this.word()} put in`);
    return parts.join("\n\n");
  }

  here(): void {
    const { mirror } = this.#fixture;
    const paths = [...mirror.texts().keys()].filter((path) => !isConflictCopyName(path));
    const roll = this.#dice.below(10);
    if (paths.length < 3 || roll === 0) {
      mirror.write(`n${this.#words}.md`, this.text());
      return;
    }
    const path = this.#dice.pick(paths);
    if (roll === 1 && !path.includes("moved")) {
      mirror.rename(path, path.replace(/[^/]*$/, "moved-$&"));
      return;
    }
    const text = this.grown(mirror.disk.user.read(mirror.path(path))!);
    if (roll < 5) mirror.disk.user.saveAtomically(mirror.path(path), text);
    else mirror.write(path, text);
  }

  there(): void {
    const { app } = this.#fixture.rig;
    const files = [...app.files().values()];
    const roll = this.#dice.below(10);
    if (files.length < 3 || roll === 0) {
      app.create(`r${this.#words}.md`, this.text());
      return;
    }
    const file = this.#dice.pick(files);
    if (roll === 1) app.rename(file.path, `there-${this.#words++}.md`);
    else app.edit(file.path, this.grown(file.text));
  }
}

/**
 * The result of a scenario without times: every sent write, every action with its reason, and both
 * trees.
 */
async function trace(seed: number, disturb: (fixture: Fixture, step: number) => void) {
  const fixture = openFixture(seed);
  const { rig, mirror } = fixture;
  const writers = new Writers(fixture);
  for (let n = 0; n < 6; n++) rig.app.create(`d${n % 2}/a${n}.md`, writers.text());
  disturb(fixture, 0);
  await mirror.sync();
  for (let step = 1; step <= 40; step++) {
    disturb(fixture, step);
    const roll = rig.dice.below(12);
    const paths = [...mirror.texts().keys()].filter((path) => !isConflictCopyName(path));
    if (roll < 4) writers.here();
    else if (roll < 7) writers.there();
    else if (roll === 7 && paths.length > 3) mirror.remove(rig.dice.pick(paths));
    else if (roll === 8 && rig.app.files().size > 3) rig.app.remove(rig.dice.pick([...rig.app.files().keys()]));
    else await mirror.sync();
  }
  for (let run = 0; run < 4; run++) {
    disturb(fixture, 41 + run);
    await mirror.sync();
  }
  const events = mirror.state
    .events({ limit: 10_000 })
    .reverse()
    .map(({ run, kind, side, id, path, detail, outcome, before, after }) => [
      run,
      kind,
      side,
      id,
      path,
      detail.replace(/trash\/[-+\d]+\//, "trash/day/"),
      outcome,
      before,
      after,
    ]);
  return {
    writes: fixture.seen.filter(isWrite).map(asText),
    events,
    local: [...mirror.texts()],
    remote: [...rig.app.texts()],
  };
}

const nothing = (): void => undefined;

/**
 * Replaces the wall clock by `shown`. Waits take as long as before. Returns a function that sets
 * the number of the step.
 */
function setWall(fixture: Fixture, shown: (real: number, step: number) => number): (step: number) => void {
  const { now } = fixture.rig.clock;
  let at = 0;
  fixture.rig.clock.now = () => shown(now(), at);
  return (step) => {
    at = step;
  };
}

const WALLS: readonly (readonly [name: string, shown: (real: number, step: number) => number])[] = [
  ["stands still", () => Date.UTC(2026, 5, 1)],
  ["is at the epoch", (real, step) => (real % 1_000) + step],
  ["is far ahead", (real) => real + 9e11],
  ["jumps a day on at each step", (real, step) => real + step * 86_400_000],
  ["jumps to and fro by years", (real, step) => real + (step % 2 === 0 ? 1e11 : -1e11)],
  ["runs backwards", (real, step) => real - step * 3_600_000],
];

/** Replaces mtime and ctime by values without meaning. Different times stay different. */
function scramble(fixture: Fixture, of: (time: number, ino: number) => number): void {
  const { disk } = fixture.mirror;
  const change = (stat: FsStat): FsStat => ({
    ...stat,
    mtimeMs: of(stat.mtimeMs, stat.ino),
    ctimeMs: of(stat.ctimeMs, stat.ino),
  });
  const [lstat, readFile] = [disk.lstat.bind(disk), disk.readFile.bind(disk)];
  disk.lstat = (path) => change(lstat(path));
  disk.readFile = (path) => {
    const read = readFile(path);
    return { ...read, stat: change(read.stat) };
  };
}

/**
 * Number of the step. The times of unchanged files change with it, as after a restore, or a `touch`
 * of all files.
 */
let epoch = 0;
const TIMES: readonly (readonly [name: string, of: (time: number, ino: number) => number])[] = [
  ["the wrong way round", (time) => 4e12 - time],
  ["all in the far future", (time) => time + 9e12],
  ["before the epoch", (time) => time - 9e12],
  ["without order", (time, ino) => ((Math.floor(time) * 2_654_435_761 + ino * 40_503) % 4_294_967_296) + 0.5],
  ["other ones before each sync", (time) => time + epoch * 1_000],
];

describe("I29 no decision depends on the wall clock or on mtimes", () => {
  const SEEDS = Array.from({ length: runs(1) }, (_, n) => 2901 + n);
  const plain = new Map<number, Awaited<ReturnType<typeof trace>>>();
  beforeAll(async () => {
    for (const seed of SEEDS) plain.set(seed, await trace(seed, nothing));
    for (const { writes } of plain.values()) expect(writes.length).toBeGreaterThan(5);
  });

  test.each(WALLS)("the clock %s: the same writes, actions and trees", async (_, shown) => {
    for (const seed of SEEDS) {
      let set: ((step: number) => void) | null = null;
      const disturbed = await trace(seed, (fixture, step) => {
        set ??= setWall(fixture, shown);
        set(step);
      });
      expect(disturbed).toEqual(plain.get(seed));
    }
  });

  test.each(TIMES)("mtimes and ctimes %s: the same writes, actions and trees", async (_, of) => {
    for (const seed of SEEDS) {
      const disturbed = await trace(seed, (fixture, step) => {
        epoch = step;
        if (step === 0) scramble(fixture, of);
      });
      expect(disturbed).toEqual(plain.get(seed));
    }
  });
});

const HOUR_MS = 3_600_000;
const DOCUMENTS = 60;

/**
 * Returns a mirror in sync with 60 documents, of which 10 may be deleted within an hour without
 * approval.
 */
const inSync = () =>
  openSynced(Object.fromEntries(Array.from({ length: DOCUMENTS }, (_, n) => [`n${n}.md`, `text ${n}\n`])));

/** Moves the wall clock. The monotonic clock stays the same. */
function moveWall({ rig: { clock } }: Fixture, byMs: number): void {
  const { now } = clock;
  clock.now = () => now() + byMs;
}

const remove = {
  locally({ mirror }: Fixture, from: number, to: number): void {
    for (let n = from; n < to; n++) mirror.remove(`n${n}.md`);
  },
  remotely({ rig }: Fixture, from: number, to: number): void {
    for (let n = from; n < to; n++) rig.app.remove(`n${n}.md`);
  },
};

const JUMPS = [
  ["ahead by two hours", 2 * HOUR_MS],
  ["back by two hours", -2 * HOUR_MS],
  ["ahead by years", 1e11],
] as const;
const SIDES = [
  ["locally", "delete-budget-remote"],
  ["remotely", "delete-budget-local"],
] as const;

describe.each(SIDES)("I21 I29 the limit for deletions %s", (side, reason) => {
  test.each(JUMPS)("counts what went within the hour where the clock jumps %s", async (_, byMs) => {
    const fixture = await inSync();
    remove[side](fixture, 0, 6);
    await settle(fixture.mirror);
    moveWall(fixture, byMs);
    remove[side](fixture, 6, 12);
    expect(stopReasons(await fixture.mirror.sync())).toEqual([reason]);
  });

  test.each(JUMPS)("counts what went after an approval where the clock jumps %s", async (_, byMs) => {
    const fixture = await inSync();
    remove[side](fixture, 0, 15);
    await approveAndSettle(fixture.mirror, (await fixture.mirror.sync())!);
    expect(fixture.rig.app.files().size).toBe(DOCUMENTS - 15);
    moveWall(fixture, byMs);
    remove[side](fixture, 15, 21);
    expect(stopReasons(await fixture.mirror.sync())).toEqual([]);
    remove[side](fixture, 21, 27);
    expect(stopReasons(await fixture.mirror.sync())).toEqual([reason]);
  });

  test("forgets deletions of an hour ago, although the clock stops", async () => {
    const fixture = await inSync();
    const { clock } = fixture.rig;
    const still = clock.now();
    clock.now = () => still;
    remove[side](fixture, 0, 6);
    await settle(fixture.mirror);
    await clock.sleep(HOUR_MS);
    remove[side](fixture, 6, 12);
    expect(stopReasons(await fixture.mirror.sync())).toEqual([]);
  });
});
