import { unwrap } from "../../../src/common/trouble.ts";
import { renameSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { askDaemon, borrowFolder, NO_DAEMON } from "../../../src/mirror/daemon/control/ask.ts";
import { DaemonFolder, type FolderOptions } from "../../../src/mirror/daemon/daemon-folder.ts";
import type { FolderEvent } from "../../../src/mirror/daemon/folder-events.ts";
import { systemRandom } from "../../../src/common/random.ts";
import { storeKey } from "../../../src/mirror/settings/key.ts";
import type { Daemon, DaemonEvent } from "../../../src/mirror/engine/daemon/interface.ts";
import { PAUSED_PHASE } from "../../../src/mirror/engine/daemon/interface.ts";
import type { Clock } from "../../../src/common/clock.ts";
import { openRig, type Rig } from "../../cli/rig.ts";
import { closeNothing, doNothing } from "../../simulator/quiet-ports.ts";

/**
 * A daemon's folder, with loops that the test scripts: what it does when a loop fails, hangs or is
 * interrupted.
 */

let rig: Rig;
let stop: AbortController;
let ended: Promise<unknown> = Promise.resolve();
const events: FolderEvent[] = [];
const listeners = new Set<() => void>();

beforeEach(async () => {
  rig = await openRig();
  expect((await rig.init()).code).toBe(0);
  stop = new AbortController();
  waits = 20;
  aheadMs = 0;
  events.splice(0);
});
afterEach(async () => {
  stop.abort();
  await ended;
  await rig.close();
});

type Loop = Partial<Daemon>;

const IDLE = {
  phase: { kind: "idle" },
  inSyncAsOf: null,
  pendingDeletions: [],
  dirty: { count: 0, paths: [] },
  lastReport: null,
  pausedUntil: null,
  nextPollAt: 1,
  retryAt: null,
  watching: "events",
  limit: null,
  eventStream: { kind: "off" },
} as const;

const untilAborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

/**
 * How many waits for the next attempt to open the folder end immediately. The wait after them lasts
 * until the end of the test.
 */
let waits = 0;

/** Milliseconds by which the monotonic clock is ahead of the system's. */
let aheadMs = 0;

const clock: Clock = {
  now: Date.now,
  monotonic: () => performance.now() + aheadMs,
  sleep: async (_ms, signal) => (waits-- > 0 || signal === undefined ? undefined : untilAborted(signal)),
};

/** A loop that has nothing to do, with the methods that the test scripts. */
class ScriptedDaemon implements Daemon {
  constructor(loop: Loop) {
    Object.assign(this, loop);
  }

  run(stop: AbortSignal): Promise<void> {
    return untilAborted(stop);
  }

  request(): Promise<never> {
    return Promise.reject(new Error("not scripted"));
  }

  whenSynced(): Promise<never> {
    return Promise.reject(new Error("not scripted"));
  }

  async callBetweenRuns(work: () => void): Promise<void> {
    work();
  }

  status(): typeof IDLE {
    return IDLE;
  }

  onEvent(): () => void {
    return doNothing;
  }

  alive(): number {
    return performance.now();
  }
}

function noteEvent(_root: string, event: FolderEvent): void {
  events.push(event);
  for (const look of [...listeners]) look();
}

/**
 * Opens the folder and keeps it in sync.
 * @param loops one for each time that the folder is opened; the last one is used again
 */
async function keep(...loops: readonly Loop[]): Promise<DaemonFolder> {
  const folder = unwrap(await DaemonFolder.open(rig.root, optionsOf(loops)));
  ended = folder.run(stop.signal);
  await published("opened");
  return folder;
}

/** Options of the last loop that was created. */
let loopOptions: Parameters<NonNullable<FolderOptions["createDaemon"]>>[2];

function optionsOf(loops: readonly Loop[]): FolderOptions {
  let opened = 0;
  return {
    env: { XDG_RUNTIME_DIR: rig.dir, XDG_STATE_HOME: rig.stateHome },
    cwd: rig.dir,
    clock,
    random: systemRandom(),
    createWatcher: () => ({ start: closeNothing, close: closeNothing }),
    createDaemon: (_world, _watcher, options) => {
      loopOptions = options;
      return new ScriptedDaemon(loops[Math.min(opened++, loops.length - 1)]!);
    },
    onEvent: noteEvent,
  };
}

function published(kind: FolderEvent["kind"], times = 1): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (events.filter((one) => one.kind === kind).length < times) return;
      listeners.delete(look);
      resolve();
    };
    listeners.add(look);
    look();
  });
}

