import { expect, test } from "vitest";
import { HOLD_REASONS, type HoldReason, needsYou } from "../../src/model/hold.ts";
import { nextOfHold } from "../../src/engine/run/hold-next.ts";

const reasons = Object.keys(HOLD_REASONS) as HoldReason[];
const next = (reason: HoldReason) => nextOfHold({ reason, digest: null, changeId: null });

test.each(reasons)("what to do about %s is said by itself, and is no way back to `why`, which shows it", (reason) => {
  expect(next(reason)).not.toBe("");
  expect(next(reason)).not.toContain("mdmirror why");
});

test("what needs a person names something to do, and what ends by itself says so", () => {
  expect(reasons.filter((reason) => next(reason).startsWith("nothing:") && needsYou(reason))).toEqual([
    // Both end with the next run that can see, or may send, what was not seen or sent.
    "not-seen",
    "direction-off",
  ]);
});

test("a text in review whose rejection nobody can show has a way out", () => {
  expect(next("in-review")).toContain("mdmirror resolve PATH --theirs");
});
