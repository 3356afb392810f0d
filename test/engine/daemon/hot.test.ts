import { describe, expect, test } from "vitest";
import { RequestBudget } from "../../../src/mirror/engine/daemon/request-budget.ts";
import { DEFAULT_TIMING } from "../../../src/mirror/engine/daemon/interface.ts";
import { rollDice } from "../../simulator/dice.ts";
import { ROOT } from "../../simulator/mirror.ts";
import { Moment } from "../../simulator/moment.ts";
import { createRig, type Deployment } from "../../simulator/rig.ts";
import { type DaemonRig, startDaemon } from "./rig.ts";
import { countByRoute } from "../../promises/fixture.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FOLDERS = 40;
const EACH = 10;

const folderOf = (folder: number) => `area-${folder % 4}/topic-${folder}`;
const pathOf = (folder: number, n: number) => `${folderOf(folder)}/note-${n}.md`;
const textOf = (path: string) => `# ${path}\n\nits own text\n`;

/**
 * A service without events and with small pages, so a listing of everything takes many requests.
 */
const SMALL_PAGES: Deployment = { maxPageSize: 20 };
let synced: Promise<Moment> | null = null;

async function syncAll(): Promise<Moment> {
  const rig = createRig(1, SMALL_PAGES);
  for (let folder = 0; folder < FOLDERS; folder++)
    for (let n = 0; n < EACH; n++) rig.app.create(pathOf(folder, n), textOf(pathOf(folder, n)));
  rig.app.create("README.md", "# Read me\n");
  const mirror = rig.mirror();
  await mirror.sync();
  return new Moment({ rig, mirror });
}

/**
 * Starts an idle daemon. A listing of everything takes half of the requests that it may send in a
 * minute.
 */
async function largeWorkspace(deployment: Deployment = {}): Promise<DaemonRig> {
  synced ??= syncAll();
  const daemon = await startDaemon((await synced).open({ ...SMALL_PAGES, ...deployment }));
  await daemon.pass(10 * MINUTE);
  daemon.sent();
  return daemon;
}

/** Returns true if the local document has this content. */
function hasText(daemon: DaemonRig, path: string, text: string): boolean {
  return daemon.mirrored.disk.user.read(`${ROOT}/${path}`) === text;
}

/** Waits until the condition is true, for an hour at most. Returns milliseconds. */
async function waitFor(daemon: DaemonRig, what: () => boolean): Promise<number> {
  const from = daemon.clock.monotonic();
  while (!what()) {
    if (daemon.clock.monotonic() > from + HOUR) throw new Error("it did not happen within the hour");
    await daemon.pass(200);
  }
  return daemon.clock.monotonic() - from;
}

/** Returns milliseconds until an edit on the service is local. */
async function timeEdit(daemon: DaemonRig, path: string, text: string): Promise<number> {
  daemon.app.edit(path, text);
  return waitFor(daemon, () => hasText(daemon, path, text));
}

/**
 * Edits documents in three folders. Returns the delays of the first edit in each folder, and of all
 * later edits, in ms.
 */
async function workInFolders(daemon: DaemonRig, edits: number): Promise<{ first: number[]; later: number[] }> {
  const dice = rollDice(1);
  const seen = new Set<number>();
  const [first, later]: [number[], number[]] = [[], []];
  for (let n = 0; n < edits; n++) {
    const folder = dice.below(3) * 7;
    const took = await timeEdit(daemon, pathOf(folder, dice.below(EACH)), `# Edited\n\nedit ${n}\n`);
    (seen.has(folder) ? later : first).push(took);
    seen.add(folder);
    await daemon.pass(dice.below(20_000));
  }
  return { first, later };
}

const share = (values: readonly number[], at: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(at * (values.length - 1))]!;

/**
 * Returns requests per minute since `since`, in monotonic ms: the moment of the last call of
 * `sent`.
 */
const aMinute = (daemon: DaemonRig, since: number) =>
  (daemon.sent().length * MINUTE) / (daemon.clock.monotonic() - since);

