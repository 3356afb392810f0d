import { describe, expect, test } from "vitest";
import type { ChangeId } from "../../../src/contract/ids.ts";
import type { Fault } from "../../../src/mirror/ports/remote.ts";
import { type DaemonRig, withNotes } from "./rig.ts";

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
    expect(rig.app.files().get("note-1.md")?.text).toBe("# Note 1\n\nedited meanwhile\n");
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
    const report = await rig.daemon.request("sync");
    expect(report.state).toBe("in-sync");
    expect(rig.daemon.status().phase.kind).toBe("idle");
  });
});

describe("time of the last proven sync", () => {
  test("advances with each scan of the service while nothing is open, and stays while something is", async () => {
    const rig = await withNotes(8, inRoot);
    await rig.pass(600_000);
    const proven = rig.daemon.status().inSyncAsOf!;
    expect(rig.clock.now() - proven).toBeLessThan(120_000);
    // Both edit the same line: a conflict.
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
    await rig.until(() => rig.app.files().get("note-1.md")!.text.includes("edited"));
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
    const report = await rig.daemon.request("resume");
    expect(report.counts.uploaded).toBe(1);
  });

  test("work between two cycles runs after earlier requests, and rejects alone", async () => {
    const rig = await withNotes(8, inRoot);
    const done: string[] = [];
    const earlier = rig.daemon.request("sync").then(() => done.push("sync"));
    await rig.daemon.runBetweenCycles(() => void done.push("work"));
    await earlier;
    expect(done).toEqual(["sync", "work"]);
    const fail = (): never => {
      throw new Error("no");
    };
    await expect(rig.daemon.runBetweenCycles(fail)).rejects.toThrow("no");
    await expect(rig.daemon.request("sync")).resolves.toMatchObject({ counts: { uploaded: 0 } });
  });

  test("what is asked of a stopped daemon is refused", async () => {
    const rig = await withNotes(8, inRoot);
    await rig.stop();
    await expect(rig.daemon.request("sync")).rejects.toThrow(/stopped/);
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
  test("go to review when their text has rested for 60 s, once", async () => {
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
    // Of what the review changes, not of the whole text.
    expect(rig.events).toContainEqual(
      expect.objectContaining({ what: "put", outcome: "submitted", lines: { added: 1, removed: 1 } }),
    );
  });

  test.each([
    ["before it has rested", 5_000],
    ["after it went to review as well", 120_000],
  ] as const)(
    "I31 what was edited while a review was open reaches the service once that is accepted %s",
    async (_, ms) => {
      const rig = await withNotes(8, inRoot);
      rig.app.protect("note-1.md", true);
      await rig.pass(40_000);
      rig.save("note-1.md", "# Note 1\n\nsent\n");
      await rig.pass(120_000);
      rig.save("note-1.md", "# Note 1\n\nsent\n\nand later\n");
      await rig.pass(ms);
      for (let round = 0; round < 2; round++) {
        for (const id of reviewsOf(rig).slice(0, 1)) rig.service.admin.reviews.accept(id);
        await rig.pass(300_000);
      }
      expect(reviewsOf(rig)).toEqual([]);
      expect(rig.app.files().get("note-1.md")!.text).toBe("# Note 1\n\nsent\n\nand later\n");
      expect(rig.mirrored.texts().get("note-1.md")).toBe("# Note 1\n\nsent\n\nand later\n");
    },
  );
});

function reviewsOf({ service }: DaemonRig): ChangeId[] {
  const all = service.admin.reviews.list(service.admin.workspaces()[0]!.id);
  if (!Array.isArray(all)) throw new Error("no list of reviews");
  return all.map(({ id }) => id);
}
