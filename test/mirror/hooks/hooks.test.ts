import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { EVENT_NAMES, type EventName, parseHooks, readHooks } from "../../../src/mirror/hooks/hook.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import {
  countChanges,
  type HookFacts,
  type HookItem,
  type WatchedEvent,
  watchEvent,
} from "../../../src/mirror/hooks/events.ts";

const TEXT = JSON.stringify({ hooks: { desk: { on: ["stopped"], run: ["true"] } } });

let dir: string;
let folder: string;
let file: string;
beforeEach(() => {
  dir = temporaryFolder();
  folder = join(dir, "mdmirror");
  file = join(folder, "hooks.json");
  mkdirSync(folder, { mode: 0o755 });
  writeFileSync(file, TEXT, { mode: 0o644 });
});

const env = () => ({ XDG_CONFIG_HOME: dir, XDG_STATE_HOME: dir, HOME: dir });
const names = () => {
  const read = readHooks(env());
  return read.kind === "ok" ? read.value.map(({ name }) => name) : `${read.trouble.what}; ${read.trouble.next}`;
};

describe("the user's hooks", () => {
  test("are read from a file that others may read", () => {
    expect(names()).toEqual(["desk"]);
  });

  test("are empty without a file", () => {
    rmSync(file);
    expect(names()).toEqual([]);
  });

  test("are read through a link, as people keep such files elsewhere", () => {
    mkdirSync(join(dir, "dotfiles"));
    writeFileSync(join(dir, "dotfiles/hooks.json"), TEXT);
    rmSync(file);
    symlinkSync(join(dir, "dotfiles/hooks.json"), file);
    expect(names()).toEqual(["desk"]);
    chmodSync(join(dir, "dotfiles"), 0o777);
    expect(names()).toBe(
      `${file} is in ${dir}/dotfiles, which can be written by other users, so mdmirror runs no hook; chmod go-w ${dir}/dotfiles`,
    );
  });

  test.each([0o666, 0o664])("are refused in a file of mode %o", (mode) => {
    chmodSync(file, mode);
    expect(names()).toBe(`${file} can be written by other users, so mdmirror runs no hook; chmod go-w ${file}`);
  });

  test("are refused in a folder that others can write", () => {
    chmodSync(folder, 0o777);
    expect(names()).toContain(`is in ${folder}, which can be written by other users`);
  });

  test.skipIf(process.geteuid?.() !== 0)("are refused in a file of another user (needs root)", () => {
    chownSync(file, 1, 1);
    expect(names()).toContain(`${file} belongs to another user, so mdmirror runs no hook`);
  });

  test("that have a fault are all refused, by the file and the member", () => {
    writeFileSync(file, TEXT.replace("stopped", "saved"));
    expect(names()).toContain(
      `${file} "desk" "on": "saved" is not an event; correct the file; until then mdmirror runs no hook`,
    );
  });
});

const NONE = { attention: [], conflict: [], stopped: [], offline: [] };
const CALM: HookFacts = { state: "in-sync", changes: {}, problems: NONE, offlineMs: 0, reviews: [] };
const item = (kind: string, path = ""): HookItem => ({ path, kind, code: null, next: "" });
const inConflict = (...paths: string[]): HookFacts => {
  const items = paths.map((path) => item("conflict", path));
  return { ...CALM, state: "attention", problems: { ...NONE, attention: items, conflict: items } };
};
const stopped = (reason: string): HookFacts => ({
  ...CALM,
  state: "stopped",
  problems: { ...NONE, stopped: [item(reason)] },
});
const offline = (ms: number): HookFacts => ({
  ...CALM,
  state: "offline",
  offlineMs: ms,
  problems: { ...NONE, offline: [item("offline")] },
});
const reviews = (...keys: string[]): HookFacts => ({ ...CALM, reviews: keys });
const carried = (uploaded: number): HookFacts => ({ ...CALM, changes: { uploaded } });