describe("where somebody works in a large workspace without events", () => {
  test("a change arrives within 6 s (p95), and all requests stay within the budget", async () => {
    const daemon = await largeWorkspace();
    const since = daemon.clock.monotonic();
    const { later } = await workInFolders(daemon, 14);
    expect(share(later, 0.95)).toBeLessThan(6_000);
    expect(aMinute(daemon, since)).toBeLessThanOrEqual(60);
  });

  test("an hour at rest takes less than half of the budget, and later hours a sixth", async () => {
    const daemon = await largeWorkspace();
    await timeEdit(daemon, pathOf(3, 3), "# Edited\n");
    daemon.sent();
    await daemon.pass(HOUR);
    expect(daemon.sent().length).toBeLessThan(0.5 * 60 * 60);
    await daemon.pass(HOUR);
    daemon.sent();
    await daemon.pass(2 * HOUR);
    // The scan that runs every ten minutes also lists everything.
    expect(daemon.sent().length).toBeLessThan(2 * 60 * 14);
  });

  test("a local save makes its folder one in which others are seen soon", async () => {
    const daemon = await largeWorkspace();
    daemon.save(pathOf(5, 5), "# Saved here\n");
    await daemon.pass(7_000);
    expect(daemon.app.text(pathOf(5, 5))).toBe("# Saved here\n");
    expect(await timeEdit(daemon, pathOf(5, 6), "# Edited there\n")).toBeLessThan(6_000);
  });

  test("a new document in such a folder, and a renamed one, arrive as soon", async () => {
    const daemon = await largeWorkspace();
    await timeEdit(daemon, pathOf(5, 5), "# Edited\n");
    daemon.app.create(`${folderOf(5)}/new.md`, "# New\n");
    await daemon.pass(6_000);
    expect(daemon.mirrored.texts().get(`${folderOf(5)}/new.md`)).toBe("# New\n");
    daemon.app.rename(pathOf(5, 7), "renamed.md");
    await daemon.pass(6_000);
    expect(daemon.mirrored.texts().get(`${folderOf(5)}/renamed.md`)).toBe(textOf(pathOf(5, 7)));
    expect(daemon.mirrored.texts().has(pathOf(5, 7))).toBe(false);
  });

  test("a new folder on the service is local after the next full scan, within a minute", async () => {
    const daemon = await largeWorkspace();
    await timeEdit(daemon, pathOf(5, 5), "# Edited\n");
    daemon.app.create(`${folderOf(5)}/deeper/new.md`, "# New\n");
    expect(await waitFor(daemon, () => hasText(daemon, `${folderOf(5)}/deeper/new.md`, "# New\n"))).toBeLessThan(
      MINUTE,
    );
    await daemon.pass(MINUTE);
    expect(await timeEdit(daemon, `${folderOf(5)}/deeper/new.md`, "# Edited\n")).toBeLessThan(6_000);
  });

  test("documents of the root, which no list shows by itself, are asked for by their paths", async () => {
    const daemon = await largeWorkspace();
    await timeEdit(daemon, "README.md", "# Edited\n");
    expect(await timeEdit(daemon, "README.md", "# Edited again\n")).toBeLessThan(6_000);
  });
});

describe("a document that such a folder does not show", () => {
  test("I04 stays until a complete listing has proven that it is gone", async () => {
    const daemon = await largeWorkspace();
    await timeEdit(daemon, pathOf(5, 5), "# Edited\n");
    daemon.sent();
    daemon.app.remove(pathOf(5, 6));
    await waitFor(daemon, () => !daemon.mirrored.texts().has(pathOf(5, 6)));
    const sent = daemon.sent();
    expect(sent.filter((request) => request.startsWith("GET /v1/files?limit=")).length).toBeGreaterThan(0);
  });

  test("I09 that was moved elsewhere is moved locally, and both folders are looked at from then on", async () => {
    const daemon = await largeWorkspace();
    const [from, to] = [`${folderOf(5)}/travels.md`, `${folderOf(8)}/travels.md`];
    await timeEdit(daemon, pathOf(5, 5), "# Edited\n");
    const id = daemon.app.create(from, "# It travels\n");
    await waitFor(daemon, () => hasText(daemon, from, "# It travels\n"));
    daemon.app.move(from, folderOf(8));
    await waitFor(daemon, () => hasText(daemon, to, "# It travels\n"));
    expect(daemon.mirrored.texts().has(from)).toBe(false);
    expect(daemon.mirrored.state.record(id)?.remotePath).toBe(to);
    await daemon.pass(MINUTE);
    expect(await timeEdit(daemon, pathOf(8, 1), "# Edited\n")).toBeLessThan(6_000);
    expect(await timeEdit(daemon, pathOf(5, 1), "# Edited\n")).toBeLessThan(6_000);
  });

  test("I04 is asked for by its path where a list has just missed it, and nothing else is asked for", async () => {
    const torn = { missing: "" };
    const daemon = await largeWorkspace({
      fault: (request) =>
        torn.missing !== "" && request.path.includes(`path_prefix=${encodeURIComponent(`/${torn.missing}`)}`)
          ? { status: 200, headers: { "content-type": "application/json" }, body: EMPTY }
          : null,
    });
    await timeEdit(daemon, pathOf(5, 5), "# Edited\n");
    const before = new Map(daemon.mirrored.texts());
    torn.missing = folderOf(5);
    await daemon.pass(20_000);
    torn.missing = "";
    await daemon.pass(2 * MINUTE);
    expect(new Map(daemon.mirrored.texts())).toEqual(before);
    expect(daemon.writes()).toEqual([]);
  });
});

