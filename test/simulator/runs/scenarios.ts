import { type Dice, rollDice } from "../dice.ts";
import { makeSetup, makeStep, seedOf, withSeed } from "./generate.ts";
import {
  type Act,
  type AppAct,
  type Incident,
  type IncidentKind,
  type LocalAct,
  type Moment,
  quietSync,
  type Script,
  type Setup,
  type Step,
  type WatchStep,
} from "./script.ts";

/**
 * Makes scripts with scenarios, each a few steps that belong together, among random steps. In a
 * scenario, users cause one kind of effect, and an incident happens at one moment of it. Over many
 * runs, each incident of a cause happens at each of its moments (`CAUSES`). No scenario is written
 * for a mutant.
 */

type Scenario = (dice: Dice, mirror: number) => Step[];

/** Users cause an effect, and one incident happens during it. */
const withIncident: Scenario = (dice, mirror) => {
  const cause = dice.pick(CAUSES);
  const acts = Array.from({ length: 1 + dice.below(3) }, () => actOf(dice, mirror, cause));
  return [
    quietSync(mirror),
    ...acts,
    { ...quietSync(mirror), seed: seedOf(dice), incidents: incidentsAt(dice, cause) },
    ...(dice.below(2) === 0 ? [quietSync(mirror)] : []),
  ];
};

/**
 * A document is protected and edited locally, and perhaps edited again during its review. The
 * review ends in some way.
 */
const reviewed: Scenario = (dice, mirror) => {
  const seed = seedOf(dice);
  const incident = incidentOf(dice, "PUT", dice.pick(TO_REQUESTS));
  const end: AppAct = dice.pick(["accept", "accept", "reject", "unprotect", "edit"]);
  const later = Array.from(
    { length: dice.below(4) },
    (): Step => ({
      do: "here",
      mirror,
      act: dice.pick<LocalAct>(["rewrite", "rewrite", "write-in-place", "save-by-rename", "rename"]),
      seed,
    }),
  );
  return [
    quietSync(mirror),
    { do: "there", act: "protect", seed, as: mirror },
    ...(dice.below(2) === 0 ? [quietSync(mirror)] : []),
    { do: "here", mirror, act: dice.pick(["write-in-place", "save-by-rename"]), seed },
    { ...quietSync(mirror), incidents: dice.below(3) === 0 ? [] : [incident] },
    quietSync(mirror),
    ...later.flatMap((step) => (dice.below(3) === 0 ? [step, quietSync(mirror)] : [step])),
    ...(dice.below(3) > 0 ? [{ do: "there", act: end, seed, as: mirror } as const, quietSync(mirror)] : []),
    ...(dice.below(3) === 0 ? [{ do: "there", act: "accept", seed, as: mirror } as const, quietSync(mirror)] : []),
  ];
};

/** Both sides change one document between two scans. */
const crossed: Scenario = (dice, mirror) => {
  const seed = seedOf(dice);
  const here = dice.pick<LocalAct>(["write-in-place", "rewrite", "cut-short", "rename", "move", "remove"]);
  const there = dice.pick<AppAct>(["edit", "edit", "rename", "move", "remove"]);
  return [
    quietSync(mirror),
    { do: "there", act: there, seed, as: mirror },
    { do: "here", mirror, act: here, seed },
    { ...quietSync(mirror), kill: dice.below(3) === 0 ? { at: 1 + dice.below(200), power: false } : null },
    quietSync(mirror),
  ];
};

/** The service is restored from a backup, after mirrors have seen later changes. */
const restored: Scenario = (dice, mirror) => [
  quietSync(mirror),
  { do: "backup" },
  ...Array.from({ length: 1 + dice.below(4) }, (): Step => ({ do: "there", act: "edit", seed: seedOf(dice) })),
  quietSync(mirror),
  { do: "restore-backup" },
  quietSync(mirror),
  ...(dice.below(2) === 0 ? [{ do: "approve", mirror } as const, quietSync(mirror)] : []),
];

