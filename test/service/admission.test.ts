import { describe, expect, it } from "vitest";
import { Admission } from "../../src/service/requests/admission.ts";
import { MAX_BODY_BYTES } from "../../src/service/requests/input.ts";

/** Number of requests that the service handles at the same time. */
const MOST = 256;

describe("admission", () => {
  it("takes a limited number of requests at a time, and another for each that ends", () => {
    const admission = new Admission();
    const ends = Array.from({ length: MOST }, () => admission.begin(0, false));
    expect(ends).not.toContain(null);
    expect(admission.begin(0, false)).toBeNull();
    ends[0]!();
    expect(admission.begin(0, false)).not.toBeNull();
  });

  it("takes a limited number of body bytes at a time", () => {
    const admission = new Admission();
    const ends = Array.from({ length: 64 }, () => admission.begin(MAX_BODY_BYTES, false));
    expect(ends).not.toContain(null);
    expect(admission.begin(1, false)).toBeNull();
    expect(admission.begin(0, false)).not.toBeNull();
    ends[0]!();
    expect(admission.begin(MAX_BODY_BYTES, false)).not.toBeNull();
  });

  it("takes the place of a body that trickles in, the oldest first, after two seconds", () => {
    const { turns, pass, end } = turnsByHand();
    const admission = new Admission(turns);
    const cut: number[] = [];
    const ends = Array.from({ length: MOST }, (_, n) => admission.begin(1, false, () => cut.push(n))!);
    admission.arrived(ends[0]!);
    const isIn = () => {
      end();
      return admission.begin(0, false) !== null;
    };
    pass(1_999);
    expect([isIn(), cut]).toEqual([false, []]);
    pass(1);
    expect([isIn(), isIn(), cut]).toEqual([true, true, [1, 2]]);
    // The end of its connection does not count a second time.
    ends[1]!();
    expect([isIn(), cut]).toEqual([true, [1, 2, 3]]);
  });

  it("ends as many bodies as a new one needs, or none", () => {
    const { turns, pass, end } = turnsByHand();
    const admission = new Admission(turns);
    const cut: number[] = [];
    for (let n = 0; n < 64; n++) admission.begin(MAX_BODY_BYTES, false, n < 2 ? () => cut.push(n) : null);
    pass(2_000);
    end();
    expect(admission.begin(MAX_BODY_BYTES, false)).not.toBeNull();
    expect(cut).toEqual([0]);
  });

  it("refuses requests that have waited for half a second, until the turn of the event loop ends", () => {
    const { turns, pass, end } = turnsByHand();
    const admission = new Admission(turns);
    const came = (n: number) => Array.from({ length: n }, () => admission.begin(0, false) !== null);
    expect(came(8)).not.toContain(false);
    pass(500);
    expect(came(1)).toEqual([true]);
    pass(1);
    expect([...came(2), admission.begin(0, true) !== null]).toEqual([false, false, true]);
    end();
    expect(came(20)).not.toContain(false);
  });

  it("accepts a few requests however long a turn takes, because refusing them would not help", () => {
    const { turns, pass } = turnsByHand();
    const admission = new Admission(turns);
    for (let n = 0; n < 8; n++) {
      expect(admission.begin(0, false)).not.toBeNull();
      pass(10_000);
    }
    expect(admission.begin(0, false)).toBeNull();
  });

  it("refuses while every answer has waited half a second for a database that others use too", () => {
    const { turns, pass, end } = turnsByHand();
    const admission = new Admission(turns);
    const isIn = () => {
      end();
      return admission.begin(0, false) !== null;
    };
    const ends = Array.from({ length: 20 }, () => (isIn() ? admission.work() : expect.fail()));
    pass(501);
    for (const one of ends.splice(0, 5)) one();
    expect(isIn()).toBe(false);
    // So few requests wait that a refusal would not help.
    for (const one of ends.splice(0, 7)) one();
    expect(isIn()).toBe(true);
    // One quick answer shows that new requests need not wait.
    for (let n = 0; n < 5; n++) ends.push(admission.work());
    pass(499);
    admission.work()();
    pass(1);
    expect(isIn()).toBe(true);
    // For half a second there was no quick answer.
    pass(500);
    expect([isIn(), admission.begin(0, true) !== null]).toEqual([false, true]);
  });

  it("accepts requests after a time without any", () => {
    const { turns, pass, end } = turnsByHand();
    const admission = new Admission(turns);
    pass(60_000);
    for (let n = 0; n < 20; n++) {
      end();
      expect(admission.begin(0, false)).not.toBeNull();
      admission.work();
    }
  });
});

function turnsByHand() {
  let at = 0;
  let ends: (() => void)[] = [];
  return {
    turns: { now: () => at, atEnd: (callback: () => void) => void ends.push(callback) },
    pass: (ms: number) => {
      at += ms;
    },
    end: () => {
      for (const each of ends) each();
      ends = [];
    },
  };
}
