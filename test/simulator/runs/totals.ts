import type { Simulation } from "./run.ts";

/** Sums of many lives, as plain data: what a worker tells. */
export type Totals = {
  runs: number;
  steps: number;
  syncs: number;
  watches: number;
  links: number;
  barriers: number;
  portCalls: number;
  kills: number;
  powerCuts: number;
  interventions: number;
  failed: number;
  readonly crashPoints: Set<string>;
  readonly faults: Map<string, number>;
};

export function noTotals(): Totals {
  return {
    runs: 0,
    steps: 0,
    syncs: 0,
    watches: 0,
    links: 0,
    barriers: 0,
    portCalls: 0,
    kills: 0,
    powerCuts: 0,
    interventions: 0,
    failed: 0,
    crashPoints: new Set(),
    faults: new Map(),
  };
}

export function countRun(totals: Totals, life: Simulation): void {
  addTotals(totals, { ...life, runs: 1, steps: life.steps.length, failed: life.failures.length > 0 ? 1 : 0 });
}

type Sums = Omit<Totals, "crashPoints" | "faults"> & {
  readonly crashPoints: ReadonlySet<string>;
  readonly faults: ReadonlyMap<string, number>;
};

export function addTotals(totals: Totals, more: Sums): void {
  for (const name of [
    "runs",
    "steps",
    "syncs",
    "watches",
    "links",
    "barriers",
    "portCalls",
    "kills",
    "powerCuts",
    "interventions",
    "failed",
  ] as const)
    totals[name] += more[name];
  for (const point of more.crashPoints) totals.crashPoints.add(point);
  for (const [kind, count] of more.faults) totals.faults.set(kind, (totals.faults.get(kind) ?? 0) + count);
}

export function tellTotals(totals: Totals): string {
  const { links, barriers, crashPoints, faults } = totals;
  const kinds = [...faults].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${kind} ${count}`);
  return [
    `${totals.runs} runs: ${totals.steps} steps, ${totals.syncs} syncs, ${totals.watches} daemons, ${totals.portCalls} port calls`,
    `${totals.kills} kills (${totals.powerCuts} power cuts) at ${crashPoints.size} distinct crash points; ${totals.interventions} acts of people within a pass`,
    ...(links === 0 ? [] : [`${links} links resolved in the end`]),
    ...(barriers === 0 ? [] : [`${barriers} paths judged that a program was told are live`]),
    `${[...faults.values()].reduce((sum, count) => sum + count, 0)} faults of the network: ${kinds.join(", ")}`,
    `${totals.failed} failed`,
  ].join("\n");
}
