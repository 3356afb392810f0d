import { describe, expect, it } from "vitest";
import type { DocId } from "../../src/contract/ids.ts";
import type { Action, Outcome, Step } from "../../src/mirror/model/action.ts";
import { executeSteps } from "../../src/mirror/engine/run/execute.ts";

const step = (name: string, ...after: number[]): Step => ({
  action: { kind: "forget", why: "", id: name as DocId, localPath: name },
  after,
});
const nameOf = (action: Action): string => (action.kind === "forget" ? action.localPath : "");
const DONE: Outcome = { kind: "done" };
const STALE: Outcome = { kind: "stale", detail: "" };
const GONE: Outcome = { kind: "later", code: "unreachable", detail: "", unreachable: true, requestId: null };

function execute(steps: readonly Step[], perform: (action: Action) => Promise<Outcome>, concurrency = 4) {
  return executeSteps(steps, perform, {
    isFatal: (outcome) => outcome.kind === "later" && outcome.unreachable,
    onEnd: () => undefined,
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
