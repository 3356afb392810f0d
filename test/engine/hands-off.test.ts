import { describe, expect, test } from "vitest";
import type { Mirror } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import { MINUTE, OPEN_SWAP_FILE, SWAP_PATH, syncDiskClock, TEXT, WAIT_FOR_EDITORS, withNote } from "./hands-off.ts";

/** mdmirror does not replace a file that somebody is editing. */

describe("sync", () => {
  test("leaves a file alone that an editor has open, says so, and exits with what waits", async () => {
    const { rig, mirror } = await withNote();
    mirror.disk.user.write(SWAP_PATH, OPEN_SWAP_FILE);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    rig.app.edit("other-1.md", "theirs, too\n");
    const report = await mirror.sync({ handsOff: WAIT_FOR_EDITORS });
    expect(report?.state).toBe("attention");
    expect(report?.attention).toEqual([
      expect.objectContaining({
        path: "note.md",
        kind: "in-use",
        detail: expect.stringContaining("vim"),
        waits: true,
      }),
    ]);
    expect([mirror.texts().get("note.md"), mirror.texts().get("other-1.md")]).toEqual([TEXT, "theirs, too\n"]);
    mirror.disk.user.remove(SWAP_PATH);
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.state).toBe("in-sync");
    expect(mirror.texts().get("note.md")).toBe(TEXT.replace("one", "theirs"));
  });

  test("sends what is saved in an open editor, while nothing comes back", async () => {
    const { rig, mirror } = await withNote();
    mirror.disk.user.write(SWAP_PATH, OPEN_SWAP_FILE);
    mirror.write("note.md", TEXT.replace("three", "mine"));
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.state).toBe("in-sync");
    expect(rig.app.text("note.md")).toBe(TEXT.replace("three", "mine"));
  });

  test("merges once it is closed: both edits are in the text", async () => {
    const { rig, mirror } = await withNote();
    mirror.disk.user.write(SWAP_PATH, OPEN_SWAP_FILE);
    mirror.write("note.md", TEXT.replace("three", "mine"));
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    await mirror.sync({ handsOff: WAIT_FOR_EDITORS });
    expect(mirror.texts().get("note.md")).toBe(TEXT.replace("three", "mine"));
    mirror.disk.user.remove(SWAP_PATH);
    await mirror.sync({ handsOff: WAIT_FOR_EDITORS });
    const both = TEXT.replace("three", "mine").replace("one", "theirs");
    expect([mirror.texts().get("note.md"), rig.app.text("note.md")]).toEqual([both, both]);
  });

  test("takes an open file away only when it is closed", async () => {
    const { rig, mirror } = await withNote();
    mirror.disk.user.write(SWAP_PATH, OPEN_SWAP_FILE);
    rig.app.remove("note.md");
    await mirror.sync({ handsOff: WAIT_FOR_EDITORS });
    expect(mirror.texts().get("note.md")).toBe(TEXT);
    mirror.disk.user.remove(SWAP_PATH);
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.state).toBe("in-sync");
    expect(mirror.texts().has("note.md")).toBe(false);
  });

  test("is written after the longest wait, with an event, and its earlier content is kept", async () => {
    const { rig, mirror } = await withNote();
    mirror.disk.user.write(SWAP_PATH, OPEN_SWAP_FILE);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    await mirror.sync({ handsOff: WAIT_FOR_EDITORS });
    await rig.clock.sleep(9 * MINUTE);
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.state).toBe("attention");
    await rig.clock.sleep(MINUTE);
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.state).toBe("in-sync");
    expect(mirror.texts().get("note.md")).toBe(TEXT.replace("one", "theirs"));
    const [event] = mirror.state.events({ limit: 1, path: "note.md" });
    expect(event).toMatchObject({ kind: "write-local", outcome: "done" });
    expect(mirror.state.text(event!.before!)).toBe(TEXT);
  });

  test("by a timer sleeps until a file has rested, and its own writes are none", async () => {
    const { rig, mirror } = await withNote();
    await rig.clock.sleep(5_000);
    syncDiskClock({ rig, mirror });
    mirror.write("note.md", TEXT);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    const began = rig.clock.monotonic();
    expect((await mirror.sync({ handsOff: { ...WAIT_FOR_EDITORS, sleeps: true } }))?.state).toBe("in-sync");
    expect(rig.clock.monotonic() - began).toBeGreaterThan(1_900);
    rig.app.edit("note.md", TEXT.replace("one", "theirs again"));
    const then = rig.clock.monotonic();
    await mirror.sync({ handsOff: { ...WAIT_FOR_EDITORS, sleeps: true } });
    expect(mirror.texts().get("note.md")).toContain("theirs again");
    expect(rig.clock.monotonic() - then).toBeLessThan(1_000);
  });

  test("a note of its own that wrote nothing is not its own write", async () => {
    const { rig, mirror } = await withNote();
    await rig.clock.sleep(5_000);
    syncDiskClock({ rig, mirror });
    mirror.write("note.md", TEXT.replace("three", "mine"));
    mirror.rename("note.md", "moved.md");
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.attention.map(({ kind }) => kind)).toEqual(["in-use"]);
    expect(mirror.texts().get("moved.md")).not.toContain("theirs");
  });

  test("writes new content immediately into a file that was renamed with it on the service", async () => {
    const { rig, mirror } = await withNote();
    await rig.clock.sleep(5_000);
    syncDiskClock({ rig, mirror });
    // Each call advances the disk's clock, but not the machine's.
    await rig.clock.sleep(100);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    rig.app.rename("note.md", "renamed.md");
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.state).toBe("in-sync");
    expect(mirror.texts().get("renamed.md")).toContain("theirs");
  });

  test("I14 mdmirror's own move of a file that was saved a moment ago makes it no own write", async () => {
    const { rig, mirror } = await withNote();
    await rig.clock.sleep(5_500);
    syncDiskClock({ rig, mirror });
    const mine = TEXT.replace("three", "mine");
    mirror.write("note.md", mine);
    await rig.clock.sleep(100);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    rig.app.rename("note.md", "renamed.md");
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.attention.map(({ kind }) => kind)).toEqual(["in-use"]);
    expect(mirror.texts().get("renamed.md")).toBe(mine);
    await rig.clock.sleep(3_000);
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.state).toBe("in-sync");
    expect(mirror.texts().get("renamed.md")).toBe(mine.replace("one", "theirs"));
  });

  test("I14 I29 a file saved after the clock was set back is not taken for an own write", async () => {
    const { rig, mirror } = await withNote();
    await rig.clock.sleep(5_500);
    mirror.alterWorld = ({ clock, ...world }) => ({
      ...world,
      clock: { ...clock, now: () => clock.now() - 60 * MINUTE },
    });
    mirror.disk.advance(rig.clock.now() - 60 * MINUTE - mirror.disk.now());
    const mine = TEXT.replace("three", "mine");
    mirror.write("note.md", mine);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.attention.map(({ kind }) => kind)).toEqual(["in-use"]);
    expect(mirror.texts().get("note.md")).toBe(mine);
  });

  test("on a disk of whole seconds waits for as long as the time may be late", async () => {
    const { rig, mirror } = await withNote({ granularityMs: 2_000 });
    await rig.clock.sleep(60_000 - (rig.clock.now() % 2_000) + 1_900);
    syncDiskClock({ rig, mirror });
    mirror.write("note.md", TEXT);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    await rig.clock.sleep(1_500);
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.attention.map(({ kind }) => kind)).toEqual(["in-use"]);
    await rig.clock.sleep(700);
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.state).toBe("in-sync");
  });

  test("by a user replaces a file that was saved a moment ago, also on a disk of whole seconds", async () => {
    const { rig, mirror } = await withNote({ granularityMs: 2_000 });
    await rig.clock.sleep(60_000);
    syncDiskClock({ rig, mirror });
    mirror.write("note.md", TEXT);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    expect((await mirror.sync({ handsOff: { ...WAIT_FOR_EDITORS, unchangedMs: 0 } }))?.state).toBe("in-sync");
    expect(mirror.texts().get("note.md")).toContain("theirs");
  });

  test.each([
    ["downloads", TEXT],
    ["merges", TEXT.replace("three", "mine")],
  ])("I33 on a disk of whole seconds %s a version with one read, if it moves the file first", async (_, mine) => {
    const { rig, mirror } = await withNote({ granularityMs: 2_000 });
    const id = rig.app.id("note.md")!;
    mirror.write("note.md", mine);
    await rig.clock.sleep(60_000);
    syncDiskClock({ rig, mirror });
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    rig.app.rename("note.md", "renamed.md");
    const before = mirror.requests.length;
    expect((await mirror.sync({ handsOff: { ...WAIT_FOR_EDITORS, sleeps: true } }))?.state).toBe("in-sync");
    expect(mirror.texts().get("renamed.md")).toBe(mine.replace("one", "theirs"));
    expect(mirror.requests.slice(before).filter((request) => request === `GET /v1/files/${id}`)).toHaveLength(1);
  });

  async function withReview(): Promise<{ rig: Rig; mirror: Mirror; sent: string }> {
    const { rig, mirror } = await withNote();
    const sent = TEXT.replace("three", "mine");
    rig.app.protect("note.md", true);
    mirror.write("note.md", sent);
    await mirror.sync();
    // Not a whole second: otherwise the disk would seem to store times in whole seconds.
    await rig.clock.sleep(5_500);
    syncDiskClock({ rig, mirror });
    return { rig, mirror, sent };
  }

  test("I14 merges another edit into a file whose edit is in review only when the file was unchanged for a while", async () => {
    const { rig, mirror, sent } = await withReview();
    rig.app.protect("note.md", false);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    rig.app.protect("note.md", true);
    const later = sent.replace("two", "a moment ago");
    mirror.write("note.md", later);
    for (let n = 0; n < 2; n++) {
      const report = await mirror.sync({ handsOff: WAIT_FOR_EDITORS });
      expect(report?.attention).toEqual([expect.objectContaining({ kind: "in-use", waits: true })]);
      expect(mirror.texts().get("note.md")).toBe(later);
    }
    await rig.clock.sleep(2_500);
    await mirror.sync({ handsOff: WAIT_FOR_EDITORS });
    expect(mirror.texts().get("note.md")).toBe(later.replace("one", "theirs"));
  });

  test("an accepted review ends immediately in an open file if nothing must be written", async () => {
    const { rig, mirror } = await withReview();
    mirror.disk.user.write(SWAP_PATH, OPEN_SWAP_FILE);
    const [review, ...others] = rig.reviews();
    expect(rig.service.admin.reviews.accept(review!)).not.toHaveProperty("code");
    expect(others).toEqual([]);
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.state).toBe("in-sync");
    const record = [...mirror.state.load().records.values()].find(({ localPath }) => localPath === "note.md");
    expect(record?.submissions).toEqual([]);
  });

  test("leaves a new file as it was saved, where the service normalises it", async () => {
    const rig = createRig(1, { normalise: true });
    const mirror = rig.mirror();
    syncDiskClock({ rig, mirror });
    const mine = TEXT.replaceAll("\n", "\r\n");
    mirror.write("new.md", mine);
    await mirror.sync({ handsOff: WAIT_FOR_EDITORS });
    expect([mirror.texts().get("new.md"), rig.app.text("new.md")]).toEqual([mine, TEXT]);
    await rig.clock.sleep(10_000);
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.state).toBe("in-sync");
    expect(await mirror.syncWrites({ handsOff: WAIT_FOR_EDITORS })).toEqual([]);
    expect(mirror.texts().get("new.md")).toBe(mine);
  });
});