const broken = (message: string, code?: string): Loop => ({
  run: () => Promise.reject(Object.assign(new Error(message), code === undefined ? {} : { code })),
});

test("a loop gets the events of the service, and its status shows whether it receives them", async () => {
  await keep({ status: () => ({ ...IDLE, eventStream: { kind: "listening" } }) });
  expect(loopOptions.events).toMatchObject({ start: expect.any(Function), close: expect.any(Function) });
  expect(await askDaemon(rig.root, { do: "status" })).toMatchObject({ value: { eventStream: { kind: "listening" } } });
});

describe("a folder whose loop breaks", () => {
  test("is reported without the message of the fault, closed, and opened again", async () => {
    await keep(broken("# my secret text"), broken("gone", "ENOENT"), {});
    await published("opened", 3);
    const troubles = events.flatMap((one) => (one.kind === "broken" ? [one.trouble.what] : []));
    expect(troubles).toEqual([
      `syncing ${rig.root} ended by an error in mdmirror itself`,
      `syncing ${rig.root} ended: it does not exist (ENOENT)`,
    ]);
    expect(await askDaemon(rig.root, { do: "status" })).toMatchObject({ kind: "ok", value: { phase: "idle" } });
  });

  test("waits longer each time, five minutes at most", async () => {
    await keep(...Array.from({ length: 12 }, () => broken("x")), {});
    await published("opened", 13);
    const waits = events.flatMap((one) => (one.kind === "broken" ? [one.retryMs] : []));
    expect(waits.slice(0, 9)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300].map((seconds) => seconds * 1_000));
    expect(Math.max(...waits)).toBe(300_000);
  });

  test("frees its lock while it is closed, and says why it does nothing", async () => {
    const config = rig.path(".mdmirror/config.json");
    waits = 1;
    const folder = await keep({
      run: async () => {
        renameSync(config, `${config}.away`);
        throw new Error("x");
      },
    });
    await published("broken", 2);
    expect(folder.status()).toMatchObject({ phase: "closed" });
    const answered = await askDaemon(rig.root, { do: "pause" });
    expect(answered).toMatchObject({ kind: "trouble", trouble: { kind: "fault" } });
    expect(JSON.stringify(answered)).toContain("config.json");
  });
});

describe("a loop that does not continue", () => {
  test("sends no signs of life, so that a waiting caller gets an error after the deadline", async () => {
    await keep({ alive: () => performance.now() - 300_000, request: () => new Promise(() => undefined) });
    const answer = await askDaemon(rig.root, { do: "pause" }, 60);
    expect(answer).toMatchObject({ kind: "trouble", trouble: { code: "daemon-silent" } });
    const status = await askDaemon(rig.root, { do: "status" });
    if (status === NO_DAEMON || status.kind === "trouble") throw new Error("no status");
    expect(status.value.stillMs).toBeGreaterThan(240_000);
  });
});

describe("a daemon that ends", () => {
  test("refuses what it had not begun, and says to run it again", async () => {
    const cut = Promise.withResolvers<never>();
    await keep({ request: () => cut.promise });
    const asking = askDaemon(rig.root, { do: "pause" });
    await askDaemon(rig.root, { do: "status" });
    stop.abort();
    cut.reject(new Error("the daemon has stopped"));
    const answer = await asking;
    expect(JSON.stringify(answer)).toMatch(/run the command again/);
  });
});

const REFUSED = { kind: "waiting", why: "unauthenticated", failures: 1, detail: "not valid" } as const;
const refused = () => ({ ...IDLE, phase: REFUSED });

describe("a folder whose key was refused", () => {
  test("is opened again for a request once there is another key", async () => {
    await keep({ status: refused }, { request: async () => undefined as never });
    storeKey(rig.path(".mdmirror"), "mdm_another-key");
    expect(await askDaemon(rig.root, { do: "pause" })).toMatchObject({ kind: "ok", value: { changed: true } });
  });

  test("is opened again when it is refused again and there is another key", async () => {
    const tells: ((event: DaemonEvent) => void)[] = [];
    const onEvent: Daemon["onEvent"] = (listener) => {
      tells.push(listener);
      return doNothing;
    };
    await keep({ status: refused, onEvent }, {});
    storeKey(rig.path(".mdmirror"), "mdm_another-key");
    tells[0]!({ kind: "phase", phase: REFUSED, at: 0 });
    await published("opened", 2);
  });
});

