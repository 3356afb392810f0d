import { describe, expect, it } from "vitest";
import type { DocId } from "../../src/contract/ids.ts";
import type { Action, Outcome, Step } from "../../src/model/action.ts";
import { executeSteps } from "../../src/engine/run/execute.ts";

const step = (name: string, ...after: number[]): Step => ({
  action: { kind: "forget", why: "", id: name as DocId, localPath: name },
  after,
});
const nameOf = (action: Action): string => (action.kind === "forget" ? action.localPath : "");
const DONE: Outcome = { kind: "done" };
const STALE: Outcome = { kind: "stale", detail: "" };
const GONE: Outcome = { kind: "later", code: "unreachable", detail: "", unreachable: true, requestId: null };

const USUAL = {
  isFatal: (outcome: Outcome) => outcome.kind === "later" && outcome.unreachable,
  onEnd: () => undefined,
} as const;

function execute(steps: readonly Step[], perform: (action: Action) => Promise<Outcome>, concurrency = 4) {
  return executeSteps(steps, perform, {
    ...USUAL,
    concurrency,
  });
}

describe("executing the steps of a plan", () => {
  it("runs each step after those it needs, and keeps no more under way than it may", async () => {
    const order: string[] = [];
    let running = 0;
    let most = 0;
    const steps = [
      step("a"),
      step("b", 0),
      step("c", 0),
      step("d", 1, 2),
      ...Array.from({ length: 20 }, (_, n) => step(`x${n}`)),
    ];
    await execute(steps, async (action) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      order.push(nameOf(action));
      return DONE;
    });
    expect(most).toBe(4);
    expect(order).toHaveLength(steps.length);
    for (const [before, after] of [
      ["a", "b"],
      ["a", "c"],
      ["b", "d"],
      ["c", "d"],
    ] as const)
      expect(order.indexOf(before)).toBeLessThan(order.indexOf(after));
  });

  it("I17 skips what needs a step that failed, and nothing else", async () => {
    const ran: string[] = [];
    const ends = await execute([step("a"), step("b", 0), step("c", 1), step("d")], async (action) => {
      ran.push(nameOf(action));
      return nameOf(action) === "a" ? STALE : DONE;
    });
    expect(ran.sort()).toEqual(["a", "d"]);
    expect(ends.map((end) => (end.kind === "ran" ? end.outcome.kind : end.why))).toEqual([
      "stale",
      "needs-failed",
      "needs-failed",
      "done",
    ]);
  });

  it("starts nothing more once the service is gone", async () => {
    const ran: string[] = [];
    const steps = Array.from({ length: 10 }, (_, n) => step(String(n)));
    const ends = await execute(
      steps,
      async (action) => {
        ran.push(nameOf(action));
        return GONE;
      },
      2,
    );
    expect(ran).toHaveLength(2);
    expect(ends.filter((end) => end.kind === "skipped" && end.why === "stopped")).toHaveLength(8);
  });

  it("I13 ends with the error of a step that dies, also when it dies between two others", async () => {
    const dead = new Error("killed here");
    const steps = [step("quick"), step("dies"), step("slow"), step("next", 0)];
    const run = execute(steps, async (action) => {
      if (nameOf(action) === "dies") throw dead;
      if (nameOf(action) === "slow") await new Promise((resolve) => setImmediate(resolve));
      return DONE;
    });
    await expect(run).rejects.toBe(dead);
  });
});

const isX = (action: Action) => nameOf(action).startsWith("x");

function noted(names: string[], action: Action): string {
  names.push(nameOf(action));
  return nameOf(action);
}

/** Runs steps whose names begin with `x` together, and keeps what went together. */
async function executeTogether(
  steps: readonly Step[],
  outcomeOf: (name: string) => Outcome = () => DONE,
  more: { readonly stop?: AbortSignal; readonly concurrency?: number } = {},
) {
  const together: string[][] = [];
  const alone: string[] = [];
  let [running, most] = [0, 0];
  const during = async <T>(count: number, value: T): Promise<T> => {
    running += count;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= count;
    return value;
  };
  const { stop, concurrency = 8 } = more;
  const ends = await executeSteps(steps, (action) => during(1, outcomeOf(noted(alone, action))), {
    ...USUAL,
    concurrency,
    ...(stop === undefined ? {} : { stop }),
    bundles: {
      least: 3,
      most: 4,
      takes: isX,
      perform: (actions) => {
        together.push(actions.map(nameOf));
        return during(
          actions.length,
          actions.map((action) => outcomeOf(nameOf(action))),
        );
      },
    },
  });
  return { ends, together, alone, most };
}

function many(count: number, ...after: number[]): Step[] {
  return Array.from({ length: count }, (_, n) => step(`x${n}`, ...after));
}

describe("steps that go together", () => {
  it("are as many as may, in their order, and what is left goes by itself", async () => {
    const { ends, together, alone, most } = await executeTogether(many(10));
    expect([together, alone]).toEqual([
      [
        ["x0", "x1", "x2", "x3"],
        ["x4", "x5", "x6", "x7"],
      ],
      ["x8", "x9"],
    ]);
    expect([ends.length, most]).toEqual([10, 8]);
    expect(ends.every((end) => end.kind === "ran" && end.outcome.kind === "done")).toBe(true);
  });

  it("wait for what they need, and are none that others need, or are of another kind", async () => {
    const steps = [step("a"), ...many(2, 0), step("b"), step("x4"), step("x5"), step("x6"), step("c", 6)];
    const { together, alone } = await executeTogether(steps);
    expect(together).toEqual([]);
    expect(alone.toSorted()).toEqual(["a", "b", "c", "x0", "x1", "x4", "x5", "x6"]);
    expect(alone.indexOf("a")).toBeLessThan(alone.indexOf("x0"));
  });

  it("I17 end each for itself: one that fails stops nothing but what is fatal", async () => {
    const { ends, together } = await executeTogether(many(8), (name) => (name === "x1" ? STALE : DONE));
    expect(together).toHaveLength(2);
    expect(ends.map((end) => end.kind === "ran" && end.outcome.kind)).toEqual(
      many(8).map(({ action }) => (nameOf(action) === "x1" ? "stale" : "done")),
    );
    const gone = await executeTogether(many(12), (name) => (name === "x2" ? GONE : DONE), { concurrency: 4 });
    expect(gone.together).toHaveLength(1);
    expect(gone.ends.slice(4)).toEqual(many(8).map(() => ({ kind: "skipped", why: "stopped" })));
  });

  it("are no more under way than may be, but for one bundle alone", async () => {
    expect((await executeTogether(many(12), undefined, { concurrency: 5 })).most).toBe(4);
    const few = await executeTogether(many(8), undefined, { concurrency: 2 });
    expect([few.most, few.together.length]).toEqual([4, 2]);
  });

  it("are not begun once somebody stops them", async () => {
    const { ends, together } = await executeTogether(many(8), undefined, { stop: AbortSignal.abort() });
    expect([together, ends]).toEqual([[], many(8).map(() => ({ kind: "skipped", why: "stopped" }))]);
  });

  it("break off the plan when they throw", async () => {
    const broken = executeTogether(many(8), () => {
      throw new Error("killed");
    });
    await expect(broken).rejects.toThrow("killed");
  });
});