/** One side loses all documents, or most of them. */
const emptied: Scenario = (dice, mirror) => {
  const seed = 3 * dice.below(100_000) + (dice.below(3) === 0 ? 1 : 0);
  return [
    quietSync(mirror),
    dice.below(3) > 0 ? { do: "here", mirror, act: "remove-many", seed } : { do: "there", act: "remove-many", seed },
    quietSync(mirror),
    ...(dice.below(2) === 0 ? [{ do: "approve", mirror } as const, quietSync(mirror)] : []),
  ];
};

/**
 * Files are downloaded, the process is killed before they are flushed, the machine loses power, and
 * users continue.
 */
const powerLost: Scenario = (dice, mirror) => {
  const cause: Cause = { there: ["create", "edit"], moments: {} };
  const acts = dice.pick<readonly LocalAct[]>([
    ["cut-short"],
    ["cut-short"],
    ["write-in-place"],
    ["remove"],
    ["half-write"],
    [],
  ]);
  return [
    ...Array.from({ length: 2 + dice.below(3) }, () => actOf(dice, mirror, cause)),
    {
      ...quietSync(mirror),
      incidents: [incidentOf(dice, "flush", "killed")],
    },
    { ...quietSync(mirror), seed: seedOf(dice), kill: { at: 1 + dice.below(8), power: true } },
    ...Array.from({ length: 4 }, (): Step[] =>
      acts.map((act) => ({ do: "here", mirror, act, seed: seedOf(dice) }) as const),
    ).flat(),
    quietSync(mirror),
  ];
};

/**
 * Users save so soon after a scan, and content of such a length, that times and sizes show no
 * change.
 */
const hurried: Scenario = (dice, mirror) => [
  { do: "here", mirror, act: "write-in-place", seed: seedOf(dice) },
  quietSync(mirror),
  ...Array.from({ length: 3 }, (): Step => ({ do: "here", mirror, act: "rewrite", seed: seedOf(dice) })),
  quietSync(mirror),
];

/** Files exchange their names, and are edited too. */
const exchanged: Scenario = (dice, mirror) => [
  quietSync(mirror),
  { do: "here", mirror, act: "swap-edited", seed: seedOf(dice) },
  { ...quietSync(mirror), kill: dice.below(4) === 0 ? { at: 1 + dice.below(200), power: false } : null },
];

/** A daemon runs, and users act meanwhile. */
const watched: Scenario = (dice, mirror) => [
  watchOf(dice, mirror),
  ...(dice.below(3) === 0 ? [quietSync(mirror)] : []),
];

function watchOf(dice: Dice, mirror: number): WatchStep {
  const cause = dice.pick(CAUSES);
  return {
    do: "watch",
    mirror,
    seed: seedOf(dice),
    kill: dice.below(3) === 0 ? { at: 1 + dice.below(dice.pick([200, 800])), power: false } : null,
    storm: dice.below(4) === 0 ? dice.pick([5, 12, 30]) : null,
    incidents: dice.below(2) === 0 ? incidentsAt(dice, cause) : [],
    acts: Array.from({ length: 2 + dice.below(6) }, () => actBeside(dice, cause)),
    rest: dice.pick([500, 5_000, 40_000, 90_000]),
  };
}

function actBeside(dice: Dice, cause: Cause): Act {
  const after = dice.pick([1, 60, 400, 2_000, 7_000, 35_000]);
  const step = dice.below(2) === 0 ? actOf(dice, 0, cause) : actOf(dice, 0, dice.pick(CAUSES));
  if (step.do === "here") return { after, by: "local", act: step.act, seed: step.seed };
  if (step.do === "there") return { after, by: "app", act: step.act, seed: step.seed };
  throw new Error(`no act: ${step.do}`);
}

const SCENARIOS: readonly Scenario[] = [
  ...Array.from({ length: 8 }, () => withIncident),
  reviewed,
  crossed,
  restored,
  emptied,
  powerLost,
  hurried,
  exchanged,
  watched,
  watched,
];

