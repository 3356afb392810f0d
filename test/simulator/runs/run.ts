import { planOnly } from "../../../src/mirror/engine/run/converge.ts";
import { type Moment, type Script, type Step, describeStep } from "./script.ts";
import { actInApp } from "./app-acts.ts";
import { approveStop, endRun } from "./run-end.ts";
import { Actors } from "./actors.ts";
import { documentsOf } from "./user-folder.ts";
import { choose } from "./choices.ts";
import { actInFolder } from "./local-acts.ts";
import { runSync, settingsOf } from "./sync-step.ts";
import { runWatch } from "./watch-step.ts";
import { type SimulatedMirror, NO_HOOKS } from "./mirror.ts";

/**
 * Simulates whole runs: several mirrors and a user of the web app on one workspace, in one thread
 * and in virtual time.
 *
 * `const run = await runSimulation(makeScript(seed, 40))`: `run.failures` is empty if every promise
 * that can be checked from outside was kept.
 *
 * The same seed and steps give the same script, and the same script gives the same `trace` (I32).
 * Any step may be removed from `script.steps` (`shrink.ts` does that). An exception of mdmirror
 * becomes a failure, so the call never rejects because of one.
 */
export type Simulation = {
  /** Sentences that begin with the id of the broken promise; stacks of exceptions. */
  readonly failures: readonly string[];
  /** The result of each step, one a line. */
  readonly steps: readonly string[];
  /** SHA-256 of all events. */
  readonly trace: string;
  /** SHA-256 of all requests and of both sides at the end; independent of clocks (I29). */
  readonly decisions: string;
  readonly portCalls: number;
  readonly kills: number;
  readonly powerCuts: number;
  readonly syncs: number;
  /** Number of daemon runs. */
  readonly watches: number;
  /** Number of links that were checked at the end, on the service and in folders. */
  readonly links: number;
  /** Number of paths that a daemon reported to a waiting program as live, and that were checked. */
  readonly barriers: number;
  /** Number of users' actions between the port calls of a cycle. */
  readonly interventions: number;
  readonly faults: ReadonlyMap<string, number>;
  /** Number of incidents whose moment has come, by moment. */
  readonly moments: ReadonlyMap<Moment, number>;
  /** Code locations of the kills. */
  readonly crashPoints: ReadonlySet<string>;
  /** After a failure: the plan and last events of each document that a failure names. */
  readonly why: readonly string[];
};

