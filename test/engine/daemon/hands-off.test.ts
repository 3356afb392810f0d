import { describe, expect, test } from "vitest";
import { MINUTE, OPEN_SWAP_FILE, SWAP_PATH, syncDiskClock, TEXT, WAIT_FOR_EDITORS, withNote } from "../hands-off.ts";
import { type DaemonRig, PLAN, startDaemon } from "./rig.ts";
import { toApprovalKey } from "../../../src/mirror/planner/verdict/stops.ts";
import type { Settings } from "../../../src/mirror/engine/run/world.ts";
import { META } from "../../../src/mirror/engine/run/meta.ts";
import { createRig } from "../../simulator/rig.ts";

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
    await rig.until(() => text(rig) === both && rig.app.text("note.md")! === both, 10_000);
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
    rig.app.edit("note.md", rig.app.text("note.md")!.replace("one", "theirs"));
    await rig.daemon.request("resume");
    expect(text(rig)).toBe(TEXT.replace("three", "mine"));
    // The save advanced the disk's clock by 10 ms. Now both clocks are equal again.
    await rig.clock.sleep(10);
    await rig.until(() => text(rig)!.includes("theirs"), 3_000);
    rig.app.edit("note.md", rig.app.text("note.md")!.replace("two", "theirs, too"));
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

async function renamedOnService(settings: Partial<Settings> = {}) {
  const service = createRig(1);
  service.app.create("notes/plan.md", PLAN);
  service.app.create("notes/other.md", "# Other\n\nits own text\n");
  const rig = await startDaemon({ rig: service, settings });
  const id = rig.app.id("notes/plan.md");
  rig.app.rename("notes/plan.md", "goal.md");
  await rig.until(() => rig.mirrored.texts().has("notes/goal.md"));
  await rig.pass(1_000);
  return { rig, id };
}

const OTHER = "# Something else\n\nwith words of its own\n";

