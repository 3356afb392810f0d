import { describe, expect, test } from "vitest";
import { RequestBudget } from "../../../src/mirror/engine/daemon/request-budget.ts";
import { DEFAULT_TIMING } from "../../../src/mirror/engine/daemon/timing.ts";

const MINUTE = 60_000;

/** A client that has sent so much, and been refused so often. */
class Sender {
  count = 0;
  refusals = 0;
  pauseMs = 0;
  counts = () => ({ GET: this.count });
  pressure = () => ({ refusals: this.refusals, pauseMs: this.pauseMs });
}

function budgetOf(): { readonly budget: RequestBudget; readonly sender: Sender } {
  const sender = new Sender();
  return { budget: new RequestBudget(sender, DEFAULT_TIMING, 0), sender };
}

describe("the budget of requests", () => {
  test("is halved by a refusal, waits for Retry-After, and comes back in ten minutes", () => {
    const { budget, sender } = budgetOf();
    sender.refusals = 1;
    sender.pauseMs = 7_000;
    expect(budget.smallAt(0)).toBe(7_000);
    expect(budget.requestsAMinute(0)).toBe(30);
    sender.refusals = 9;
    expect(budget.requestsAMinute(1)).toBe(15);
    for (let n = 10; n < 90; n++) {
      sender.refusals = n;
      budget.requestsAMinute(1);
    }
    expect(budget.requestsAMinute(1)).toBe(4);
    expect(budget.requestsAMinute(MINUTE)).toBeCloseTo(10);
    expect(budget.requestsAMinute(20 * MINUTE)).toBe(60);
  });
});
