import { runs } from "../property.ts";
import { describe, expect, test } from "vitest";
import type { Step } from "../../src/mirror/model/action.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import { applyPlan } from "../../src/mirror/engine/run/apply-plan.ts";
import { flushNow } from "../../src/mirror/engine/apply/durability.ts";
import { gatherSignals } from "../../src/mirror/engine/run/guard-facts.ts";
import { observe } from "../../src/mirror/engine/observe/both-sides.ts";
import { planWithSecondScan } from "../../src/mirror/engine/run/cycle.ts";
import { CycleContext, type CycleInput } from "../../src/mirror/engine/run/cycle-context.ts";
import type { World } from "../../src/mirror/engine/run/world.ts";
import { type Dice, rollDice } from "../simulator/dice.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { type Fixture, openFixture, settle } from "./fixture.ts";

/** Returns the steps in a random order that `after` allows, with adjusted indexes. */
function shuffle(steps: readonly Step[], dice: Dice): Step[] {
  const placed = new Map<number, number>();
  const order: number[] = [];
  while (order.length < steps.length) {
    const ready = [...steps.keys()].filter((i) => !placed.has(i) && steps[i]!.after.every((one) => placed.has(one)));
    const next = dice.pick(ready);
    placed.set(next, order.length);
    order.push(next);
  }
  return order.map((index) => {
    const { action, after } = steps[index]!;
    return { action, after: after.map((one) => placed.get(one)!) };
  });
}

/**
 * Returns a client whose calls wait a random time before and after, so that steps and answers
 * overtake each other.
 */
function delay(remote: Remote, world: World, dice: Dice): Remote {
  return new Proxy(remote, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function") return member;
      if (name === "traits" || name === "counts") return member.bind(target);
      return async (...args: unknown[]) => {
        await world.clock.sleep(dice.below(50));
        const answer: unknown = await Reflect.apply(member, target, args);
        await world.clock.sleep(dice.below(50));
        return answer;
      };
    },
  });
}

/** Runs one cycle like the engine, with its steps in random order. Returns the number of steps. */
async function passShuffled({ mirror }: Fixture, dice: Dice): Promise<number> {
  const plain = mirror.world();
  const world: World = { ...plain, remote: delay(plain.remote, plain, dice) };
  const input: CycleInput = {
    run: { number: 1 },
    settings: SETTINGS,
    retryRefused: true,
    unchangedContents: null,
    dry: false,
  };
  const ctx = new CycleContext(world, input);
  const seen = await observe(ctx, input, true);
  if (seen.kind !== "seen") throw new Error("the service was not seen");
  const signals = gatherSignals(ctx, seen.trees.base, seen.trees.remote, "same");
  const { plan } = await planWithSecondScan(ctx, input, seen.trees, signals);
  await applyPlan(ctx, { ...plan, steps: shuffle(plan.steps, dice) });
  await flushNow(ctx);
  mirror.disk.advance(10);
  return plan.steps.length;
}

/**
 * Makes changes of every kind on both sides, most of them independent. The same seed makes the same
 * changes.
 */
function change({ rig, mirror }: Fixture, seed: number): void {
  const dice = rollDice(seed);
  const { user } = mirror.disk;
  for (let n = 0; n < 16; n++) {
    const path = `d${n % 4}/n${n}.md`;
    const at = mirror.path(path);
    const kind = dice.below(9);
    if (kind === 0) mirror.write(path, `here ${n}\n`);
    if (kind === 1) rig.app.edit(path, `there ${n}\n`);
    if (kind === 2) {
      mirror.write(path, `here\n\nnote ${n}\n\nlast\n`);
      rig.app.edit(path, `note ${n}\n\nlast\n\nthere\n`);
    }
    if (kind === 3) {
      mirror.write(path, `mine ${n}\n`);
      rig.app.edit(path, `theirs ${n}\n`);
    }
    if (kind === 4) user.rename(at, mirror.path(`d${(n + 1) % 4}/moved${n}.md`));
    if (kind === 5) rig.app.rename(path, `renamed${n}.md`);
    if (kind === 6) user.remove(at);
    if (kind === 7) rig.app.remove(path);
    if (kind === 8) {
      mirror.write(`new${n}/a b.md`, `created locally ${n}\n`);
      rig.app.create(`made${n}/x.md`, `new there ${n}\n`);
    }
  }
  if (dice.below(2) === 0) rig.app.renameFolder("d0", "e0");
  if (dice.below(2) === 0) mirror.rename("d1", "f1");
  if (dice.below(2) === 0) {
    mirror.rename("d2", "t");
    mirror.rename("d3", "d2");
    mirror.rename("t", "d3");
  }
}

async function endOf(seed: number, order: number): Promise<{ steps: number; local: unknown; remote: unknown }> {
  const fixture = openFixture(seed);
  for (let n = 0; n < 16; n++) fixture.rig.app.create(`d${n % 4}/n${n}.md`, `note ${n}\n\nlast\n`);
  await settle(fixture.mirror);
  change(fixture, seed);
  const dice = rollDice(order);
  const steps = await passShuffled(fixture, dice);
  for (let pass = 0; pass < 3; pass++) await passShuffled(fixture, dice);
  await settle(fixture.mirror);
  return { steps, local: [...fixture.mirror.texts()], remote: [...fixture.rig.app.texts()] };
}

describe("I15 permutation of independent actions", () => {
  test("through the whole engine, steps shuffled and answers late: the same trees in each order", async () => {
    let shuffled = 0;
    for (let seed = 1; seed <= runs(4); seed++) {
      const first = await endOf(seed, 0);
      shuffled += first.steps;
      for (let order = 1; order <= 3; order++) {
        const { steps, ...trees } = await endOf(seed, order);
        expect({ seed, order, ...trees }).toEqual({ seed, order, local: first.local, remote: first.remote });
        expect(steps).toBe(first.steps);
      }
    }
    expect(shuffled).toBeGreaterThan(100);
  });
});
