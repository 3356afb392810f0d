import type { Simulation } from "./run.ts";
import type { Moment } from "./script.ts";

const SUMS = [
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
] as const;

/** Sums over many runs, as plain data that a worker can send. */
export type Totals = Record<(typeof SUMS)[number], number> & {
  readonly crashPoints: Set<string>;
  readonly faults: Map<string, number>;
  readonly moments: Map<Moment, number>;
};

export function noTotals(): Totals {
  const sums = Object.fromEntries(SUMS.map((name) => [name, 0])) as Record<(typeof SUMS)[number], number>;
  return { ...sums, crashPoints: new Set(), faults: new Map(), moments: new Map() };
}

export function countRun(totals: Totals, run: Simulation): void {
  addTotals(totals, { ...run, runs: 1, steps: run.steps.length, failed: run.failures.length > 0 ? 1 : 0 });
}

type Sums = Omit<Totals, "crashPoints" | "faults" | "moments"> & {
  readonly crashPoints: ReadonlySet<string>;
  readonly faults: ReadonlyMap<string, number>;
  readonly moments: ReadonlyMap<Moment, number>;
};

export function addTotals(totals: Totals, more: Sums): void {
  for (const name of SUMS) totals[name] += more[name];
  for (const point of more.crashPoints) totals.crashPoints.add(point);
  addCounts(totals.faults, more.faults);
  addCounts(totals.moments, more.moments);
}

function addCounts<K>(counts: Map<K, number>, more: ReadonlyMap<K, number>): void {
  for (const [key, count] of more) counts.set(key, (counts.get(key) ?? 0) + count);
}

function describeCounts(counts: ReadonlyMap<string, number>): string {
  const sum = [...counts.values()].reduce((total, count) => total + count, 0);
  const each = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, count]) => `${key} ${count}`);
  return `${sum}: ${each.join(", ")}`;
}

export function describeTotals(totals: Totals): string {
  const { links, barriers, crashPoints, faults, moments } = totals;
  return [
    `${totals.runs} runs: ${totals.steps} steps, ${totals.syncs} syncs, ${totals.watches} daemons, ${totals.portCalls} port calls`,
    `${totals.kills} kills (${totals.powerCuts} power cuts) at ${crashPoints.size} distinct crash points; ${totals.interventions} acts of people within a pass`,
    ...(links === 0 ? [] : [`${links} links resolved in the end`]),
    ...(barriers === 0 ? [] : [`${barriers} paths judged that a program was told are live`]),
    `faults of the network ${describeCounts(faults)}`,
    `incidents by moment ${describeCounts(moments)}`,
    `${totals.failed} failed`,
  ].join("\n");
}