describe("a document renamed on the service, and open in a local editor", () => {
  test("saved to the old path: the text goes to the document, and why is in the log", async () => {
    const { rig, id } = await renamedOnService();
    for (const edit of ["saved once", "saved twice"]) {
      rig.save("notes/plan.md", `${PLAN}${edit}\n`);
      await rig.until(() => rig.app.text("notes/goal.md") === `${PLAN}${edit}\n`);
      await rig.pass(1_000);
      expect(rig.mirrored.texts().get("notes/goal.md")).toBe(`${PLAN}${edit}\n`);
      expect(rig.mirrored.texts().has("notes/plan.md")).toBe(false);
    }
    expect(rig.app.id("notes/goal.md")).toBe(id);
    expect(rig.app.files().size).toBe(2);
    expect(rig.mirrored.state.events({ limit: 9, kinds: ["late-write"], path: "notes/goal.md" })[0]?.detail).toMatch(
      /saved to its old path notes\/plan\.md/,
    );
  });

  test("edited on the service too: the document has both edits", async () => {
    const { rig } = await renamedOnService();
    rig.save("notes/goal.md", PLAN.replace("first line", "first line, edited at the new path"));
    rig.save("notes/plan.md", PLAN.replace("third line", "third line, saved at the old path"));
    await rig.until(() => /new path[\s\S]*old path/.test(rig.app.text("notes/goal.md") ?? ""));
    expect(rig.app.files().size).toBe(2);
  });

  test("saved at the new path a moment ago: the save at the old path waits as long as any write", async () => {
    const { rig } = await renamedOnService({ handsOff: WAIT_FOR_EDITORS });
    const { mirror, disk } = { mirror: rig.mirrored, disk: rig.mirrored.disk };
    disk.advance(rig.clock.now() - disk.now());
    const edited = PLAN.replace("first line", "first line, edited at the new path");
    rig.save("notes/goal.md", edited);
    rig.save("notes/plan.md", PLAN.replace("third line", "third line, saved at the old path"));
    await rig.pass(1_500);
    expect([mirror.texts().get("notes/goal.md"), rig.app.text("notes/goal.md")]).toEqual([edited, edited]);
    await rig.until(() => /new path[\s\S]*old path/.test(rig.app.text("notes/goal.md") ?? ""), 3_000);
    expect([...mirror.texts().keys()]).toEqual(["notes/goal.md", "notes/other.md"]);
    expect(rig.app.files().size).toBe(2);
  });

  test("I14 edited on the service after the rename: a save at the old path keeps that edit", async () => {
    const { rig } = await renamedOnService();
    rig.app.edit("notes/goal.md", PLAN.replace("first line", "first line, edited on the service"));
    await rig.until(() => rig.mirrored.texts().get("notes/goal.md")?.includes("on the service") === true);
    await rig.pass(1_000);
    rig.save("notes/plan.md", PLAN.replace("third line", "third line, saved at the old path"));
    await rig.until(() => rig.app.text("notes/goal.md")?.includes("at the old path") === true);
    expect(rig.app.text("notes/goal.md")).toContain("first line, edited on the service");
    expect(rig.app.files().size).toBe(2);
  });

  test("I14 of which half was written when it moved: the rest, saved to the old path, stays", async () => {
    const { rig, id } = await renamedOnService();
    await rig.daemon.request("pause");
    rig.app.rename("notes/goal.md", "aim.md");
    const whole = PLAN.replace("first line", "first line, saved");
    rig.save("notes/goal.md", whole.slice(0, -"third line\n".length));
    await rig.daemon.request("resume");
    await rig.until(() => rig.mirrored.texts().has("notes/aim.md"));
    rig.save("notes/goal.md", whole);
    await rig.pass(5_000);
    expect([rig.app.text("notes/goal.md"), rig.mirrored.texts().get("notes/goal.md")]).toEqual([whole, whole]);
    expect(rig.app.id("notes/aim.md")).toBe(id);
  });

  test("other text at the old path is a new document", async () => {
    const { rig } = await renamedOnService();
    rig.save("notes/plan.md", OTHER);
    await rig.until(() => rig.app.text("notes/plan.md") === OTHER);
    expect(rig.app.text("notes/goal.md")).toBe(PLAN);
  });

  test("I09 a file that is moved back is the document, even if another file takes the path it left", async () => {
    const { rig, id } = await renamedOnService();
    rig.rename("notes/goal.md", "notes/plan.md");
    rig.save("notes/goal.md", OTHER);
    await rig.until(() => rig.app.text("notes/goal.md") === OTHER && rig.app.text("notes/plan.md") === PLAN);
    expect(rig.app.id("notes/plan.md")).toBe(id);
    expect(rig.mirrored.texts().get("notes/plan.md")).toBe(PLAN);
  });

  test.each([
    ["as it was", PLAN],
    ["edited", `${PLAN}edited at the old path\n`],
  ])("I06 a text at the old path stays where another one took its document's own: %s", async (_, text) => {
    const { rig } = await renamedOnService();
    rig.remove("notes/goal.md");
    rig.save("notes/plan.md", text);
    rig.save("notes/goal.md", OTHER);
    await rig.until(() => rig.app.text("notes/goal.md") === OTHER && rig.app.text("notes/plan.md") === text);
    expect(rig.mirrored.texts().get("notes/plan.md")).toBe(text);
  });

  test("I21 nothing is redirected, merged or taken away while a safety check stops the sync", async () => {
    const { rig, id } = await renamedOnService();
    for (let n = 0; n < 12; n++) rig.app.create(`more/${n}.md`, `more ${n}\n`);
    await rig.until(() => rig.mirrored.texts().size === 14);
    await rig.pass(60_000);
    for (let n = 0; n < 12; n++) rig.app.remove(`more/${n}.md`);
    await rig.until(() => rig.daemon.status().phase.kind === "stopped", 300_000);
    rig.save("notes/goal.md", PLAN.replace("first line", "first line, edited at the new path"));
    rig.save("notes/plan.md", PLAN.replace("third line", "third line, saved at the old path"));
    const saved = rig.mirrored.texts();
    await rig.pass(120_000);
    expect(rig.daemon.status().phase.kind).toBe("stopped");
    expect(rig.mirrored.texts()).toEqual(saved);
    expect(rig.app.text("notes/goal.md")).toBe(PLAN);
    const { stopped } = rig.daemon.status().lastReport!;
    rig.mirrored.state.setMeta(META.approved, JSON.stringify(stopped.map(toApprovalKey)));
    await rig.daemon.request("resume");
    await rig.until(() => /new path[\s\S]*old path/.test(rig.app.text("notes/goal.md") ?? ""));
    expect([rig.app.id("notes/goal.md"), rig.app.files().size]).toEqual([id, 2]);
  });

  test("after the window a save to the old path is a new document", async () => {
    const { rig } = await renamedOnService();
    await rig.pass(660_000);
    rig.save("notes/plan.md", `${PLAN}saved much later\n`);
    await rig.until(() => rig.app.text("notes/plan.md") === `${PLAN}saved much later\n`);
  });
});