/** Returns the events of a sequence of states. The first state is the start. */
function heard(...states: HookFacts[]): string[] {
  const watched = new Map<EventName, WatchedEvent>();
  return states.slice(1).map((now) => {
    const events = EVENT_NAMES.map((event) => {
      const before = watched.get(event) ?? { baseline: states[0]!, pending: null };
      const after = watchEvent(before, now, { event, debounce: 0, time: 0 });
      watched.set(event, after);
      return after.due === null ? "" : [event, ...after.items.map(({ path }) => path)].join(" ").trim();
    });
    return events.filter((event) => event !== "").join(", ");
  });
}

describe("events of a hook", () => {
  test.each<[string, HookFacts[], string[]]>([
    ["of an unchanged folder: none", [CALM, CALM], [""]],
    ["of a problem from before the start: none", [inConflict("a.md"), inConflict("a.md")], [""]],
    ["of synced changes, once", [CALM, carried(1), carried(1), carried(3)], ["in-sync", "", "in-sync"]],
    [
      "of a conflict once, and of the next one by itself",
      [CALM, inConflict("a.md"), inConflict("a.md"), inConflict("a.md", "b.md")],
      ["conflict a.md, attention a.md", "", "conflict b.md, attention b.md"],
    ],
    [
      "of a conflict that ended and came again, once more",
      [CALM, inConflict("a.md"), CALM, inConflict("a.md")],
      ["conflict a.md, attention a.md", "in-sync", "conflict a.md, attention a.md"],
    ],
    [
      "of a stop for each reason",
      [CALM, stopped("local-emptied"), stopped("local-emptied"), stopped("root-missing"), CALM],
      ["stopped", "", "stopped", "in-sync"],
    ],
    ["of being offline once, and of being back", [CALM, offline(1), offline(90_000), CALM], ["offline", "", "in-sync"]],
    ["of being offline for a moment: not of being back", [CALM, offline(1), CALM], ["offline", ""]],
    [
      "after being offline not again of what was open before",
      [CALM, inConflict("a.md"), offline(90_000), inConflict("a.md")],
      ["conflict a.md, attention a.md", "offline", ""],
    ],
    [
      "of a review that has settled",
      [reviews("1 a.md", "2 b.md"), reviews("2 b.md"), reviews()],
      ["review-settled a.md", "review-settled b.md"],
    ],
    ["of a review that moved: none", [reviews("1 a.md"), reviews("1 c/a.md")], [""]],
    [
      "of a review that became a conflict: that alone",
      [reviews("1 a.md"), inConflict("a.md")],
      ["conflict a.md, attention a.md"],
    ],
    [
      "of reviews that cannot be read: none",
      [reviews("1 a.md"), { ...CALM, reviews: null }, reviews("1 a.md")],
      ["", ""],
    ],
  ])("%s", (_name, states, events) => {
    expect(heard(...states)).toEqual(events);
  });

  test("count the changes since the last one", () => {
    expect(countChanges(carried(2), { ...CALM, changes: { uploaded: 5, downloaded: 1 } })).toEqual({
      uploaded: 3,
      downloaded: 1,
    });
  });
});

describe("the debounce", () => {
  const start: WatchedEvent = { baseline: CALM, pending: null };
  const check = (before: WatchedEvent, now: HookFacts, time: number, event: EventName = "conflict") =>
    watchEvent(before, now, { event, debounce: 5_000, time });

  test("waits until a state has lasted, again after each change", () => {
    const first = check(start, inConflict("a.md"), 0);
    const same = check(first, inConflict("a.md"), 3_000);
    const more = check(same, inConflict("a.md", "b.md"), 4_000);
    expect([first.due, same.due, more.due]).toEqual([5_000, 5_000, 9_000]);
    expect(check(more, inConflict("a.md", "b.md"), 9_000)).toMatchObject({ due: 9_000, pending: null });
  });

  test("begins again with a state that had ended", () => {
    const ended = check(check(start, inConflict("a.md"), 0), CALM, 1_000);
    expect([ended.due, check(ended, inConflict("a.md"), 2_000).due]).toEqual([null, 7_000]);
  });

  test("counts the time offline from its beginning", () => {
    expect(check(start, offline(2_000), 100_000, "offline").due).toBe(103_000);
  });
});

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
