import { describe, expect, it } from "vitest";
import { makeScript } from "./generate.ts";
import { FAILED_ONCE } from "./rows.ts";
import { runLife } from "./run.ts";

describe("lives that failed once", () => {
  it.each(FAILED_ONCE)("$found", async ({ script }) => {
    expect((await runLife(script)).failures).toEqual([]);
  });
});

describe("seeded lives of several mirrors and a person in the app", () => {
  it("I32 the same script gives the same trace, and another one another", async () => {
    const [first, second] = [await runLife(makeScript(4, 20)), await runLife(makeScript(4, 20))];
    expect(first.failures).toEqual([]);
    expect(second.trace).toBe(first.trace);
    expect(second.portCalls).toBe(first.portCalls);
    expect((await runLife(makeScript(5, 20))).trace).not.toBe(first.trace);
  });
});