/** Borrows the folder from its daemon. Returns a function that gives the folder back. */
async function borrow(what: string) {
  const borrowed = await borrowFolder(rig.root, what);
  if (borrowed === NO_DAEMON) throw new Error("no daemon");
  return unwrap(borrowed);
}

describe("a borrower that puts another state in place", () => {
  test("finds nothing open, and the daemon opens the folder again", async () => {
    await keep({});
    const giveBack = await borrow("sync");
    rig.rename(".mdmirror/state.db", ".mdmirror/state.db.damaged");
    giveBack();
    // The scripted loop ends immediately; a real loop first ends the steps in progress.
    await published("returned");
    expect(events.filter((one) => one.kind === "broken")).toEqual([]);
  });
});

test("a folder is lent to one command after the other", async () => {
  await keep({});
  const giveBackFirst = await borrow("sync");
  const second = borrow("undo");
  await askDaemon(rig.root, { do: "status" });
  giveBackFirst();
  const giveBackSecond = await second;
  giveBackSecond();
  await published("returned", 2);
  const loans = events.flatMap((one) => (one.kind === "lent" || one.kind === "returned" ? [[one.kind, one.what]] : []));
  expect(loans).toEqual([
    ["lent", "sync"],
    ["returned", "sync"],
    ["lent", "undo"],
    ["returned", "undo"],
  ]);
});

describe("a pause that waits while the folder is lent", () => {
  test.for([
    { name: "that was refused", aheadMs: 31_000, deadlineMs: 60_000, code: "locked" },
    { name: "that its command gave up", aheadMs: 0, deadlineMs: 60, code: "daemon-silent" },
  ])("and $name has no effect when the loan ends", async (one) => {
    const asked: string[] = [];
    await keep({}, { request: async (kind) => asked.push(kind) as never });
    const giveBack = await borrow("sync");
    aheadMs = one.aheadMs;
    const answer = await askDaemon(rig.root, { do: "pause" }, one.deadlineMs);
    expect(JSON.stringify(answer)).toContain(one.code);
    // By now, the daemon knows that the command has disconnected.
    await askDaemon(rig.root, { do: "status" });
    giveBack();
    await published("returned");
    await askDaemon(rig.root, { do: "status" });
    expect(asked).toEqual([]);
  });
});

/**
 * Returns a request to the first loop, and a function that lends the folder while the request is in
 * progress.
 */
function cutByLoan() {
  const [began, cut] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  return {
    request(): Promise<never> {
      began.resolve();
      return cut.promise;
    },
    async lend(meanwhile = doNothing): Promise<void> {
      await began.promise;
      const giveBack = await borrow("undo");
      cut.reject(new Error("the daemon has stopped"));
      meanwhile();
      giveBack();
    },
  };
}

test("a resume that is cut off by a loan is carried out by the folder that is opened next", async () => {
  const { request, lend } = cutByLoan();
  const status = () => ({ ...IDLE, phase: PAUSED_PHASE, nextPollAt: null });
  const asked: string[] = [];
  await keep({ status, request }, { status, request: async (kind) => asked.push(kind) as never });
  const resuming = askDaemon(rig.root, { do: "resume" });
  await lend();
  expect(await resuming).toMatchObject({ kind: "ok", value: { changed: true } });
  expect(asked).toEqual(["resume"]);
});

test("a wait that is cut off by a loan has the time that is left", async () => {
  const { request, lend } = cutByLoan();
  const end = { kind: "judged", paths: [], documents: 1 } as const;
  const next: Daemon["whenSynced"] = (_scope, signal) => untilAborted(signal).then(() => end);
  await keep({ whenSynced: request }, { whenSynced: next });
  const waiting = askDaemon(rig.root, { do: "wait", paths: [""], timeoutMs: 10_000_000 });
  await lend(() => {
    aheadMs = 10_000_000;
  });
  expect(await waiting).toMatchObject({ kind: "ok", value: { documents: 1 } });
});

test("I19 a folder that disappears as its daemon begins is reported as missing, not as a fault of mdmirror", async () => {
  const folder = unwrap(await DaemonFolder.open(rig.root, optionsOf([{}])));
  renameSync(rig.root, `${rig.root}-away`);
  ended = folder.run(stop.signal);
  await published("broken");
  renameSync(`${rig.root}-away`, rig.root);
  const troubles = events.flatMap((one) => (one.kind === "broken" ? [one.trouble] : []));
  expect(troubles[0]).toMatchObject({ kind: "usage", code: "root-missing" });
  await published("opened");
});
