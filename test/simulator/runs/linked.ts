import { type Dice, rollDice } from "../dice.ts";
import { pausesForAnswers, makeSetup, makeSync, pickAct, seedOf, VARIANTS } from "./generate.ts";
import {
  APP_ACTS,
  type AppAct,
  LOCAL_ACTS,
  type LocalAct,
  type Intervention,
  type Script,
  type Step,
} from "./script.ts";

/**
 * Makes scripts about documents that link to each other in circles: by id on the service, by path
 * in folders. The documents are moved, exchanged, deleted, restored and edited on both sides.
 */

const HERE: Readonly<Partial<Record<LocalAct, number>>> = {
  link: 10,
  "create-linked": 3,
  "write-in-place": 4,
  "save-by-rename": 5,
  "save-with-backup": 2,
  "delete-and-create": 2,
  "half-write": 1,
  touch: 1,
  rename: 6,
  "change-case": 1,
  move: 6,
  swap: 4,
  remove: 3,
  "rename-folder": 5,
  "move-folder": 4,
  "remove-folder": 1,
  "end-conflict": 4,
};

const THERE: Readonly<Partial<Record<AppAct, number>>> = {
  create: 2,
  link: 9,
  edit: 6,
  rename: 6,
  move: 6,
  swap: 3,
  remove: 3,
  "rename-folder": 5,
  "move-folder": 4,
  "remove-folder": 1,
  protect: 1,
  unprotect: 2,
  accept: 3,
  reject: 1,
};

/**
 * Without deployments that spell ids differently, because contents contain the service's own ids.
 */
const DEPLOYMENTS = VARIANTS.filter(({ looseIds }) => looseIds !== true);

/** Returns a script; the same seed and number of steps give the same script. */
export function makeLinkedScript(seed: number, steps = 40): Script {
  const dice = rollDice(seed * 15_485_863 + 7);
  const documents = dice.pick([4, 6, 6, 9, 12]);
  const setup = {
    ...makeSetup(dice),
    variant: dice.pick(DEPLOYMENTS),
    documents,
    turns: pausesForAnswers(seed),
    links: true,
  };
  return { seed, setup, steps: Array.from({ length: steps }, () => nextStep(dice, setup)) };
}

function nextStep(dice: Dice, setup: Script["setup"]): Step {
  const mirror = dice.below(setup.mirrors.length);
  const roll = dice.below(100);
  if (roll < 36) return { do: "here", mirror, act: actHere(dice), seed: seedOf(dice) };
  if (roll < 62) return { do: "there", act: actThere(dice), seed: seedOf(dice) };
  if (roll < 95) return sync(dice, mirror);
  if (roll < 97) return { do: "approve", mirror };
  return { do: "wait", ms: dice.pick([100, 5_000, 61_000, 3_700_000]) };
}

function sync(dice: Dice, mirror: number): Step {
  const step = makeSync(dice, mirror);
  return { ...step, interventions: step.interventions.map(({ at }) => intervene(dice, at)) };
}

function intervene(dice: Dice, at: number): Intervention {
  return dice.below(2) === 0
    ? { at, by: "app", act: actThere(dice), seed: seedOf(dice) }
    : { at, by: "local", act: actHere(dice), seed: seedOf(dice) };
}

const actHere = (dice: Dice): LocalAct => pickAct(dice, LOCAL_ACTS, HERE);
const actThere = (dice: Dice): AppAct => pickAct(dice, APP_ACTS, THERE);
