import { describe, expect, it } from "vitest";
import { admission, loopLoad } from "../../src/service/admission.ts";
import { MAX_BODY_BYTES } from "../../src/service/body.ts";

describe("admission", () => {
  it("takes so many requests at a time, and another for each that ends", () => {
    const { begin } = admission();
    const ends = Array.from({ length: 256 }, () => begin(0, false));
    expect(ends).not.toContain(null);
    expect(begin(0, false)).toBeNull();
    ends[0]!();
    expect(begin(0, false)).not.toBeNull();
  });

  it("takes so many bytes of bodies at a time", () => {
    const { begin } = admission();
    const ends = Array.from({ length: 64 }, () => begin(MAX_BODY_BYTES, false));
    expect(ends).not.toContain(null);
    expect(begin(1, false)).toBeNull();
    expect(begin(0, false)).not.toBeNull();
    ends[0]!();
    expect(begin(MAX_BODY_BYTES, false)).not.toBeNull();
  });

  it("lets an operator in when nobody else comes in", () => {
    const { begin } = admission(() => true);
    for (let n = 0; n < 8; n++) begin(0, false);
    expect([begin(0, false), typeof begin(0, true)]).toEqual([null, "function"]);
  });

  it("lets a few in however late everything is: refusing them would help nobody", () => {
    const { begin } = admission(() => true);
    const ends = Array.from({ length: 8 }, () => begin(0, false));
    expect([ends.includes(null), begin(0, false)]).toEqual([false, null]);
    ends[0]!();
    expect(begin(0, false)).not.toBeNull();
  });
});

describe("the load of an event loop", () => {
  const watch = (median: () => number) => {
    let look: () => void = () => undefined;
    let resets = 0;
    const delays = { percentile: () => median() * 1e6, reset: () => void resets++ };
    const load = loopLoad(delays, (each) => {
      look = each;
      return () => undefined;
    });
    return { load, look: () => look(), resets: () => resets };
  };

  it("is too much from a median of 260 ms a turn on, of which the clock waits 10, for two windows, until one is better", () => {
    let median = 0;
    const { load, look, resets } = watch(() => median);
    const seen = [0, 261, 260, 261, 5_000, 261, 12].map((next) => {
      median = next;
      look();
      return load.isOverloaded();
    });
    expect(seen).toEqual([false, false, false, false, true, true, false]);
    expect(resets()).toBe(7);
  });
});
