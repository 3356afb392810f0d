import { describe, expect, test } from "vitest";
import { createRig } from "../../simulator/rig.ts";
import { startDaemon, withNotes } from "./rig.ts";

const HOUR = 3_600_000;
const REST = 6 * HOUR;

describe("at rest", () => {
  test("six hours write no run, no event and no block, and sleeps last a second or longer", async () => {
    const rig = await withNotes(6);
    await rig.pass(HOUR);
    const { state } = rig.mirrored;
    const before = { runs: state.runs(1_000), events: state.events({ limit: 1_000 }) };
    const sleeps = rig.clock.sleeps.length;
    rig.events.length = 0;
    await rig.pass(REST);
    expect({ runs: state.runs(1_000), events: state.events({ limit: 1_000 }) }).toEqual(before);
    expect(rig.events.filter(({ kind }) => kind === "run" || kind === "change")).toEqual([]);
    const slept = rig.clock.sleeps.slice(sleeps + 1);
    // Short sleeps are rests of longer ones. All others belong to polls, to scans or to the
    // daemon's loop.
    expect(slept.filter((ms) => ms < 1_000).length / slept.length).toBeLessThan(0.03);
    expect(slept.length).toBeLessThan(REST / 30_000);
  });

  test("an unchanged disk is scanned only periodically", async () => {
    const rig = await withNotes(6);
    await rig.pass(2 * HOUR);
    let walks = 0;
    rig.mirrored.disk.beforeCall = (call, path) => {
      if (call === "readdir" && path.endsWith("/notes/notes")) walks++;
    };
    await rig.pass(3 * HOUR);
    expect(walks).toBeGreaterThanOrEqual(17);
    expect(walks).toBeLessThanOrEqual(19);
  });

  test("requests stay within the budget in a workspace of many pages", async () => {
    const rig = createRig(1, { maxPageSize: 100 });
    const made = await startDaemon({ rig, timing: { pollRequestsAMinute: 1 } });
    for (let n = 0; n < 110; n++) rig.app.create(`note-${n}.md`, "text\n");
    await made.pass(130_000);
    made.sent();
    await made.pass(9 * 60_000);
    // A listing has two pages, and the daemon lists every two minutes.
    expect(made.sent("GET").filter((request) => request.startsWith("GET /v1/files?")).length).toBeLessThanOrEqual(12);
  });
});

describe("a day of work", () => {
  test("the state has one run for each change", async () => {
    const rig = await withNotes(30);
    const work = async (from: number, to: number) => {
      for (let hour = from; hour < to; hour++) {
        rig.save(`notes/note-${hour % 30}.md`, `# Note ${hour % 30}\n\nedited in hour ${hour}, here\n`);
        await rig.pass(HOUR / 2);
        rig.app.edit(`notes/note-${(hour + 7) % 30}.md`, `# Note\n\nedited in hour ${hour}, there\n`);
        await rig.pass(HOUR / 2);
        rig.events.length = 0;
        rig.clock.sleeps.length = 0;
        rig.mirrored.requests.length = 0;
      }
    };
    await work(0, 1);
    const runs = rig.mirrored.state.runs(10_000).length;
    await work(1, 13);
    expect(rig.mirrored.state.runs(10_000).length - runs).toBe(24);
    expect(rig.daemon.status().dirty.count).toBe(0);
    await rig.until(() => rig.mirrored.texts().size === rig.app.files().size);
    for (const [path, { text }] of rig.app.files()) expect(rig.mirrored.texts().get(path)).toBe(text);
  });
});

describe("sleep and wake", () => {
  test("a jump of the clock leads to a scan of everything", async () => {
    const rig = await withNotes(20);
    rig.mirrored.write("notes/note-2.md", "# Note 2\n\nedited while nobody watched\n");
    rig.app.edit("notes/note-3.md", "# Note 3\n\nedited there meanwhile\n");
    rig.requestFaults.sleptMs += 8 * HOUR;
    await rig.pass(61_000);
    expect(rig.events).toContainEqual(expect.objectContaining({ kind: "woke", sleptMs: 8 * HOUR }));
    expect(rig.app.text("notes/note-2.md")).toBe("# Note 2\n\nedited while nobody watched\n");
    expect(rig.mirrored.texts().get("notes/note-3.md")).toBe("# Note 3\n\nedited there meanwhile\n");
  });

  test("I04 a deletion's grace starts again: the time asleep does not count", async () => {
    const rig = await withNotes(20);
    rig.remove("notes/note-2.md");
    await rig.pass(25_000);
    rig.requestFaults.sleptMs += 8 * HOUR;
    await rig.pass(6_000);
    expect(rig.sent("DELETE")).toEqual([]);
    await rig.pass(60_000);
    expect(rig.sent("DELETE")).toHaveLength(1);
  });

  test("I29 a wall clock that is set back does nothing", async () => {
    const rig = await withNotes(20);
    rig.requestFaults.sleptMs -= 24 * HOUR;
    rig.save("notes/note-2.md", "# Note 2\n\nedited after the clock was set back\n");
    await rig.pass(2_000);
    expect(rig.app.text("notes/note-2.md")).toBe("# Note 2\n\nedited after the clock was set back\n");
    expect(rig.events.some(({ kind }) => kind === "woke")).toBe(false);
  });
});
