import { PROFILES } from "../../variants/variant.ts";
import { type Dice, rollDice } from "../dice.ts";
import { APFS } from "../ram-disk.ts";
import {
  APP_ACTS,
  type DiskTrouble,
  type Intervention,
  type Levels,
  LOCAL_ACTS,
  type MirrorSetup,
  quietSync,
  type Script,
  type Setup,
  type Step,
  type SyncStep,
} from "./script.ts";

/**
 * All profiles, `deployed` most often, and single traits. One random number selects an entry, so a
 * seed keeps its run while its entry keeps its index.
 */
export const VARIANTS: readonly Setup["variant"][] = [
  PROFILES.deployed,
  PROFILES.deployed,
  PROFILES.deployed,
  PROFILES.contrary,
  PROFILES.first,
  PROFILES.minimal,
  { changeIdMovesOnRename: true },
  { noFolderPatchOrDelete: 404 },
  { noFolderPatchOrDelete: 405, noMoveToRoot: true },
  { normalise: true },
  PROFILES.minimal,
];

const DAY_MS = 86_400_000;

export function makeScript(seed: number, steps = 40): Script {
  const dice = rollDice(seed * 7_919 + 17);
  const setup = withSeed(seed, makeSetup(dice));
  const made = Array.from({ length: steps }, () => makeStep(dice, setup));
  return { seed, setup, steps: made };
}

/**
 * Returns true for seeds whose mirrors pause their work for answers. Derived from the seed itself,
 * without a random number, so that the runs of existing seeds stay the same.
 */
export function pausesForAnswers(seed: number): boolean {
  return seed % 2 === 1;
}

/**
 * From this seed on, the deployment has its own rules for names or paths. Runs of smaller seeds
 * stay the same.
 */
export const ODD_NAMES_FROM = 1_000_000;

/** From this seed on, some files are open in editors. */
export const OPEN_FILES_FROM = 2_000_000;

/** From this seed on, the first mirror only downloads or only uploads until the end of the run. */
export const ONE_WAY_FROM = 3_000_000;

const ODDITIES: readonly Setup["variant"][] = [
  { foldsCase: true },
  { foldsUnicode: true, refusedCharacters: "=+@" },
  { noMoveToRoot: true },
  { foldsCase: true, foldsUnicode: true, noFolderPatchOrDelete: 404 },
  { noMoveToRoot: true, refusedCharacters: "=,", foldsCase: true },
];

/** Returns the setup with the options that depend on the seed itself. */
export function withSeed(seed: number, made: Setup): Setup {
  const oddity = seed < ODD_NAMES_FROM ? {} : ODDITIES[seed % ODDITIES.length]!;
  const hands = seed < OPEN_FILES_FROM ? {} : { hands: true as const };
  const direction = Math.floor(seed / 2) % 2 === 0 ? ("pull" as const) : ("push" as const);
  return {
    ...made,
    ...hands,
    ...(seed < ONE_WAY_FROM ? {} : { direction }),
    variant: { ...made.variant, ...oddity },
    turns: pausesForAnswers(seed),
  };
}

export function makeSetup(dice: Dice): Setup {
  const count = dice.pick([1, 2, 2, 2, 3]);
  return {
    mirrors: Array.from({ length: count }, (_, index) => makeMirror(dice, index)),
    variant: dice.pick(VARIANTS),
    combines: dice.below(4) > 0,
    documents: dice.pick([0, 3, 6, 6, 14, 14, 30]),
    clockOff: 0,
  };
}

function makeMirror(dice: Dice, index: number): MirrorSetup {
  return {
    prefix: index > 0 && dice.below(4) === 0 ? "work" : "",
    level: index > 0 ? dice.pick<Levels>(["full", "full", "full", "edit", "read", "hide-one-folder"]) : "full",
    disk: dice.pick([
      {},
      {},
      {},
      APFS,
      { hardLinks: false, granularityMs: 2_000, foldsCase: true },
      { reusesInodes: false, granularityMs: 0 },
    ]),
    conflicts: dice.below(8) === 0 ? "copy" : "conflict-copy",
  };
}