const EMPTY = JSON.stringify({ object: "list", url: "/v1/files", hasMore: false, nextCursor: null, data: [] });

test("a service that answers 429 is asked less often, and comes to no harm", async () => {
  const daemon = await largeWorkspace({ rateLimit: { requests: 500, seconds: 1_000 } });
  await timeEdit(daemon, pathOf(5, 5), "# Edited\n");
  await daemon.pass(10 * MINUTE);
  const since = daemon.clock.monotonic();
  daemon.sent();
  await daemon.pass(20 * MINUTE);
  expect(aMinute(daemon, since)).toBeLessThanOrEqual(32);
  await timeEdit(daemon, pathOf(5, 6), "# Edited\n");
});

/** A client with given numbers of requests and refusals. */
class Sender {
  count = 0;
  refusals = 0;
  pauseMs = 0;
  counts = () => ({ GET: this.count });
  pressure = () => ({ refusals: this.refusals, pauseMs: this.pauseMs });
}

function budgetOf(): { readonly budget: RequestBudget; readonly sender: Sender } {
  const sender = new Sender();
  return { budget: new RequestBudget(sender, DEFAULT_TIMING, 0), sender };
}

describe("the budget of requests", () => {
  test("is halved by a refusal, waits for Retry-After, and comes back in ten minutes", () => {
    const { budget, sender } = budgetOf();
    sender.refusals = 1;
    sender.pauseMs = 7_000;
    expect(budget.smallAt(0)).toBe(7_000);
    expect(budget.requestsAMinute(0)).toBe(30);
    sender.refusals = 9;
    expect(budget.requestsAMinute(1)).toBe(15);
    for (let n = 10; n < 90; n++) {
      sender.refusals = n;
      budget.requestsAMinute(1);
    }
    expect(budget.requestsAMinute(1)).toBe(4);
    expect(budget.requestsAMinute(MINUTE)).toBeCloseTo(10);
    expect(budget.requestsAMinute(20 * MINUTE)).toBe(60);
  });
});

/** The number of requests that each change costs while `watch` runs, and that the polls cost. */

type Requests = Readonly<Record<string, number>>;

/** Intervals so long that no poll runs during these tests. */
const NO_POLLS = { pollActiveMs: 3_600_000, pollIdleMs: 3_600_000, pollLongIdleMs: 3_600_000, rescanMs: 7_200_000 };

/**
 * Starts a daemon in sync. Three documents were created locally, so the client knows what an answer
 * to a creation contains.
 */
async function watching(documents: number, timing: typeof NO_POLLS | null): Promise<DaemonRig> {
  const rig = createRig(33);
  for (let n = 0; n < documents - 3; n++) rig.app.create(`d${n % 6}/n${n}.md`, `note ${n}\n`);
  const mirror = rig.mirror();
  for (let n = 0; n < 3; n++) mirror.write(`d0/first${n}.md`, `first ${n}\n`);
  await mirror.sync();
  const made = await startDaemon({ rig, mirror, ...(timing === null ? {} : { timing }) });
  await made.pass(1_000);
  made.sent();
  return made;
}

const FILE = "/v1/files/{id}";

test.each<readonly [string, (rig: DaemonRig) => void, Requests]>([
  ["a save", (rig) => rig.save("d1/n1.md", "edited\n"), { [`PUT ${FILE}/content`]: 1 }],
  ["a new document", (rig) => rig.save("d1/new.md", "new\n"), { "POST /v1/files": 1 }],
  ["a rename", (rig) => rig.rename("d1/n1.md", "d1/other.md"), { [`PATCH ${FILE}`]: 1 }],
  ["a move", (rig) => rig.rename("d1/n1.md", "d2/n1.md"), { [`PATCH ${FILE}`]: 1 }],
  ["a folder renamed", (rig) => rig.rename("d1", "e1"), { "PATCH /v1/folders/{id}": 1 }],
  // mdmirror observes both sides again before it deletes a document.
  [
    "a deletion, with a list",
    (rig) => rig.remove("d1/n1.md"),
    { "GET /v1/files": 1, [`GET ${FILE}`]: 1, [`DELETE ${FILE}`]: 1 },
  ],
])("I33 %s costs its own requests alone", async (_what, act, expected) => {
  const rig = await watching(60, NO_POLLS);
  act(rig);
  await rig.pass(120_000);
  expect(countByRoute(rig.sent())).toEqual(expected);
});

test("I33 a poll is a request for each thousand documents, and none for folders", async () => {
  const rig = await watching(1_001, null);
  await rig.pass(540_000);
  const requests = rig.sent();
  const polls = requests.filter((request) => !request.includes("cursor="));
  expect(polls.length).toBeGreaterThan(10);
  expect(requests).toHaveLength(2 * polls.length);
  expect(requests.filter((request) => !request.startsWith("GET /v1/files?"))).toEqual([]);
});
