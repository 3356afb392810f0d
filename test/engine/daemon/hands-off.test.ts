import { describe, expect, test } from "vitest";
import { WAIT_FOR_EDITORS, MINUTE, OPEN_SWAP_FILE, syncDiskClock, SWAP_PATH, TEXT, withNote } from "../in-hand.ts";
import { type DaemonRig, startDaemon } from "./rig.ts";

describe("a daemon and files that somebody is editing", () => {
  async function watching(): Promise<DaemonRig> {
    const { rig, mirror } = await withNote();
    const daemon = await startDaemon({ rig, mirror, settings: { handsOff: WAIT_FOR_EDITORS } });
    syncDiskClock({ rig, mirror });
    return daemon;
  }
  const text = (rig: DaemonRig) => rig.mirrored.texts().get("note.md");

  test("downloads a version within two seconds after the file was closed, without a request", async () => {
    const rig = await watching();
    rig.mirrored.disk.user.write(SWAP_PATH, OPEN_SWAP_FILE);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    await rig.pass(40_000);
    expect(text(rig)).toBe(TEXT);
    expect(rig.daemon.status().lastReport?.attention.map(({ kind }) => kind)).toEqual(["in-use"]);
    rig.sent();
    rig.mirrored.disk.user.remove(SWAP_PATH);
    await rig.pass(2_500);
    expect(text(rig)).toBe(TEXT.replace("one", "theirs"));
    expect(rig.sent("GET").length).toBeLessThanOrEqual(2);
  });

  test("brings back within seconds what a program writes into a file that was replaced while it had it open", async () => {
    const rig = await watching();
    const { user } = rig.mirrored.disk;
    const path = rig.mirrored.path("note.md");
    const program = user.open(path);
    rig.mirrored.disk.openToWrite = new Set([user.inode(path)]);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    await rig.until(() => text(rig)!.includes("theirs"), 2 * MINUTE);
    await rig.pass(10_000);
    program.append("late\n");
    const both = `${TEXT.replace("one", "theirs")}late\n`;
    await rig.until(() => text(rig) === both && rig.app.files().get("note.md")!.text === both, 10_000);
  });

  test("asks once for a run where what a program wrote so cannot be brought back", async () => {
    const rig = await watching();
    const { disk } = rig.mirrored;
    const path = rig.mirrored.path("note.md");
    const program = disk.user.open(path);
    disk.openToWrite = new Set([disk.user.inode(path)]);
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    await rig.until(() => text(rig)!.includes("theirs"), 2 * MINUTE);
    program.append("late\n");
    disk.capacity = 0;
    let looks = 0;
    rig.daemon.onEvent((event) => void (event.kind === "phase" && event.phase.kind === "observing" && looks++));
    await rig.pass(20_000);
    expect([looks > 0, looks < 4, text(rig)!.includes("late")]).toEqual([true, true, false]);
    disk.capacity = Number.POSITIVE_INFINITY;
    await rig.daemon.request("resume");
    await rig.until(() => text(rig)!.includes("late") && text(rig)!.includes("theirs"), 10_000);
  });

  test("writes over nothing that changed in the last two seconds, and over its own writes immediately", async () => {
    const rig = await watching();
    rig.save("note.md", TEXT.replace("three", "mine"));
    await rig.pass(1_000);
    rig.app.edit("note.md", rig.app.files().get("note.md")!.text.replace("one", "theirs"));
    await rig.daemon.request("resume");
    expect(text(rig)).toBe(TEXT.replace("three", "mine"));
    // The save advanced the disk's clock by 10 ms. Now both clocks are equal again.
    await rig.clock.sleep(10);
    await rig.until(() => text(rig)!.includes("theirs"), 3_000);
    rig.app.edit("note.md", rig.app.files().get("note.md")!.text.replace("two", "theirs, too"));
    await rig.daemon.request("resume");
    expect(text(rig)).toContain("theirs, too");
  });

  test("equal content that is saved again and again counts as editing, and sends nothing", async () => {
    const rig = await watching();
    rig.app.edit("note.md", TEXT.replace("one", "theirs"));
    for (let n = 0; n < 60; n++) {
      rig.save("note.md", TEXT);
      await rig.pass(1_000);
    }
    expect([text(rig), rig.sent("PUT")]).toEqual([TEXT, []]);
    await rig.pass(4_000);
    expect(text(rig)).toBe(TEXT.replace("one", "theirs"));
  });
});
