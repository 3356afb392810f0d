import { type Simulation, runSimulation } from "./run.ts";
import type { Act, Script, Step, WatchStep } from "./script.ts";

/**
 * Returns the fewest steps that still break the same promise. Removes steps (ddmin), then from each
 * step its kill, request faults, disk trouble and users' actions, then mirrors, documents and
 * actions.
 */
export async function shrink(
  script: Script,
  run: Simulation,
  most = 400,
): Promise<{ readonly script: Script; readonly run: Simulation }> {
  const promise = promiseOf(run);
  let best = { script, run };
  let tries = 0;
  const attempt = async (candidate: Script): Promise<boolean> => {
    if (tries++ >= most) return false;
    const end = await runSimulation(candidate);
    if (end.failures.length === 0 || promiseOf(end) !== promise) return false;
    best = { script: candidate, run: end };
    return true;
  };
  const fewerSteps = (): Promise<void> =>
    fewerItems(
      () => best.script.steps,
      (steps) => attempt({ ...best.script, steps }),
    );
  await fewerSteps();
  for (const candidate of simplerSetups(best.script)) await attempt(candidate(best.script));
  for (let index = best.script.steps.length - 1; index >= 0; index--) {
    for (const simpler of simplerSteps(best.script.steps[index]!)) {
      const steps = best.script.steps.with(index, simpler);
      if (await attempt({ ...best.script, steps })) break;
    }
    const actsNow = (): readonly Act[] => {
      const step = best.script.steps[index]!;
      return step.do === "watch" ? step.acts : [];
    };
    await fewerItems(actsNow, (acts) => {
      const step = best.script.steps[index] as WatchStep;
      return attempt({ ...best.script, steps: best.script.steps.with(index, { ...step, acts }) });
    });
  }
  await fewerSteps();
  return best;
}

/**
 * Returns what a failure is about: the promise's id and its sentence up to a colon, without names
 * and numbers; or the exception.
 */
function promiseOf({ failures }: Simulation): string {
  const [first = ""] = failures;
  return /^I\d\d[^:]*/.exec(first)?.[0].replace(/ \S*[\d./_]\S*/g, "") ?? first.split("\n")[0]!.slice(0, 40);
}

/** Removes items, many together at first. */
async function fewerItems<Item>(
  current: () => readonly Item[],
  attempt: (items: readonly Item[]) => Promise<boolean>,
): Promise<void> {
  for (let size = Math.ceil(current().length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < current().length; ) {
      const items = current();
      if (!(await attempt([...items.slice(0, from), ...items.slice(from + size)]))) from += size;
    }
  }
}

const withSetup = (change: Partial<Script["setup"]>) => (now: Script) => ({
  ...now,
  setup: { ...now.setup, ...change },
});

function simplerSetups(script: Script): ((now: Script) => Script)[] {
  const { setup } = script;
  return [
    ...setup.mirrors.map((_, index) => (now: Script) => onlyMirror(now, index)),
    (now) => ({
      ...now,
      setup: { ...now.setup, mirrors: now.setup.mirrors.slice(0, 2) },
      steps: now.steps.filter((step) => !("mirror" in step) || step.mirror < 2),
    }),
    withSetup({ variant: {} }),
    withSetup({ combines: true }),
    ...[0, 1, 3, 6].filter((documents) => documents < setup.documents).map((documents) => withSetup({ documents })),
    ...setup.mirrors.map((_, index) => (now: Script) => {
      const mirror = now.setup.mirrors[index];
      if (mirror === undefined) return now;
      return {
        ...now,
        setup: {
          ...now.setup,
          mirrors: now.setup.mirrors.with(index, { ...mirror, disk: {}, conflicts: "conflict-copy" as const }),
        },
      };
    }),
  ];
}

function onlyMirror(script: Script, index: number): Script {
  const mirror = script.setup.mirrors[index];
  if (mirror === undefined) return script;
  const steps = script.steps.flatMap((step): Step[] => {
    if (!("mirror" in step)) return [step];
    return step.mirror === index ? [{ ...step, mirror: 0 }] : [];
  });
  return { ...script, setup: { ...script.setup, mirrors: [mirror] }, steps };
}

/** Returns simpler versions of a step, the simplest first. */
function simplerSteps(step: Step): Step[] {
  if (step.do === "watch")
    return [
      { ...step, kill: null },
      { ...step, storm: null },
      { ...step, incidents: [] },
    ].filter((one) => JSON.stringify(one) !== JSON.stringify(step));
  if (step.do !== "sync") return [];
  const plain = { ...step, kill: null, storm: null, trouble: null, interventions: [] };
  const without: Step[] = [
    { ...step, kill: null },
    { ...step, storm: null },
    { ...step, trouble: null },
    { ...step, interventions: [] },
    ...step.interventions.map((_, index) => ({ ...step, interventions: step.interventions.toSpliced(index, 1) })),
    ...(step.incidents ?? []).map((_, index) => ({ ...step, incidents: step.incidents!.toSpliced(index, 1) })),
  ];
  const { kill, storm, trouble, interventions } = step;
  return [
    plain,
    { ...plain, kill },
    { ...plain, storm },
    { ...plain, trouble },
    { ...plain, interventions },
    ...interventions.map((intervene) => ({ ...plain, interventions: [intervene] })),
    ...without,
  ].filter((one) => JSON.stringify(one) !== JSON.stringify(step));
}