/** Content of the local file, which an editor has open. */
const MINE = "# Mine\n\nwords of its own\n";

function bothNew(): { rig: Rig; mirror: Mirror } {
  const rig = createRig(1);
  rig.app.create("note.md", TEXT);
  const mirror = rig.mirror();
  mirror.write("note.md", MINE);
  mirror.disk.user.write(SWAP_PATH, OPEN_SWAP_FILE);
  return { rig, mirror };
}

describe("a file that is new on both sides, and open in an editor", () => {
  test.each([
    ["the service's is preferred", { prefer: "remote" }],
    ["policy copy takes the service's", { conflicts: () => "copy" }],
  ] as const)("I14 keeps its text until it is closed, where %s", async (_, choice) => {
    const { mirror } = bothNew();
    const settings = { ...choice, handsOff: WAIT_FOR_EDITORS };
    for (let n = 0; n < 2; n++) {
      const report = await mirror.sync(settings);
      expect(report?.attention).toEqual([expect.objectContaining({ path: "note.md", kind: "in-use", waits: true })]);
      expect(mirror.texts().get("note.md")).toBe(MINE);
    }
    mirror.disk.user.remove(SWAP_PATH);
    expect((await mirror.sync(settings))?.state).toBe("in-sync");
    expect(mirror.texts().get("note.md")).toBe(TEXT);
    const [event] = mirror.state.events({ limit: 1, path: "note.md" });
    expect(mirror.state.text(event!.before!)).toBe(MINE);
  });

  test("is a conflict immediately without a preference, because nothing is written over it", async () => {
    const { mirror } = bothNew();
    const report = await mirror.sync({ handsOff: WAIT_FOR_EDITORS });
    expect(report?.attention).toEqual([expect.objectContaining({ path: "note.md", kind: "conflict" })]);
    expect([mirror.texts().get("note.md"), mirror.texts().get("note (theirs).md")]).toEqual([MINE, TEXT]);
  });

  test("is linked immediately if the contents are equal", async () => {
    const { mirror } = bothNew();
    mirror.write("note.md", TEXT);
    expect((await mirror.sync({ prefer: "remote", handsOff: WAIT_FOR_EDITORS }))?.state).toBe("in-sync");
  });
});

