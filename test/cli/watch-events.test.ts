import { expect, test } from "vitest";
import type { Io } from "../../src/cli/command.ts";
import { showEvents } from "../../src/cli/commands/watch.ts";
import type { LocalPath } from "../../src/contract/path.ts";
import type { FolderEvent } from "../../src/mirror/daemon/folder-events.ts";

/**
 * The only test of the exact output of `watch`: `watch-events.txt` has the lines of each scenario.
 */

type News<K extends FolderEvent["kind"]> = Partial<Omit<Extract<FolderEvent, { kind: K }>, "kind">>;

const of = <K extends FolderEvent["kind"]>(kind: K, news: News<K> | object) =>
  ({ at: 0, ...news, kind }) as FolderEvent;

const pending = (paths: readonly string[], more: News<"deletion-pending"> = {}) =>
  paths.map((path) => of("deletion-pending", { path: path as LocalPath, dueAt: 30_000, ...more }));
const many = (count: number) => Array.from({ length: count }, (_, n) => `${count - 1 - n}.md`);

const change = (news: object) => of("change", { path: "a.md", outcome: "done", detail: "why", lines: null, ...news });
const phase = (kind: string, more: object = {}) => of("phase", { phase: { kind, ...more } });

const problem = (path: string, more: object = {}) => ({
  ...{ path, kind: "type-clash", code: null, detail: "why", requestId: null, waits: false },
  ...more,
});
const run = (paths: readonly (string | object)[], more: object = {}) => {
  const attention = paths.map((path) => (typeof path === "string" ? problem(path) : path));
  return of("run", { report: { state: "attention", attention, ...more } });
};
const stopsSoon = { expectedStopReasons: [{ reason: "delete-budget-remote", detail: "" }] };
const changed = problem("a.md", { detail: "otherwise" });

const TALES: Readonly<Record<string, readonly FolderEvent[]>> = {
  "files that go together are sorted, before what follows": [
    ...pending(["c.md", "a.md", "b.md"]),
    of("deletion-called-off", { path: "b.md" as LocalPath }),
  ],
  "many files that go together are one sentence, with some of the names": [
    ...pending(many(10)),
    ...pending(["k.md"], { inConflict: true }),
  ],
  "many files in conflict go together": pending(many(6), { inConflict: true }),
  "of many files a safety check will ask": pending(many(7), { asks: true }),
  "of a few files a safety check will ask": pending(["a.md", "b.md"], { asks: true }),
  changes: [
    change({ what: "put", outcome: "submitted", detail: "edited locally" }),
    change({ what: "put", lines: { added: 1_200, removed: 3 } }),
    change({ what: "put", outcome: "failed", code: "conflict", requestId: "req_1" }),
    change({ what: "note-facts", detail: "protected on the service" }),
    change({ what: "safety-stop", path: "" }),
  ],
  "each problem once, then what has ended and how many are left": [
    run(["a.md", "b.md", problem("later.md", { waits: true })]),
    run(["a.md", "b.md"]),
    run(["a.md", "b.md", "c.md"]),
    run([changed, "c.md"]),
    run([], { state: "offline" }),
    run([]),
    run([]),
  ],
  "a stopped mirror still needs somebody when all else has ended": [run(["a.md"]), run([], { state: "stopped" })],
  "and so does one about to stop": [run(["a.md"]), run([], stopsSoon), run(["b.md"], stopsSoon)],
  "a phase when it begins": [
    ...[phase("idle"), phase("observing"), phase("waiting", { why: "offline", detail: "no network." })],
    ...[
      phase("waiting", { why: "offline", detail: "no route" }),
      phase("waiting", { why: "unauthenticated", detail: "401" }),
    ],
    ...[phase("waiting", { why: "paused", detail: "" }), phase("applying"), phase("idle"), phase("idle")],
    ...[phase("stopped", { detail: "12 documents would be deleted" }), phase("ended")],
  ],
  "what happens to the folder": [
    of("opened", { url: "http://127.0.0.1:8420", notes: ["a note"] }),
    ...[of("lent", { what: "sync" }), of("returned", { what: "sync" }), of("woke", { sleptMs: 90_000 })],
    ...[of("left", { to: "/there" }), of("left", { to: null })],
    of("broken", { trouble: { what: "the disk is full", next: "free some space" }, retryMs: 5_000 } as News<"broken">),
    of("watch-limit", { code: "ENOSPC" }),
  ],
};

test("the output of watch is this text", async () => {
  const pages: string[] = [];
  for (const [title, events] of Object.entries(TALES)) {
    const page = [`# ${title}`];
    const line = (mark: string) => (text: string) => void page.push(`${mark}${text.slice("00:00:00 ".length)}`);
    const show = showEvents({ out: line(""), err: line("! ") } as Partial<Io> as Io, {
      json: false,
      showsNames: false,
    });
    for (const event of events) {
      if (event.kind === "run") page.push("- run");
      show("/w", event);
    }
    await Promise.resolve();
    pages.push(page.join("\n"));
  }
  await expect(`${pages.join("\n\n")}\n`).toMatchFileSnapshot("watch-events.txt");
});

test("the problems of each folder are reported separately", () => {
  const lines: string[] = [];
  const io = { out: (text: string) => void lines.push(text), err: () => undefined } as Partial<Io> as Io;
  const show = showEvents(io, { json: false, showsNames: false });
  for (const root of ["/v", "/w", "/v"]) show(root, run(["a.md"]));
  expect(lines.filter((text) => text.includes("a.md"))).toHaveLength(2);
});
