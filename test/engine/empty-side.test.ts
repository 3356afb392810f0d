import { describe, expect, test } from "vitest";
import type { Settings, World } from "../../src/mirror/engine/run/world.ts";
import { type Mirror, SETTINGS } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import type { Wire } from "../../src/common/wire.ts";
import { createRemote } from "../../src/mirror/remote/client.ts";
import { closeNothing } from "../simulator/quiet-ports.ts";

/** 1,300 bytes: two whole sectors and a part of the third. */
const TEXT = "0123456789 ab".repeat(100);

/** Creates a document that is new on both sides at one path. */
function newOnBoth(here: string, there: string): { rig: Rig; mirror: Mirror } {
  const rig = createRig(1);
  const mirror = rig.mirror();
  rig.app.create("note.md", there);
  mirror.write("note.md", here);
  return { rig, mirror };
}

/** Adds the journal's row for files that a plan was creating when the power was lost. */
function journal({ rig, mirror }: Both): void {
  const files = Array.from(rig.app.files().values(), ({ id, path }) => ({ id, path }));
  mirror.state.openIntent(1, { kind: "create", files });
}

async function run({ mirror }: { mirror: Mirror }, settings: Partial<Settings> = {}) {
  const report = await mirror.sync({ ...SETTINGS, ...settings });
  return [report?.state, report?.counts.conflicts];
}

type Both = ReturnType<typeof newOnBoth>;

/**
 * Syncs after a restart of the machine.
 * @param before id of the boot of the last run; null leaves the id in the state as it is
 */
async function reboot({ mirror }: Both, changes: Partial<World> = {}, before: string | null = "boot-1") {
  if (before !== null) mirror.state.setMeta("boot", before);
  return (await mirror.restart(changes))!;
}

function unreachable({ mirror }: Both): Remote {
  const { clock, random, log } = mirror.world();
  const wire: Wire = { send: async () => ({ kind: "not-sent", why: "ECONNREFUSED" }), close: closeNothing };
  return createRemote({ wire, key: "mdm_key", clock, random, log, traits: null });
}

/** Restarts the machine after a power loss that took the new document's record. */
async function startAgain(left: string) {
  const both = newOnBoth(left, TEXT);
  journal(both);
  return { ...both, report: await reboot(both) };
}

describe("a document that is new on both sides, and empty on one", () => {
  const PREFERENCES = [null, "local", "remote", "each"] as const;

  test.each(PREFERENCES)("I05 I06 is sent if the document is empty on the service (preferred: %s)", async (prefer) => {
    const both = newOnBoth(TEXT, "");
    expect(await run(both, { prefer })).toEqual(["in-sync", 0]);
    expect([...both.mirror.texts()]).toEqual([["note.md", TEXT]]);
    expect(both.rig.app.text("note.md")).toBe(TEXT);
  });

  test.each(["\n", " \r\n", "\ufeff", "\ufeff\n"])("I05 counts %j on the service as empty", async (blank) => {
    const both = newOnBoth(TEXT, blank);
    expect(await run(both, { prefer: "remote" })).toEqual(["in-sync", 0]);
    expect([both.mirror.texts().get("note.md"), both.rig.app.text("note.md")]).toEqual([TEXT, TEXT]);
  });

  test("I14 is a conflict if the local file is empty, because somebody may be about to write into it", async () => {
    const both = newOnBoth("", TEXT);
    const handle = both.mirror.disk.user.open(both.mirror.path("note.md"));
    expect(await run(both)).toEqual(["attention", 1]);
    handle.write("saved late\n");
    await both.mirror.sync();
    expect(both.mirror.texts().get("note.md")).toBe("saved late\n");
  });

  test("I14 brings back what is saved into a file after it was replaced by a preference", async () => {
    const both = newOnBoth("mine\n", TEXT);
    const handle = both.mirror.disk.user.open(both.mirror.path("note.md"));
    expect(await run(both, { prefer: "remote" })).toEqual(["in-sync", 0]);
    handle.write("saved late\n");
    await both.mirror.syncTimes(2);
    const texts = [...both.mirror.texts().values()];
    expect(["saved late", TEXT].map((part) => texts.some((text) => text.includes(part)))).toEqual([true, true]);
  });

  test("stays unchanged if the local file is empty and local files must not be written", async () => {
    const both = newOnBoth("", TEXT);
    expect(await run(both, { direction: "push" })).toEqual(["in-sync", 0]);
    expect([both.mirror.texts().get("note.md"), both.rig.app.text("note.md")]).toEqual(["", TEXT]);
  });

  test("is a conflict if both sides have content", async () => {
    expect(await run(newOnBoth("x", TEXT))).toEqual(["attention", 1]);
  });
});

