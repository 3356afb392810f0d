import { type Dice, rollDice } from "../dice.ts";
import { pausesForAnswers, makeSetup, makeStep, pickAct, seedOf } from "./generate.ts";
import { type Act, APP_ACTS, type AppAct, type Script, type Setup, type Step, type WatchStep } from "./script.ts";

/**
 * Makes scripts about programs that write fast. Beside a daemon, a program writes many files
 * quickly, reads them right after, moves them, and waits until they are live. Meanwhile a user
 * works in the web app.
 */

const THERE: Readonly<Partial<Record<AppAct, number>>> = {
  create: 2,
  edit: 14,
  rename: 3,
  move: 2,
  swap: 1,
  remove: 2,
  "rename-folder": 2,
  protect: 1,
  unprotect: 1,
  accept: 1,
};

/** Returns a script; the same seed and number of steps give the same script. */
export function makeProgramScript(seed: number, steps = 12): Script {
  const dice = rollDice(seed * 32_452_843 + 11);
  const hands = dice.below(3) > 0 ? { hands: true as const } : {};
  const made = { ...makeSetup(dice), documents: dice.pick([3, 6, 14, 30]), turns: pausesForAnswers(seed) };
  const setup = { ...made, ...hands };
  return { seed, setup, steps: Array.from({ length: steps }, () => nextStep(dice, setup)) };
}

function nextStep(dice: Dice, setup: Setup): Step {
  return dice.below(5) < 3 ? watch(dice, setup) : makeStep(dice, setup);
}

function watch(dice: Dice, { mirrors }: Setup): WatchStep {
  return {
    do: "watch",
    mirror: dice.below(mirrors.length),
    seed: seedOf(dice),
    kill: dice.below(4) === 0 ? { at: 1 + dice.below(dice.pick([60, 400, 1_500])), power: dice.below(4) === 0 } : null,
    storm: dice.below(4) === 0 ? dice.pick([5, 12, 30]) : null,
    incidents: [],
    acts: Array.from({ length: 2 + dice.below(5) }, () => episode(dice)).flat(),
    rest: dice.pick([0, 3_000, 60_000]),
  };
}

/**
 * Returns the writes of a program, what it does next, and actions of the web app's user in between.
 */
function episode(dice: Dice): Act[] {
  const soon = (): number => dice.pick([0, 1, 20, 400, 900]);
  const there = (): Act[] =>
    dice.below(2) === 0 ? [] : [{ after: soon(), by: "app", act: pickAct(dice, APP_ACTS, THERE), seed: seedOf(dice) }];
  const program = (act: "write-many" | "read-back" | "wait", after: number): Act => ({
    after,
    by: "program",
    act,
    seed: seedOf(dice),
  });
  return [
    ...there(),
    program("write-many", dice.pick([0, 20, 2_500, 20_000])),
    ...there(),
    program("read-back", soon()),
    ...(dice.below(3) > 0 ? [program("wait", dice.pick([0, 20, 500]))] : []),
    ...there(),
    program("read-back", dice.pick([900, 1_500])),
  ];
}
