import { describe, expect, test } from "vitest";
import type { ChangeId, DocId } from "../../../src/contract/ids.ts";
import type { EventHint, Fault } from "../../../src/mirror/ports/remote.ts";
import { type DaemonRig, ScriptedEvents, withNotes } from "./rig.ts";
import { createRig } from "../../simulator/rig.ts";

const PATH = "area/topic/note-0.md";

type LiveRig = { readonly rig: DaemonRig; readonly news: ScriptedEvents };

/** Starts a daemon that receives events, is idle, and is in sync with three documents. */
async function listening(options: Parameters<typeof withNotes>[2] = {}): Promise<LiveRig> {
  const news = new ScriptedEvents();
  const daemon = await withNotes(3, (n) => `area/topic/note-${n}.md`, { ...options, news });
  news.state({ kind: "listening" });
  // The next poll was planned before the event stream was open.
  await daemon.pass(12_000);
  daemon.sent();
  return { rig: daemon, news };
}

/** Returns the event that a correct service sends about the document at a path. */
function hintAt({ rig }: LiveRig, path: string): EventHint {
  const { id, changeId } = rig.app.files().get(path)!;
  return { kind: "file", id, path, changeId: changeId as ChangeId, gone: false };
}

const textOf = ({ rig }: LiveRig, path: string) => rig.mirrored.texts().get(path);

describe("while the service sends events", () => {
  test("an edit on the service is local in 100 ms, by one small list and one GET", async () => {
    const live = await listening();
    live.rig.app.edit(PATH, "# Edited there\n");
    live.news.hint(hintAt(live, PATH));
    await live.rig.pass(100);
    expect(textOf(live, PATH)).toBe("# Edited there\n");
    expect(live.rig.sent()).toEqual([
      `GET /v1/files?path=${encodeURIComponent(`/${PATH}`)}&limit=1000`,
      expect.stringMatching(/^GET \/v1\/files\/doc_/),
    ]);
  });

  test("edits of several documents of a folder, one soon after the other, list nothing else", async () => {
    const live = await listening();
    for (const n of [0, 1, 2]) {
      const path = `area/topic/note-${n}.md`;
      live.rig.app.edit(path, `# Edited there, ${n}\n`);
      live.news.hint(hintAt(live, path));
      await live.rig.pass(100);
      // The file watcher reports the replacement that mdmirror itself made.
      for (const at of [path, "area/topic"]) live.rig.hint({ kind: "path", path: at });
    }
    expect(live.rig.sent().filter((request) => !/path=|\/doc_/.test(request))).toEqual([]);
    expect(textOf(live, "area/topic/note-2.md")).toBe("# Edited there, 2\n");
  });

  test("a new document in a known folder is local in 100 ms, without a whole list", async () => {
    const live = await listening();
    live.rig.app.create("area/topic/new.md", "# New\n");
    live.news.hint(hintAt(live, "area/topic/new.md"));
    await live.rig.pass(100);
    expect(textOf(live, "area/topic/new.md")).toBe("# New\n");
    expect(live.rig.sent()).toHaveLength(2);
    // What the daemon learned from the events is right: the next poll finds no difference, and no
    // cycle follows.
    await live.rig.pass(70_000);
    expect(live.rig.sent()).toEqual(["GET /v1/files?limit=1000"]);
  });

  test("I10 the echo of its own PUT is no request", async () => {
    const live = await listening();
    live.rig.save(PATH, "# Edited here\n");
    await live.rig.until(() => live.rig.app.text(PATH) === "# Edited here\n");
    live.rig.sent();
    live.news.hint(hintAt(live, PATH));
    await live.rig.pass(1_000);
    expect(live.rig.sent()).toEqual([]);
  });

  test.each<readonly [string, (live: LiveRig) => EventHint, (told: LiveRig) => void, (told: LiveRig) => boolean]>([
    [
      "a move",
      (live) => hintAt(live, "area/moved.md"),
      ({ rig }) => rig.app.move(PATH, "area") ?? rig.app.rename("area/note-0.md", "moved.md"),
      (live) => textOf(live, "area/moved.md") !== undefined && textOf(live, PATH) === undefined,
    ],
    [
      "a new folder",
      () => ({ kind: "folder", id: "dir_aaaaaaaaaaaaaa" as never }),
      ({ rig }) => void rig.app.call("POST", "/v1/folders", { path: "empty" }),
      ({ rig }) => rig.mirrored.disk.user.folders(rig.mirrored.path("")).some((path) => path.endsWith("empty")),
    ],
    [
      "anything",
      () => ({ kind: "all" }),
      ({ rig }) => rig.app.create("elsewhere/far/new.md", "# Far\n"),
      (live) => textOf(live, "elsewhere/far/new.md") === "# Far\n",
    ],
  ])("%s on the service is found by the list immediately", async (_what, hint, act, isDone) => {
    const live = await listening();
    act(live);
    live.news.hint(hint(live));
    await live.rig.pass(200);
    expect(isDone(live)).toBe(true);
  });

  test("I04 a deletion counts when it is proven, not because an event reports it", async () => {
    const live = await listening();
    const lie: EventHint = { ...(hintAt(live, PATH) as { kind: "file" } & EventHint), gone: true } as EventHint;
    live.news.hint(lie);
    await live.rig.pass(2_000);
    expect(textOf(live, PATH)).toBe("# Note 0\n\nits own text, number 0\n");
    live.rig.app.remove(PATH);
    live.news.hint(lie);
    await live.rig.pass(2_000);
    expect(textOf(live, PATH)).toBeUndefined();
  });

  test("a change without an event is found by the next poll, a minute later at most", async () => {
    const live = await listening();
    live.rig.app.edit(PATH, "# Edited there\n");
    await live.rig.pass(30_000);
    expect(textOf(live, PATH)).not.toBe("# Edited there\n");
    await live.rig.until(() => textOf(live, PATH) === "# Edited there\n", 40_000);
  });

  test("it is polled at the usual pace as soon as the connection is lost", async () => {
    const live = await listening();
    const slow = live.rig.daemon.status().nextPollAt!;
    live.news.state({ kind: "broken", why: "ECONNRESET" });
    expect(live.rig.daemon.status().eventStream).toEqual({ kind: "broken", why: "ECONNRESET" });
    const soon = live.rig.daemon.status().nextPollAt! - live.rig.clock.now();
    expect(slow - live.rig.clock.now()).toBeGreaterThan(20_000);
    expect(soon).toBeLessThan(6_000);
    await live.rig.pass(6_000);
    expect(live.rig.sent()).toEqual(["GET /v1/files?limit=1000"]);
  });

  test("steady work puts the poll off for no longer than its pace", async () => {
    const live = await listening();
    for (let n = 0; n < 8; n++) {
      live.rig.save(PATH, `# Edited here, ${n}\n`);
      await live.rig.pass(10_000);
    }
    expect(live.rig.sent().filter((one) => one === "GET /v1/files?limit=1000").length).toBeGreaterThan(0);
  });

  test("nothing is looked at while it is paused", async () => {
    const live = await listening();
    await live.rig.daemon.request("pause");
    live.news.hint({ kind: "all" });
    await live.rig.pass(10_000);
    expect(live.rig.sent()).toEqual([]);
  });
});