describe("a file without a record, after a power loss in a clone", () => {
  test.each([
    ["empty", ""],
    ["cut off after a sector", TEXT.slice(0, 512)],
    ["cut off after two", TEXT.slice(0, 1_024)],
  ])("I13 %s, has the service's text", async (_what, left) => {
    const { rig, mirror, report } = await startAgain(left);
    expect([report.state, report.counts.conflicts]).toEqual(["in-sync", 0]);
    expect([...mirror.texts()]).toEqual([["note.md", TEXT]]);
    expect(rig.app.text("note.md")).toBe(TEXT);
  });

  test.each([
    ["zeros", "\0".repeat(TEXT.length)],
    ["a sector and then zeros", TEXT.slice(0, 512).padEnd(TEXT.length, "\0")],
    ["zeros in place of an older, longer text", "\0".repeat(4_096)],
  ])("I03 I13 %s, goes to the trash, and the document comes again", async (_what, left) => {
    const { mirror, report } = await startAgain(left);
    expect([report.state, report.counts.conflicts]).toEqual(["in-sync", 0]);
    expect([...mirror.texts()]).toEqual([["note.md", TEXT]]);
    expect(mirror.trash()).toEqual([left]);
    expect(mirror.state.events({ kinds: ["recover"], limit: 10 })).toMatchObject([{ path: "note.md" }]);
  });

  test.each([
    ["no document at its path", (both: Both) => both.rig.app.remove("note.md")],
    ["zeros and more text", (both: Both) => both.mirror.write("note.md", `\0\0${TEXT}`)],
    ["zeros where no sector begins", (both: Both) => both.mirror.write("note.md", `${TEXT.slice(0, 700)}\0\0`)],
  ])("I03 with zeros stays where there is %s", async (_what, change) => {
    const both = newOnBoth("\0".repeat(600), TEXT);
    journal(both);
    change(both);
    const before = both.mirror.texts().get("note.md");
    const report = await reboot(both);
    expect([report.state, both.mirror.texts().get("note.md")]).toEqual(["attention", before]);
  });

  test("I13 is known for one after a first run that did not reach the service", async () => {
    const both = newOnBoth("", TEXT);
    both.mirror.write("zeros.md", "\0".repeat(300));
    both.rig.app.create("zeros.md", TEXT);
    journal(both);
    expect((await reboot(both, { remote: unreachable(both) })).state).toBe("offline");
    expect((await reboot(both, {}, null)).state).toBe("in-sync");
    expect([...both.mirror.texts().values()]).toEqual([TEXT, TEXT]);
    both.mirror.write("later.md", "");
    both.rig.app.create("later.md", TEXT);
    expect((await reboot(both, {}, null)).counts.conflicts).toBe(1);
  });

  test("I14 is none after a killed run: a program may have the empty file open", async () => {
    const both = newOnBoth("", TEXT);
    both.mirror.state.beginRun("sync", 0);
    const handle = both.mirror.disk.user.open(both.mirror.path("note.md"));
    expect(await run(both)).toEqual(["attention", 1]);
    handle.write("saved late\n");
    await both.mirror.syncTimes(3);
    expect(both.mirror.texts().get("note.md")).toBe("saved late\n");
  });

  test.each([
    ["cut off elsewhere", TEXT.slice(0, 700)],
    ["cut off and written into", TEXT.slice(0, 500).padEnd(512, "!")],
  ])("I14 %s, is somebody's own text", async (_what, left) => {
    const { mirror, report } = await startAgain(left);
    expect(report.counts.conflicts).toBe(1);
    expect(mirror.texts().get("note.md")).toBe(left);
  });
});