export async function runSimulation(script: Script): Promise<Simulation> {
  const actors = new Actors(script);
  const { history, tally } = actors;
  const steps: string[] = [];
  let why: readonly string[] = [];
  try {
    populate(actors, script);
    for (const step of script.steps) {
      history.step = steps.length + 1;
      const line = await takeStep(actors, step);
      steps.push(line);
      history.note(line);
    }
    history.step = steps.length + 1;
    await endRun(actors, script);
  } catch (error) {
    history.fail(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
  if (history.failures.length > 0) why = await explainRun(actors);
  for (const mirror of actors.mirrors)
    for (const [path, text] of mirror.disk.user.texts(mirror.userFolder.root)) {
      history.note(`${path}\n${text}`);
      history.decisions.update(`${path}\n${text}`);
    }
  actors.close();
  return {
    failures: history.failures,
    steps,
    trace: history.trace.digest("hex"),
    decisions: history.decisions.digest("hex"),
    portCalls: tally.portCalls,
    kills: tally.kills,
    powerCuts: tally.powerCuts,
    syncs: tally.syncs,
    watches: tally.watches,
    links: tally.links,
    barriers: tally.barriers,
    interventions: tally.interventions,
    faults: tally.faults,
    moments: tally.moments,
    crashPoints: actors.crashPoints,
    why,
  };
}

function populate(actors: Actors, { seed, setup }: Script): void {
  const { simulatedWorld, history } = actors;
  for (const [index, { level }] of setup.mirrors.entries())
    if (level !== "hide-one-folder") simulatedWorld.grant(index, level, 0);
  if (setup.mirrors.some(({ prefix }) => prefix !== "")) simulatedWorld.ask("POST", "/v1/folders", { path: "work" });
  for (let n = 0; n < setup.documents; n++) actInApp(simulatedWorld, history, "create", seed + n * 37);
  if (setup.links === true) linkAll(actors, seed);
  for (const [index, { level }] of setup.mirrors.entries())
    if (level === "hide-one-folder") simulatedWorld.grant(index, level, seed);
}

/** Adds links from every document to two others, so that there are circles of links. */
function linkAll({ simulatedWorld, history }: Actors, seed: number): void {
  for (const turn of [0, 1])
    for (const [n, { id }] of simulatedWorld.files().entries())
      actInApp(simulatedWorld, history, "link", seed + n * 41 + turn * 11, id);
}

/** Returns the document that the same seed would choose in that mirror's folder. */
function documentAs({ mirrors }: Actors, { as, seed }: Extract<Step, { do: "there" }>): string | undefined {
  const mirror = as === undefined ? undefined : mirrors[as];
  if (mirror === undefined) return undefined;
  const path = choose([...documentsOf(mirror.userFolder).keys()], seed);
  return [...mirror.state.load().records.values()].find(({ localPath }) => localPath === path)?.id;
}

async function takeStep(actors: Actors, step: Step): Promise<string> {
  const { simulatedWorld, history } = actors;
  switch (step.do) {
    case "here":
      actors.mirrors[step.mirror]!.disk.advance(10);
      return actInFolder(actors.mirrors[step.mirror]!.userFolder, history, step.act, step.seed);
    case "there":
      return actInApp(simulatedWorld, history, step.act, step.seed, documentAs(actors, step));
    case "sync": {
      actors.tally.syncs++;
      const { report } = await runSync(actors, step);
      return `${describeStep(step)}: ${report?.state ?? "killed"} ${JSON.stringify(report?.counts ?? null)}`;
    }
    case "watch": {
      actors.tally.watches++;
      const { report } = await runWatch(actors, step);
      return `${describeStep(step)}: ${report?.state ?? "killed"} ${JSON.stringify(report?.counts ?? null)}`;
    }
    case "grant":
      simulatedWorld.grant(step.mirror, step.level, step.seed);
      return describeStep(step);
    case "workspace":
      simulatedWorld.admin.setWorkspaceState(simulatedWorld.workspaceId, step.state);
      return describeStep(step);
    case "backup":
      simulatedWorld.backUp();
      return describeStep(step);
    case "restore-backup":
      await simulatedWorld.late.arrive(true);
      return `${describeStep(step)}: ${simulatedWorld.restore()}`;
    case "approve":
      return `${describeStep(step)}: ${await approveStop(actors, step.mirror)}`;
    case "wait":
      await simulatedWorld.clock.sleep(step.ms);
      for (const { disk } of actors.mirrors) disk.advance(step.ms);
      return describeStep(step);
    case "set-clock":
      simulatedWorld.setClock(step.ms);
      return describeStep(step);
  }
}

/**
 * Returns the plan and last events of each document that a failure names by path or id, like the
 * command `why`.
 */
async function explainRun(actors: Actors): Promise<readonly string[]> {
  const named = actors.history.failures.join("\n");
  const lines: string[] = [];
  for (const mirror of actors.mirrors) {
    const { records } = mirror.state.load();
    const paths = new Set([
      ...documentsOf(mirror.userFolder).keys(),
      ...[...records.values()].map(({ localPath }) => localPath),
    ]);
    const concerned = [...paths].filter((path) => {
      const record = [...records.values()].find(({ localPath }) => localPath === path);
      return named.includes(path) || (record !== undefined && named.includes(record.id));
    });
    for (const path of concerned.slice(0, 6))
      lines.push(`mirror ${mirror.index} ${path}: ${await explainOne(actors, mirror, path)}`);
  }
  return lines;
}

async function explainOne(actors: Actors, mirror: SimulatedMirror, path: string): Promise<string> {
  const exchange = async (request: Parameters<typeof NO_HOOKS.exchange>[0]) =>
    ({ kind: "answer", response: await actors.simulatedWorld.handle(request) }) as const;
  const world = mirror.start({ ...NO_HOOKS, exchange });
  const settings = settingsOf(mirror);
  try {
    const end = await planOnly(world, { settings, retryRefused: true, kind: "why" });
    if (end.kind === "offline") return `offline: ${JSON.stringify(end.fault)}`;
    const id = [...end.trees.base.records.values()].find(({ localPath }) => localPath === path)?.id;
    const isAbout = (action: object) => Object.values(action).some((value) => value === path || value === id);
    const steps = end.plan.steps.map(({ action }) => action).filter(isAbout);
    const blocks = end.plan.blocks.filter(({ key, path: at }) => key === id || key === path || at === path);
    const events = mirror.state
      .events({ limit: 4, path })
      .map(({ kind, side, detail, outcome }) => `${kind} ${side} ${outcome}: ${detail}`);
    return `${JSON.stringify({ steps, blocks })} events: ${events.join(" | ")}`;
  } catch (error) {
    // The run has failed already, so an exception of the planner is part of that failure.
    return `cannot be explained: ${String(error)}`;
  }
}