const id = (n: number) => `doc_${String(n).padStart(14, "0")}` as DocId;

describe("a service with false answers", () => {
  const lie = (n: number): EventHint => ({
    kind: "file",
    id: id(n),
    path: `no/such-${n}.md`,
    changeId: null,
    gone: false,
  });

  test("a hundred thousand hints in a minute cost no more requests than polling at its quickest", async () => {
    const live = await listening();
    for (let round = 0; round < 60; round++) {
      for (let n = 0; n < 2_000; n++) live.news.hint(lie(n));
      await live.rig.pass(1_000);
    }
    const sent = live.rig.sent();
    expect(sent.length).toBeLessThan(60 + 20 + 2);
    expect(sent.filter((request) => !request.startsWith("GET "))).toEqual([]);
    expect(live.rig.daemon.status().lastReport?.state).toBe("in-sync");
  });

  test("unknown ids at paths of known documents change nothing", async () => {
    const live = await listening();
    const before = new Map(live.rig.mirrored.texts());
    live.news.hint({ kind: "file", id: id(1), path: PATH, changeId: null, gone: false });
    live.news.hint({ ...hintAt(live, "area/topic/note-1.md"), path: PATH } as EventHint);
    live.news.hint({ ...hintAt(live, "area/topic/note-2.md"), changeId: "chg_aaaaaaaaaaaaaa" } as EventHint);
    await live.rig.pass(5_000);
    expect(new Map(live.rig.mirrored.texts())).toEqual(before);
    expect(live.rig.writes()).toEqual([]);
  });
});

