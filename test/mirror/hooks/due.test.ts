import { describe, expect, test } from "vitest";
import { dueEvents, forgetEnded, initialStates, reportEvent } from "../../../src/mirror/hooks/due.ts";
import type { EventName } from "../../../src/mirror/hooks/events.ts";
import type { Facts, Item } from "../../../src/mirror/hooks/facts.ts";
import type { ReportedStates } from "../../../src/mirror/hooks/memory.ts";
import { PendingSince } from "../../../src/mirror/hooks/waits.ts";
import type { Hook } from "../../../src/mirror/hooks/hook.ts";

const CALM: Facts = {
  state: "in-sync",
  changes: {},
  attention: [],
  conflicts: [],
  stopped: [],
  offline: [],
  offlineMs: 0,
  reviews: [],
};
const item = (kind: string, path = ""): Item => ({ path, kind, code: null, next: "" });
const inConflict = (...paths: string[]): Facts => {
  const items = paths.map((path) => item("conflict", path));
  return { ...CALM, state: "attention", attention: items, conflicts: items };
};
const stopped = (reason: string): Facts => ({ ...CALM, state: "stopped", stopped: [item(reason)] });
const offline = (ms: number): Facts => ({ ...CALM, state: "offline", offlineMs: ms, offline: [item("offline")] });
const reviews = (...keys: string[]): Facts => ({ ...CALM, reviews: keys });
const carried = (uploaded: number): Facts => ({ ...CALM, changes: { uploaded } });

/** Tells all that is due, look after look, as one hook hears it. */
function heard(...looks: Facts[]): string[] {
  let told: ReportedStates | null = null;
  return looks.map((facts) => {
    let known: ReportedStates = forgetEnded(facts, told ?? initialStates(facts));
    const dues = dueEvents(facts, known);
    for (const { event } of dues) known = reportEvent(event, facts, known);
    told = known;
    return dues.map(({ event, items }) => [event, ...items.map(({ path }) => path)].join(" ").trim()).join(", ");
  });
}

describe("events of a hook", () => {
  test.each<[string, Facts[], string[]]>([
    ["of a mirror that rests: nothing", [CALM, CALM], ["", ""]],
    ["at first of what is wrong already", [inConflict("a.md")], ["conflict a.md, attention a.md"]],
    ["of what was carried across, once", [CALM, carried(1), CALM], ["", "in-sync", ""]],
    [
      "of a conflict once, and of the next one by itself",
      [inConflict("a.md"), inConflict("a.md"), inConflict("a.md", "b.md")],
      ["conflict a.md, attention a.md", "", "conflict b.md, attention b.md"],
    ],
    [
      "of a conflict that ended and came again, once more",
      [inConflict("a.md"), CALM, inConflict("a.md")],
      ["conflict a.md, attention a.md", "in-sync", "conflict a.md, attention a.md"],
    ],
    [
      "of a halt for each reason",
      [stopped("local-emptied"), stopped("local-emptied"), stopped("root-missing"), CALM],
      ["stopped", "", "stopped", "in-sync"],
    ],
    ["of being offline once, and of being back", [offline(1), offline(90_000), CALM], ["offline", "", "in-sync"]],
    [
      "while offline not again of what was open before",
      [inConflict("a.md"), offline(1), inConflict("a.md")],
      ["conflict a.md, attention a.md", "offline", ""],
    ],
    [
      "of a review that has settled",
      [reviews("1 a.md", "2 b.md"), reviews("2 b.md"), reviews()],
      ["", "review-settled a.md", "review-settled b.md"],
    ],
    ["of a review that moved: nothing", [reviews("1 a.md"), reviews("1 c/a.md")], ["", ""]],
    [
      "of a review that became a conflict: that alone",
      [reviews("1 a.md"), inConflict("a.md")],
      ["", "conflict a.md, attention a.md"],
    ],
    [
      "of reviews that cannot be read: nothing",
      [reviews("1 a.md"), { ...CALM, reviews: null }, reviews("1 a.md")],
      ["", "", ""],
    ],
  ])("%s", (_name, looks, events) => {
    expect(heard(...looks)).toEqual(events);
  });

  test("is in the order of its weight", () => {
    const all = { ...inConflict("a.md"), state: "offline", offline: [item("offline")], stopped: [item("x")] } as const;
    expect(heard(all)).toEqual(["stopped, offline, conflict a.md, attention a.md"]);
  });

  test("remembers at most 1,000 entries of a list", () => {
    const many = inConflict(...Array.from({ length: 1_500 }, (_, n) => `${n}.md`));
    expect(reportEvent("conflict", many, initialStates(CALM)).conflict).toHaveLength(1_000);
  });
});

describe("the debounce", () => {
  const on = new Map<EventName, number>([
    ["conflict", 5_000],
    ["offline", 60_000],
  ]);
  const hook: Hook = { name: "x", on, mirrors: null, timeoutMs: 1, argv: ["true"] };
  const due = (event: EventName, key = "") => [{ event, key, items: [] }];

  test("waits until a state has lasted, again after each change, ten times as long at most", () => {
    const waits = new PendingSince();
    const at = (key: string, now: number) => waits.of(hook, due("conflict", key), 0, now).get("conflict");
    expect([at("a", 0), at("a", 3_000), at("a b", 4_000)]).toEqual([5_000, 5_000, 9_000]);
    for (let now = 5_000; now < 50_000; now += 1_000) at(`${now}`, now);
    expect(at("last", 49_999)).toBe(50_000);
  });

  test("begins again with a state that had ended", () => {
    const waits = new PendingSince();
    waits.of(hook, due("conflict"), 0, 0);
    waits.of(hook, [], 0, 1_000);
    expect(waits.of(hook, due("conflict"), 0, 2_000).get("conflict")).toBe(7_000);
  });

  test("counts the time offline from its beginning", () => {
    expect(new PendingSince().of(hook, due("offline"), 20_000, 100_000).get("offline")).toBe(140_000);
  });

  test("a hook that was called 30 times in ten minutes waits until these are over", () => {
    const waits = new PendingSince();
    for (let n = 0; n < 30; n++) waits.forget(hook, "conflict", n * 1_000);
    expect(waits.of(hook, due("conflict"), 0, 40_000).get("conflict")).toBe(600_000);
    expect(waits.of(hook, due("conflict"), 0, 600_000).get("conflict")).toBe(600_000);
  });
});
