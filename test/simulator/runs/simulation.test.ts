import { describe, expect, it } from "vitest";
import { MANY_RUNS, runs } from "../../property.ts";
import { makeScript, makeSmallScript, ODD_NAMES_FROM, ONE_WAY_FROM, OPEN_FILES_FROM } from "./generate.ts";
import { makeLinkedScript } from "./linked.ts";
import { makeScenarioScript } from "./scenarios.ts";
import { makeProgramScript } from "./programs.ts";
import { FAILED_ONCE } from "./regression-cases.ts";
import { runSimulation, type Simulation } from "./run.ts";
import {
  type AppAct,
  type LocalAct,
  type Moment,
  MOMENTS,
  quietSync,
  type Script,
  type Setup,
  type Step,
} from "./script.ts";
import { shrink } from "./shrink.ts";
import { countRun, noTotals } from "./totals.ts";

const shared = new Map<string, Promise<Simulation>>();

/** Runs a script. The runs of the first two seeds are used by several tests and run only once. */
function simulate(script: Script): Promise<Simulation> {
  if (script.seed > 2) return runSimulation(script);
  const key = JSON.stringify(script);
  const run = shared.get(key) ?? runSimulation(script);
  shared.set(key, run);
  return run;
}

describe("runs that failed once", () => {
  it.each(FAILED_ONCE.filter(({ short }) => MANY_RUNS || short === true))("$found", async ({ script }) => {
    expect((await runSimulation(script)).failures).toEqual([]);
  });
});

type Kind = {
  readonly name: string;
  /** Number of runs in `npm test`; `npm run simulate` runs any number. */
  readonly simulations: number;
  readonly scriptOf: (seed: number) => Script;
  /** First seed, for kinds of runs that begin at a certain seed. */
  readonly first?: number;
};

const KINDS: readonly Kind[] = [
  {
    name: "all promises that can be judged from outside hold",
    simulations: 2,
    scriptOf: (seed) => makeScript(seed, 30),
  },
  { name: "they hold in runs with scenarios", simulations: 2, scriptOf: (seed) => makeScenarioScript(seed, 30) },
  {
    name: "they hold in workspaces of one to four documents",
    simulations: 2,
    scriptOf: (seed) => makeSmallScript(seed, 30),
    first: 8,
  },
  {
    name: "they hold with services that have rules of their own for names and places",
    simulations: 2,
    scriptOf: (seed) => makeScript(seed, 30),
    first: ODD_NAMES_FROM,
  },
  {
    name: "I01 I16 they hold while files are open in editors",
    simulations: 2,
    scriptOf: (seed) => makeScript(seed, 30),
    first: OPEN_FILES_FROM,
  },
  {
    name: "I03 with one direction, each sync changes one side only",
    simulations: 2,
    scriptOf: (seed) => makeScript(seed, 30),
    first: ONE_WAY_FROM,
  },
  {
    name: "I01 I10 I13 each link that a sync has read leads to its document on both sides",
    simulations: 2,
    scriptOf: (seed) => makeLinkedScript(seed, 25),
    first: 36,
  },
  {
    name: "I02 I14 a program reads back what it wrote, and the service has it when the program reads the answer",
    simulations: 1,
    scriptOf: (seed) => makeProgramScript(seed, 6),
  },
];

describe("seeded runs of several mirrors and a user of the web app", () => {
  it.each(KINDS)("$name", async ({ simulations, scriptOf, first = 1 }) => {
    const totals = noTotals();
    for (let seed = first; seed < first + runs(simulations); seed++) {
      const run = await simulate(scriptOf(seed));
      expect({ seed, failures: run.failures }).toEqual({ seed, failures: [] });
      countRun(totals, run);
    }
    // Runs without syncs and kills would prove nothing.
    expect(totals.syncs).toBeGreaterThan(0);
    expect(totals.kills).toBeGreaterThan(0);
  });

  it("I32 the same script gives the same trace, and another one another", async () => {
    const script = makeScript(1, 30);
    const first = await simulate(script);
    const second = await runSimulation(script);
    expect(first.failures).toEqual([]);
    expect(second.trace).toBe(first.trace);
    expect(second.portCalls).toBe(first.portCalls);
    expect((await simulate(makeScript(2, 30))).trace).not.toBe(first.trace);
  });

  it("I29 the same run under other clocks takes the same decisions", async () => {
    for (const seed of [2, 9]) {
      const script = makeScript(seed, 30);
      const [now, years] = [
        await simulate(script),
        await runSimulation({ ...script, setup: { ...script.setup, clockOff: 5 * 365 * 86_400_000 } }),
      ];
      expect({ seed, decisions: years.decisions }).toEqual({ seed, decisions: now.decisions });
    }
  });

  it("each moment of an incident comes", async () => {
    const setup: Setup = {
      mirrors: [{ prefix: "", level: "full", disk: {}, conflicts: "copy" }],
      ...{ variant: {}, combines: false, documents: 4, clockOff: 0 },
    };
    const sync = (...moments: readonly Moment[]): Step => ({
      ...quietSync(0),
      // A kill that its sync does not reach.
      incidents: moments.map((moment) => ({ moment, nth: 1, what: "killed", seed: 1, calls: 1_000_000 })),
    });
    const local = (act: LocalAct, seed: number): Step => ({ do: "here", mirror: 0, act, seed });
    const remote = (act: AppAct, seed: number): Step => ({ do: "there", act, seed });
    const steps = [
      ...[sync("make", "flush"), local("create", 1), sync("POST"), local("write-in-place", 2), sync("PUT")],
      ...[local("rename", 4), sync("PATCH"), remote("edit", 4), sync("read", "park")],
      ...[remote("rename", 8), sync("rename"), remote("remove", 6), sync("trash")],
      ...[local("remove", 7), sync("planned", "read-absent", "DELETE")],
    ];
    const { failures, moments } = await runSimulation({ seed: 8, setup, steps });
    expect(failures).toEqual([]);
    expect([...moments.keys()].sort()).toEqual([...MOMENTS].sort());
  });

  it("a failing script shrinks to the steps that make it fail", async () => {
    // A user's action that breaks a promise and that no mirror can correct.
    const script = makeSmallScript(3, 4);
    const impossible = {
      ...script,
      steps: [...script.steps, { do: "grant", mirror: 99, level: "full", seed: 1 } as const],
    };
    const run = await runSimulation(impossible);
    expect(run.failures).toHaveLength(1);
    const small = await shrink(impossible, run, 60);
    expect(small.script.steps).toEqual([{ do: "grant", mirror: 99, level: "full", seed: 1 }]);
  });
});