const inRoot = (n: number): string => `note-${n}.md`;

const later = (cause: "unreachable" | "unavailable" | "rate-limited" | "not-the-service"): Fault => ({
  kind: "later",
  detail: `the service is ${cause}`,
  requestId: null,
  cause,
});
const lockedOut: Fault = { kind: "locked-out", code: "unauthenticated", detail: "no such key", requestId: "r1" };

describe("a service that does not answer", () => {
  test.each([
    ["offline", later("unreachable")],
    ["unavailable", later("unavailable")],
    ["rate-limited", later("rate-limited")],
    ["not-the-service", later("not-the-service")],
    ["unauthenticated", lockedOut],
  ] as const)("%s has its own phase, is retried with backoff, and ends with the first success", async (why, fault) => {
    const rig = await withNotes(8, inRoot);
    rig.requestFaults.fault = fault;
    rig.save("note-1.md", "# Note 1\n\nedited meanwhile\n");
    await rig.pass(60_000);
    expect(rig.daemon.status().phase).toMatchObject({ kind: "waiting", why });
    const waits: number[] = [];
    let seen: number | null = null;
    await rig.until(() => {
      const { retryAt } = rig.daemon.status();
      if (retryAt !== null && retryAt !== seen) waits.push(retryAt - rig.clock.now());
      seen = retryAt;
      return waits.length === 4;
    }, 3_600_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(300_000);
    expect(waits.at(-1)!).toBeGreaterThan(why === "unauthenticated" ? 60_000 : 4_000);
    rig.requestFaults.fault = null;
    await rig.pass(301_000);
    expect(rig.daemon.status().phase).toEqual({ kind: "idle" });
    expect(rig.daemon.status().retryAt).toBeNull();
    expect(rig.app.text("note-1.md")).toBe("# Note 1\n\nedited meanwhile\n");
    expect(rig.app.files().size).toBe(8);
  });

  test("I19 a refused key erases nothing, on either side, however long", async () => {
    const rig = await withNotes(8, inRoot);
    const before = rig.mirrored.texts();
    rig.requestFaults.fault = lockedOut;
    await rig.pass(86_400_000);
    expect(rig.mirrored.texts()).toEqual(before);
    expect(rig.app.files().size).toBe(8);
  });

  test("a manual request is tried immediately", async () => {
    const rig = await withNotes(8, inRoot);
    rig.requestFaults.fault = later("unreachable");
    await rig.pass(1_200_000);
    rig.requestFaults.fault = null;
    await rig.daemon.request("resume");
    expect(rig.daemon.status().lastReport!.state).toBe("in-sync");
    expect(rig.daemon.status().phase.kind).toBe("idle");
  });
});

describe("time of the last proven sync", () => {
  test("advances with each scan of the service while nothing is open, and stays while something is", async () => {
    const rig = await withNotes(8, inRoot);
    await rig.pass(600_000);
    const proven = rig.daemon.status().inSyncAsOf!;
    expect(rig.clock.now() - proven).toBeLessThan(120_000);
    // Both sides edit the same line, which is a conflict.
    rig.app.edit("note-1.md", "# Note 1\n\nfrom the app\n");
    rig.save("note-1.md", "# Note 1\n\nfrom here\n");
    await rig.until(() => rig.daemon.status().lastReport?.state === "attention");
    const open = rig.daemon.status().inSyncAsOf!;
    await rig.pass(3_600_000);
    expect(rig.daemon.status().inSyncAsOf).toBe(open);
  });

  test("an edit that went out on its own proves nothing of the service", async () => {
    const rig = await withNotes(8, inRoot);
    await rig.pass(600_000);
    const proven = rig.daemon.status().inSyncAsOf;
    rig.save("note-1.md", "# Note 1\n\nits own text, number 1\n\nedited\n");
    await rig.until(() => rig.app.text("note-1.md")!.includes("edited"));
    expect(rig.daemon.status().inSyncAsOf).toBe(proven);
    await rig.pass(600_000);
    expect(rig.daemon.status().inSyncAsOf).toBeGreaterThan(proven!);
  });
});

describe("requests", () => {
  test("paused, nothing is sent or asked, also after a restart, until resumed", async () => {
    const rig = await withNotes(8, inRoot);
    await rig.daemon.request("pause");
    rig.save("note-1.md", "# Note 1\n\nedited in the pause\n");
    rig.sent();
    await rig.pass(3_600_000);
    expect(rig.sent()).toEqual([]);
    expect(rig.daemon.status().phase).toMatchObject({ kind: "waiting", why: "paused" });
    expect(rig.mirrored.state.meta("watch.paused")).not.toBeNull();
    await rig.daemon.request("resume");
    expect(rig.daemon.status().lastReport!.counts.uploaded).toBe(1);
  });

  test("work between two cycles runs after earlier requests, and rejects alone", async () => {
    const rig = await withNotes(8, inRoot);
    const done: string[] = [];
    const earlier = rig.daemon.request("resume").then(() => done.push("resume"));
    await rig.daemon.callBetweenRuns(() => void done.push("work"));
    await earlier;
    expect(done).toEqual(["resume", "work"]);
    const fail = (): never => {
      throw new Error("no");
    };
    await expect(rig.daemon.callBetweenRuns(fail)).rejects.toThrow("no");
    await rig.daemon.request("resume");
    expect(rig.daemon.status().lastReport).toMatchObject({ counts: { uploaded: 0 } });
  });

  test("what is asked of a stopped daemon is refused", async () => {
    const rig = await withNotes(8, inRoot);
    await rig.stop();
    await expect(rig.daemon.request("resume")).rejects.toThrow(/stopped/);
    expect(rig.daemon.status().phase.kind).toBe("ended");
  });

  test("events report phases, changes with their lines, and runs; never content", async () => {
    const rig = await withNotes(8, inRoot);
    rig.events.length = 0;
    rig.save("note-1.md", "# Note 1\n\na secret line\nanother\n");
    await rig.pass(1_000);
    expect(
      rig.events.filter(({ kind }) => kind === "phase").map((event) => "phase" in event && event.phase.kind),
    ).toEqual(["observing", "applying", "idle"]);
    expect(rig.events).toContainEqual(
      expect.objectContaining({ kind: "change", what: "put", path: "note-1.md", lines: { added: 2, removed: 1 } }),
    );
    expect(JSON.stringify(rig.events)).not.toContain("secret");
  });
});

describe("protected documents", () => {
  test("go to review once, when they were unchanged for 60 s", async () => {
    const rig = await withNotes(8, inRoot);
    rig.app.protect("note-1.md", true);
    await rig.pass(40_000);
    for (let n = 0; n < 5; n++) {
      rig.save("note-1.md", `# Note 1\n\nedit ${n}\n`);
      await rig.pass(20_000);
    }
    expect(rig.sent("PUT")).toEqual([]);
    await rig.pass(45_000);
    expect(rig.sent("PUT")).toHaveLength(1);
    await rig.pass(600_000);
    expect(rig.sent("PUT")).toEqual([]);
    expect(rig.mirrored.texts().get("note-1.md")).toBe("# Note 1\n\nedit 4\n");
    // The event describes what the review changes, not the whole content.
    expect(rig.events).toContainEqual(
      expect.objectContaining({ what: "put", outcome: "submitted", lines: { added: 1, removed: 1 } }),
    );
  });

  test.each([
    ["before it has rested", 5_000],
    ["after it went to review as well", 120_000],
  ] as const)("I31 what was edited while a review was open is sent once that is accepted %s", async (_, ms) => {
    const service = createRig(1);
    const rig = await withNotes(8, inRoot, { rig: service });
    rig.app.protect("note-1.md", true);
    await rig.pass(40_000);
    rig.save("note-1.md", "# Note 1\n\nsent\n");
    await rig.pass(120_000);
    rig.save("note-1.md", "# Note 1\n\nsent\n\nand later\n");
    await rig.pass(ms);
    for (let round = 0; round < 2; round++) {
      for (const id of service.reviews().slice(0, 1)) rig.service.admin.reviews.accept(id);
      await rig.pass(300_000);
    }
    expect(service.reviews()).toEqual([]);
    expect(rig.app.text("note-1.md")).toBe("# Note 1\n\nsent\n\nand later\n");
    expect(rig.mirrored.texts().get("note-1.md")).toBe("# Note 1\n\nsent\n\nand later\n");
  });
});
