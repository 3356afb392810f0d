import { describe, expect, test } from "vitest";
import { parseHooks } from "../../../src/mirror/hooks/parse.ts";

const parse = (hooks: unknown) => parseHooks(JSON.stringify({ hooks }));
const RUN = { on: ["conflict"], run: ["notify-send", "mdmirror"] };

describe("hooks.json", () => {
  test("names commands, with the time that each event must have lasted", () => {
    const { hooks, faults } = parse({
      desk: { ...RUN, on: { conflict: {}, offline: { debounce: "5m" } }, mirrors: ["notes"], timeout: "2m" },
    });
    expect(faults).toEqual([]);
    expect(hooks).toEqual([
      {
        name: "desk",
        on: new Map([
          ["conflict", 5_000],
          ["offline", 300_000],
        ]),
        mirrors: ["notes"],
        timeoutMs: 120_000,
        argv: ["notify-send", "mdmirror"],
      },
    ]);
  });

  test.each<[string, unknown, string]>([
    ["an unknown member", { ...RUN, shell: true }, '"x" has "shell", which is not a known setting'],
    ["an unknown event", { ...RUN, on: ["saved"] }, '"x" "on": "saved" is not an event'],
    ["no event", { run: ["true"] }, '"x" needs "on"'],
    ["a shell line", { ...RUN, run: "rm -rf ~" }, 'for a shell ["sh", "-c", "…"]'],
    ["no program", { ...RUN, run: [] }, 'needs "run": a list'],
    ["no command", { on: ["stopped"] }, 'needs "run"'],
    ["a web hook", { ...RUN, post: "https://example.org/" }, '"post", which is not a known setting'],
    [
      "a debounce that is no time",
      { ...RUN, on: { stopped: { debounce: 5 } } },
      '"on"."stopped"."debounce" must be a time',
    ],
    [
      "a timeout that is too long",
      { ...RUN, timeout: "1h" },
      '"timeout" must be a time such as 30s or 5m, 10 min at most',
    ],
    ["mirrors that are no list", { ...RUN, mirrors: "notes" }, '"mirrors" must be a list'],
    ["no object", 1, '"x" must be an object'],
  ])("%s is a fault, and then no hook is taken", (_name, hook, fault) => {
    const { hooks, faults } = parse({ good: RUN, x: hook });
    expect([hooks, faults.join("; ")]).toEqual([[], expect.stringContaining(fault)]);
  });

  test.each([
    ["no JSON", "{", "is not JSON"],
    ["no hooks", "[]", 'must be {"hooks": {NAME: {…}}}'],
    ["another member", '{"hooks":{},"run":[]}', 'has "run", which is not a known setting'],
    ["an odd name", '{"hooks":{"a b":{"on":["stopped"],"run":["true"]}}}', '"a b" is not a valid name'],
  ])("%s is a fault", (_name, text, fault) => {
    expect(parseHooks(text).faults.join("; ")).toContain(fault);
  });
});
