import { describe, expect, test } from "vitest";
import { syncToConvergence } from "../../src/engine/run/sync.ts";
import type { Settings } from "../../src/engine/run/world.ts";
import { type Mirror, SETTINGS } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

/** 1,300 bytes: two sectors and a part of one. */
const TEXT = "0123456789 ab".repeat(100);

/** A document that is new on both sides at one path. */
function newOnBoth(here: string, there: string): { rig: Rig; mirror: Mirror } {
  const rig = createRig(1);
  const mirror = rig.mirror();
  rig.app.create("note.md", there);
  mirror.write("note.md", here);
  return { rig, mirror };
}

async function run({ mirror }: { mirror: Mirror }, settings: Partial<Settings> = {}) {
  const report = await mirror.sync({ ...SETTINGS, ...settings });
  return [report?.state, report?.counts.conflicts];
}

describe("a document that is new on both sides, and empty on one", () => {
  const PREFERENCES = [null, "local", "remote", "each"] as const;

  test.each(PREFERENCES)("I05 I06 sends the text where it is empty there (preferred: %s)", async (prefer) => {
    const both = newOnBoth(TEXT, "");
    expect(await run(both, { prefer })).toEqual(["in-sync", 0]);
    expect([...both.mirror.texts()]).toEqual([["note.md", TEXT]]);
    expect(both.rig.app.files().get("note.md")?.text).toBe(TEXT);
  });

  test.each(["\n", " \r\n", "\ufeff", "\ufeff\n"])("I05 takes %j there for empty", async (blank) => {
    const both = newOnBoth(TEXT, blank);
    expect(await run(both, { prefer: "remote" })).toEqual(["in-sync", 0]);
    expect([both.mirror.texts().get("note.md"), both.rig.app.files().get("note.md")?.text]).toEqual([TEXT, TEXT]);
  });

  test("I14 is a conflict where it is empty here, as somebody may be about to write into it", async () => {
    const both = newOnBoth("", TEXT);
    const held = both.mirror.disk.user.open(both.mirror.path("note.md"));
    expect(await run(both)).toEqual(["attention", 1]);
    held.write("saved late\n");
    await both.mirror.sync();
    expect(both.mirror.texts().get("note.md")).toBe("saved late\n");
  });

  test("I14 brings back what is saved into a file after it was replaced by a preference", async () => {
    const both = newOnBoth("mine\n", TEXT);
    const held = both.mirror.disk.user.open(both.mirror.path("note.md"));
    expect(await run(both, { prefer: "remote" })).toEqual(["in-sync", 0]);
    held.write("saved late\n");
    await both.mirror.sync();
    await both.mirror.sync();
    const texts = [...both.mirror.texts().values()];
    expect(["saved late", TEXT].map((part) => texts.some((text) => text.includes(part)))).toEqual([true, true]);
  });

  test("is left alone where it is empty here, and nothing may be written here", async () => {
    const both = newOnBoth("", TEXT);
    expect(await run(both, { direction: "push-only" })).toEqual(["attention", 0]);
    expect([both.mirror.texts().get("note.md"), both.rig.app.files().get("note.md")?.text]).toEqual(["", TEXT]);
  });

  test("is a conflict where both hold a text", async () => {
    expect(await run(newOnBoth("x", TEXT))).toEqual(["attention", 1]);
  });
});

describe("a file that base does not know, after a power loss in a clone", () => {
  /** A mirror that a boot has worked on, and a document that base lost with it. */
  async function startAnew(left: string) {
    const both = newOnBoth(left, TEXT);
    const { mirror } = both;
    mirror.state.setMeta("boot", "boot-1");
    const input = { settings: SETTINGS, retryRefused: false, kind: "sync" };
    const report = await syncToConvergence({ ...mirror.world(), bootId: "boot-2" }, input);
    return { ...both, report };
  }

  test.each([
    ["empty", ""],
    ["a byte order mark", "\ufeff"],
    ["cut off after a sector", TEXT.slice(0, 512)],
    ["cut off after two", TEXT.slice(0, 1_024)],
  ])("I13 %s, has the service's text", async (_what, left) => {
    const { rig, mirror, report } = await startAnew(left);
    expect([report.state, report.counts.conflicts]).toEqual(["in-sync", 0]);
    expect([...mirror.texts()]).toEqual([["note.md", TEXT]]);
    expect(rig.app.files().get("note.md")?.text).toBe(TEXT);
  });

  test.each([
    ["cut off elsewhere", TEXT.slice(0, 700)],
    ["cut off and written into", TEXT.slice(0, 500).padEnd(512, "!")],
  ])("I14 %s, is somebody's own text", async (_what, left) => {
    const { mirror, report } = await startAnew(left);
    expect(report.counts.conflicts).toBe(1);
    expect(mirror.texts().get("note.md")).toBe(left);
  });
});