describe("a file in conflict that is open in an editor", () => {
  async function inConflict(): Promise<{ rig: Rig; mirror: Mirror; mine: string }> {
    const { rig, mirror } = await withNote();
    const mine = TEXT.replace("two", "mine");
    mirror.write("note.md", mine);
    rig.app.edit("note.md", TEXT.replace("two", "theirs"));
    await mirror.sync();
    expect(mirror.state.load().conflicts.size).toBe(1);
    mirror.disk.user.write(SWAP_PATH, OPEN_SWAP_FILE);
    return { rig, mirror, mine };
  }

  test("I14 keeps its text until it is closed, where a later version merges, and asks once a run", async () => {
    const { rig, mirror, mine } = await inConflict();
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.attention).toEqual([
      expect.objectContaining({ path: "note.md", kind: "in-use", waits: true }),
    ]);
    const before = mirror.requests.length;
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.attention.map(({ kind }) => kind)).toEqual(["in-use"]);
    expect(mirror.requests.slice(before).filter((request) => request.startsWith("GET /v1/files/"))).toEqual([]);
    expect(mirror.texts().get("note.md")).toBe(mine);
    mirror.disk.user.remove(SWAP_PATH);
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.state).toBe("in-sync");
    expect(mirror.texts().get("note.md")).toBe(mine.replace("one", "theirs"));
    expect(mirror.texts().has("note (theirs).md")).toBe(false);
  });

  test("shows a later version that does not merge immediately", async () => {
    const { rig, mirror, mine } = await inConflict();
    rig.app.edit("note.md", TEXT.replace("two", "theirs again"));
    expect((await mirror.sync({ handsOff: WAIT_FOR_EDITORS }))?.attention.map(({ kind }) => kind)).toEqual([
      "conflict",
    ]);
    expect(mirror.texts().get("note.md")).toEqual(mine);
    expect(mirror.texts().get("note (theirs 2).md")).toEqual(TEXT.replace("two", "theirs again"));
  });
});