export function makeStep(dice: Dice, setup: Setup): Step {
  const mirror = dice.below(setup.mirrors.length);
  const roll = dice.below(100);
  if (roll < 34) return { do: "here", mirror, act: pickAct(dice, LOCAL_ACTS), seed: seedOf(dice) };
  if (roll < 60) return { do: "there", act: pickAct(dice, APP_ACTS), seed: seedOf(dice) };
  if (roll < 91) return makeSync(dice, mirror);
  if (roll < 93)
    return {
      do: "grant",
      mirror,
      level: dice.pick<Levels>(["none", "read", "edit", "full", "full", "hide-one-folder"]),
      seed: seedOf(dice),
    };
  if (roll < 94) return { do: "workspace", state: dice.pick(["open", "open", "closed", "restoring"] as const) };
  if (roll < 95) return { do: "backup" };
  if (roll < 96) return { do: "restore-backup" };
  if (roll < 97) return { do: "approve", mirror };
  if (roll < 99) return { do: "wait", ms: dice.pick([100, 5_000, 61_000, 3_700_000, DAY_MS]) };
  return { do: "set-clock", ms: dice.pick([-DAY_MS, -3_600_000, -1_000, 1_000, 3_600_000, 400 * DAY_MS]) };
}

export function makeSync(dice: Dice, mirror: number): SyncStep {
  const killed = dice.below(2) === 0;
  const stormy = dice.below(3) === 0;
  const intervened = dice.below(3) === 0;
  const troubled = dice.below(10) === 0;
  return {
    do: "sync",
    mirror,
    seed: seedOf(dice),
    retry: dice.below(4) > 0,
    kill: killed ? { at: 1 + dice.below(dice.pick([60, 200, 400])), power: dice.below(3) === 0 } : null,
    storm: stormy ? dice.pick([5, 12, 30]) : null,
    trouble: troubled ? dice.pick<DiskTrouble>(["full", "forbidden", "flaky", "unmounted"]) : null,
    interventions: intervened ? Array.from({ length: 1 + dice.below(4) }, () => makeIntervention(dice)) : [],
    aim: dice.below(3) === 0 ? dice.pick([12, 30, 60]) : null,
  };
}

function makeIntervention(dice: Dice): Intervention {
  const at = 1 + dice.below(dice.pick([60, 200, 600]));
  return dice.below(2) === 0
    ? { at, by: "app", act: pickAct(dice, APP_ACTS), seed: seedOf(dice) }
    : { at, by: "local", act: pickAct(dice, LOCAL_ACTS), seed: seedOf(dice) };
}

export function seedOf(dice: Dice): number {
  return dice.below(1_000_000);
}

/** @param weights an action without a weight is never chosen */
export function pickAct<T extends string>(
  dice: Dice,
  acts: Readonly<Record<T, number>>,
  weights: Readonly<Partial<Record<T, number>>> = acts,
): T {
  const weightOf = (act: T): number => weights[act] ?? 0;
  const all = Object.keys(acts) as T[];
  let rest = dice.below(all.reduce((sum, act) => sum + weightOf(act), 0));
  for (const act of all) {
    rest -= weightOf(act);
    if (rest < 0) return act;
  }
  throw new Error("weights do not add up");
}

/**
 * Makes a script about a workspace of one to four documents. There, most deletions leave a side
 * empty, one lost grant hides all known documents, and no limit of deletions is reached.
 */
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
  if (roll < 4) return keyLosesAccess(dice, mirror);
  const step = makeStep(dice, setup);
  const grows = (step.do === "here" || step.do === "there") && step.act === "create";
  return grows && dice.below(3) > 0 ? [] : [step];
}

/** One document or all of them are removed on a side. The user may approve it. */
function removal(dice: Dice, mirror: number): readonly Step[] {
  const act = dice.pick(["remove", "remove", "remove-many"] as const);
  const seed = seedOf(dice);
  const gone: Step = dice.below(2) === 0 ? { do: "here", mirror, act, seed } : { do: "there", act, seed };
  return [gone, quietSync(mirror, seedOf(dice)), ...answer(dice, mirror)];
}

/** A key that may read nothing for a while, which looks like an emptied workspace. */
function keyLosesAccess(dice: Dice, mirror: number): readonly Step[] {
  const grant = (level: "none" | "full"): Step => ({ do: "grant", mirror, level, seed: seedOf(dice) });
  const sync = (): Step => quietSync(mirror, seedOf(dice));
  return [grant("none"), sync(), ...answer(dice, mirror), grant("full"), sync()];
}

function answer(dice: Dice, mirror: number): readonly Step[] {
  return dice.below(3) === 0 ? [{ do: "approve", mirror }, quietSync(mirror, seedOf(dice))] : [];
}
