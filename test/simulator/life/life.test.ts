import { describe, expect, it } from "vitest";
import { PROFILES } from "../../variants/profiles.ts";
import { HANDS_FROM, makeScript, ODD_FROM } from "./generate.ts";
import { makeLinkedScript } from "./linked.ts";
import { makePlottedScript } from "./plots.ts";
import { makeProgramScript } from "./programs.ts";
import { makeSmallScript } from "./small.ts";
import { FAILED_ONCE } from "./rows.ts";
import { runLife } from "./run.ts";
import type { Script } from "./script.ts";
import { shrink } from "./shrink.ts";
import { countLife, noTotals, type Totals } from "./totals.ts";

describe("lives that failed once", () => {
  it.each(FAILED_ONCE)("$found", async ({ script }) => {
    expect((await runLife(script)).failures).toEqual([]);
  });
});

const told = (variant: object): string => JSON.stringify(variant);

async function liveAll(seeds: number, scriptOf: (seed: number) => Script, first = 1): Promise<Totals> {
  const totals = noTotals();
  for (let seed = first; seed < first + seeds; seed++) {
    const life = await runLife(scriptOf(seed));
    expect({ seed, failures: life.failures }).toEqual({ seed, failures: [] });
    countLife(totals, life);
  }
  return totals;
}

describe("seeded lives of several mirrors and a person in the app", () => {
  it.each([
    ["plain", 36, makeScript],
    ["with plots", 24, makePlottedScript],
    ["small", 24, makeSmallScript],
  ] as const)("each profile is the deployment of some lives: %s", (_, seeds, scriptOf) => {
    const lived = Array.from({ length: seeds }, (_none, index) => told(scriptOf(index + 1, 1).setup.variant));
    for (const [name, profile] of Object.entries(PROFILES))
      expect([name, lived]).toEqual([name, expect.arrayContaining([told(profile)])]);
  });

  it("a fixed share of the mirrors live on the disk of a Mac", () => {
    const disks = Array.from({ length: 60 }, (_, index) => makeScript(index + 1, 1).setup.mirrors).flat();
    expect(disks.filter(({ disk }) => disk.system === "darwin").length / disks.length).toBeGreaterThan(0.12);
  });

  it("all promises that can be judged from outside hold over 36 lives", async () => {
    const totals = await liveAll(36, (seed) => makeScript(seed, 30));
    // Lives in which nothing dies, fails or gets in the way would prove nothing.
    expect(totals.kills).toBeGreaterThan(40);
    expect(totals.powerCuts).toBeGreaterThan(10);
    expect(totals.meddles).toBeGreaterThan(100);
    expect(totals.crashPoints.size).toBeGreaterThan(30);
    expect([...totals.faults.keys()]).toEqual(
      expect.arrayContaining(["late", "cut", "lost-after", "html-200", "not-sent"]),
    );
  });

  it("all promises that can be judged from outside hold over 24 lives with plots", async () => {
    const totals = await liveAll(24, (seed) => makePlottedScript(seed, 30));
    expect(totals.kills).toBeGreaterThan(40);
    expect(totals.meddles).toBeGreaterThan(50);
    expect([...totals.faults.keys()]).toEqual(expect.arrayContaining(["late", "cut", "lost-after", "403-forbidden"]));
  });

  it("all promises that can be judged from outside hold over 24 lives of one to four documents", async () => {
    const totals = await liveAll(24, (seed) => makeSmallScript(seed, 30));
    expect(totals.kills).toBeGreaterThan(20);
    expect(totals.syncs).toBeGreaterThan(300);
  });

  it("all promises that can be judged from outside hold over 16 lives with services that have their own way with names and places", async () => {
    const totals = await liveAll(16, (seed) => makeScript(seed, 30), ODD_FROM);
    expect(totals.kills).toBeGreaterThan(10);
  });

  it("I01 I16 and all that can be judged from outside hold over 12 lives in which files are open in editors", async () => {
    const totals = await liveAll(12, (seed) => makeScript(seed, 30), HANDS_FROM);
    expect(totals.kills).toBeGreaterThan(10);
  });

  it("each link that a sync has read leads home on both sides over 16 lives of documents that link in circles (I01, I10, I13)", async () => {
    const totals = await liveAll(16, (seed) => makeLinkedScript(seed, 25), 36);
    expect(totals.kills).toBeGreaterThan(40);
    expect(totals.links).toBeGreaterThan(500);
  });

  it("what a program wrote is read back as it was, and is on the service when it is told so, over 4 lives (I02, I14)", async () => {
    const totals = await liveAll(4, (seed) => makeProgramScript(seed, 6));
    expect(totals.kills).toBeGreaterThan(1);
    expect(totals.barriers).toBeGreaterThan(300);
  });

  it("I32 the same script gives the same trace, and another one another", async () => {
    const [first, second] = [await runLife(makeScript(4, 20)), await runLife(makeScript(4, 20))];
    expect(first.failures).toEqual([]);
    expect(second.trace).toBe(first.trace);
    expect(second.portCalls).toBe(first.portCalls);
    expect((await runLife(makeScript(5, 20))).trace).not.toBe(first.trace);
  });

  it("I29 the same life under other clocks takes the same decisions", async () => {
    for (const seed of [2, 9, 13]) {
      const script = makeScript(seed, 25);
      const [now, years] = [
        await runLife(script),
        await runLife({ ...script, setup: { ...script.setup, clockOff: 5 * 365 * 86_400_000 } }),
      ];
      expect({ seed, decisions: years.decisions }).toEqual({ seed, decisions: now.decisions });
    }
  });

  it("a failing script shrinks to the steps that make it fail", async () => {
    // A person's own doing that no mirror can mend: what is wrong with this script is the script.
    const script = makeScript(3, 12);
    const impossible = {
      ...script,
      steps: [...script.steps, { do: "grant", mirror: 99, level: "full", seed: 1 } as const],
    };
    const life = await runLife(impossible);
    expect(life.failures).toHaveLength(1);
    const small = await shrink(impossible, life, 60);
    expect(small.script.steps).toEqual([{ do: "grant", mirror: 99, level: "full", seed: 1 }]);
  });
});
