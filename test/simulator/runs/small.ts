import { type Dice, rollDice } from "../dice.ts";
import { pausesForAnswers, makeSetup, makeStep, seedOf } from "./generate.ts";
import type { Script, Step } from "./script.ts";

/**
 * Makes scripts about workspaces of one to four documents. There, most deletions leave a side
 * empty, one lost grant hides all known documents, and no limit of deletions is reached.
 */

/** Returns a script; the same seed and number of steps give the same script. */
export function makeSmallScript(seed: number, steps = 40): Script {
  const dice = rollDice(seed * 6_007 + 41);
  const setup = { ...makeSetup(dice), documents: 1 + dice.below(4), turns: pausesForAnswers(seed) };
  const made: Step[] = [];
  while (made.length < steps) made.push(...nextSteps(dice, setup));
  return { seed, setup, steps: made.slice(0, steps) };
}

function nextSteps(dice: Dice, setup: Script["setup"]): readonly Step[] {
  const mirror = dice.below(setup.mirrors.length);
  const roll = dice.below(10);
  if (roll < 3) return removal(dice, mirror);
  if (roll < 4) return keyGoesBlind(dice, mirror);
  const step = makeStep(dice, setup);
  const grows = (step.do === "here" || step.do === "there") && step.act === "create";
  return grows && dice.below(3) > 0 ? [] : [step];
}

/** One document or all of them are removed on a side. The user may approve it. */
function removal(dice: Dice, mirror: number): readonly Step[] {
  const act = dice.pick(["remove", "remove", "remove-many"] as const);
  const seed = seedOf(dice);
  const gone: Step = dice.below(2) === 0 ? { do: "here", mirror, act, seed } : { do: "there", act, seed };
  return [gone, quietSync(dice, mirror), ...answer(dice, mirror)];
}

/** A key that may read nothing for a while, which looks like an emptied workspace. */
function keyGoesBlind(dice: Dice, mirror: number): readonly Step[] {
  const grant = (level: "none" | "full"): Step => ({ do: "grant", mirror, level, seed: seedOf(dice) });
  return [grant("none"), quietSync(dice, mirror), ...answer(dice, mirror), grant("full"), quietSync(dice, mirror)];
}

function answer(dice: Dice, mirror: number): readonly Step[] {
  return dice.below(3) === 0 ? [{ do: "approve", mirror }, quietSync(dice, mirror)] : [];
}

function quietSync(dice: Dice, mirror: number): Step {
  return {
    do: "sync",
    mirror,
    seed: seedOf(dice),
    retry: true,
    kill: null,
    storm: null,
    trouble: null,
    interventions: [],
  };
}
