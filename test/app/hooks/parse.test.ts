import { describe, expect, test } from "vitest";
import { parseHooks } from "../../../src/app/hooks/parse.ts";

const parse = (hooks: unknown) => parseHooks(JSON.stringify({ hooks }), "/home/ann/.config/mdmirror");
const RUN = { on: ["conflict"], run: ["notify-send", "mdmirror"] };
const POST = { on: ["offline"], post: "https://example.org/a?b=c", secretFile: "team.secret" };

describe("hooks.json", () => {
  test("names commands and posts, with the time that each event must have lasted", () => {
    const { hooks, faults } = parse({
      desk: { ...RUN, on: { conflict: {}, offline: { debounce: "5m" } }, mirrors: ["notes"], timeout: "2m" },
      team: POST,
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
        does: { kind: "run", argv: ["notify-send", "mdmirror"] },
      },
      {
        name: "team",
        on: new Map([["offline", 60_000]]),
        mirrors: null,
        timeoutMs: 10_000,
        does: {
          kind: "post",
          url: "https://example.org/a?b=c",
          secret: { kind: "file", path: "/home/ann/.config/mdmirror/team.secret" },
        },
      },
    ]);
  });

  test.each<[string, unknown, string]>([
    ["an unknown member", { ...RUN, shell: true }, '"x" has "shell", which is no member'],
    ["an unknown event", { ...RUN, on: ["saved"] }, '"x" "on": "saved" is no event'],
    ["no event", { run: ["true"] }, '"x" needs "on"'],
    ["a shell line", { ...RUN, run: "rm -rf ~" }, 'for a shell ["sh", "-c", "…"]'],
    ["no program", { ...RUN, run: [] }, '"run" must be a list'],
    ["neither", { on: ["halted"] }, 'needs "run" or "post", and not both'],
    ["both", { ...RUN, ...POST }, 'needs "run" or "post", and not both'],
    ["a secret for a command", { ...RUN, secretEnv: "S" }, '"secretEnv" goes with "post"'],
    ["a post without a secret", { on: ["offline"], post: POST.post }, 'needs "secretFile" or "secretEnv"'],
    ["a secret in the file itself", { ...POST, secret: "whsec_x" }, '"secret", which is no member'],
    ["plain http", { ...POST, post: "http://example.org/" }, "must be https, unless it is this machine's own"],
    ["another scheme", { ...POST, post: "file:///etc/passwd" }, "must be an absolute https address"],
    ["a password", { ...POST, post: "https://u:p@example.org/" }, "must not hold a user name or password"],
    [
      "a debounce that is no time",
      { ...RUN, on: { halted: { debounce: 5 } } },
      '"on"."halted"."debounce" must be a time',
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

  test("the address is in no fault: it may hold a secret", () => {
    expect(parse({ x: { ...POST, post: "http://example.org/T0KEN" } }).faults.join()).not.toContain("T0KEN");
  });

  test.each([
    ["no JSON", "{", "is not JSON"],
    ["no hooks", "[]", 'must be {"hooks": {NAME: {…}}}'],
    ["another member", '{"hooks":{},"run":[]}', 'has "run", which is no member'],
    ["an odd name", '{"hooks":{"a b":{"on":["halted"],"run":["true"]}}}', '"a b" is no name'],
  ])("%s is a fault", (_name, text, fault) => {
    expect(parseHooks(text, "/").faults.join("; ")).toContain(fault);
  });

  test("plain http to this machine is taken", () => {
    expect(parse({ x: { ...POST, post: "http://[::1]:8080/" } }).faults).toEqual([]);
  });
});