/** @param steps approximate number */
export function makeScenarioScript(seed: number, steps = 40): Script {
  const dice = rollDice(seed * 104_729 + 31);
  const setup = withSeed(seed, scenarioSetup(dice));
  const all: Step[] = [];
  // During a first clone most files are not flushed yet.
  if (dice.below(4) === 0) all.push(...powerLost(dice, 0));
  while (all.length < steps) {
    if (dice.below(2) === 0) all.push(makeStep(dice, setup));
    else all.push(...dice.pick(SCENARIOS)(dice, dice.below(setup.mirrors.length)));
  }
  return { seed, setup, steps: all };
}

/**
 * Without documents a scenario has no effect. With normalized contents, many effects do not happen
 * as intended.
 */
function scenarioSetup(dice: Dice): Setup {
  const setup = makeSetup(dice);
  return {
    ...setup,
    variant: dice.below(6) === 0 ? { normalise: true } : setup.variant,
    documents: dice.pick([3, 6, 6, 9, 14]),
  };
}

const TO_REQUESTS: readonly IncidentKind[] = [
  "not-sent",
  "lost-before",
  "lost-after",
  "lost-after",
  "late",
  "cut",
  "unavailable",
  "broken",
  "refused",
  "killed",
];
const AT_READS: readonly IncidentKind[] = ["edited-there", "edited-there", "renamed-there", "removed-there"];

/** The actions that cause an effect, and its possible incidents by moment. */
type Cause = {
  readonly here?: readonly LocalAct[];
  readonly there?: readonly AppAct[];
  readonly moments: Readonly<Partial<Record<Moment, readonly IncidentKind[]>>>;
};

const CAUSES: readonly Cause[] = [
  {
    here: ["remove", "remove", "remove-folder"],
    moments: {
      planned: ["back-here", "back-here", "edited-there"],
      "read-absent": [...AT_READS, "back-here", "killed"],
      DELETE: [...TO_REQUESTS, "back-here"],
    },
  },
  {
    here: ["write-in-place", "save-by-rename", "rewrite", "cut-short", "redress"],
    moments: { planned: [...AT_READS, "edited-here"], PUT: [...TO_REQUESTS, ...AT_READS, "edited-here"] },
  },
  { here: ["create", "create", "odd-file"], moments: { POST: [...TO_REQUESTS, "edited-here"] } },
  {
    here: ["rename", "move", "swap", "change-case", "rename-folder", "move-folder"],
    moments: { PATCH: [...TO_REQUESTS, ...AT_READS, "edited-here"] },
  },
  {
    there: ["edit"],
    moments: {
      read: [...AT_READS, "edited-here", "lost-before", "killed"],
      park: ["written-late", "written-late", "edited-here", "killed"],
    },
  },
  { there: ["remove", "remove-folder"], moments: { read: ["lost-before"], trash: ["edited-here", "killed"] } },
  { there: ["create"], moments: { make: ["killed"], read: [...AT_READS, "lost-before"] } },
  { there: ["rename", "move", "swap", "rename-folder"], moments: { rename: ["edited-here", "killed"] } },
];

function actOf(dice: Dice, mirror: number, { here, there }: Cause): Step {
  return here === undefined
    ? { do: "there", act: dice.pick(there ?? []), seed: seedOf(dice) }
    : { do: "here", mirror, act: dice.pick(here), seed: seedOf(dice) };
}

function incidentOf(dice: Dice, moment: Moment, what: IncidentKind): Incident {
  return { moment, nth: dice.pick([1, 1, 1, 2]), what, seed: seedOf(dice), calls: dice.pick([1, 1, 2, 4, 9, 20]) };
}

/** Returns one to three of the possible incidents. */
function incidentsAt(dice: Dice, { moments }: Cause): Incident[] {
  const all = Object.entries(moments) as [Moment, readonly IncidentKind[]][];
  return Array.from({ length: 1 + dice.below(3) }, () => {
    const [moment, happenings] = dice.pick(all);
    return incidentOf(dice, moment, dice.pick(happenings));
  });
}
