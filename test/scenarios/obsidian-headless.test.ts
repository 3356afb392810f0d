import { describe, expect, test } from "vitest";
import { note, startDaemon, withNotes } from "../engine/daemon/rig.ts";
import { openFixture, settle } from "../promises/fixture.ts";
import { createRig } from "../simulator/rig.ts";

/**
 * User reports on obsidianmd/obsidian-headless, by issue number. A daemon replaces its continuous
 * sync.
 */

const HOUR = 3_600_000;

/** Returns the requests since the last call that change something. */

describe("15: a device that only receives sends older, or empty, versions back", () => {
  test("I10 a second device writes each version to its disk, and sends nothing", async () => {
    const rig = createRig(1);
    const [writer, reader] = [await withNotes(3, note, { rig }), await startDaemon({ rig })];
    for (let n = 1; n <= 5; n++) {
      const text = `# Note 0\n\nversion ${n}\n`;
      writer.save(note(0), text);
      await writer.until(() => rig.app.text(note(0))! === text);
      await reader.until(() => reader.mirrored.texts().get(note(0)) === text);
    }
    await reader.pass(HOUR);
    expect(reader.writes()).toEqual([]);
    expect(writer.writes()).toHaveLength(5);
  });
});

describe("19: a new, empty folder deletes the documents of the service", () => {
  test("I05 a new folder sends nothing in its first hour", async () => {
    const rig = createRig(1);
    const daemon = await withNotes(40, note, { rig });
    await daemon.pass(HOUR);
    expect(daemon.mirrored.writes()).toEqual([]);
    expect(daemon.mirrored.texts()).toEqual(rig.app.texts());
  });
});

describe("21, 38: files that were excluded from the first sync on, and then are not", () => {
  test("I18 they are downloaded, and nothing is deleted", async () => {
    const { rig, mirror, seen } = openFixture(1);
    for (let n = 0; n < 30; n++) rig.app.create(`pictures/n${n}.md`, `picture ${n}\n`);
    rig.app.create("k.md", "k\n");
    mirror.write(".mdmirrorignore", "pictures/\n");
    await settle(mirror);
    expect([...mirror.texts().keys()]).toEqual([".mdmirrorignore", "k.md"]);
    mirror.remove(".mdmirrorignore");
    await settle(mirror);
    expect(mirror.texts()).toEqual(rig.app.texts());
    expect(seen.filter(({ method }) => method !== "GET")).toEqual([]);
  });
});

describe("28: another sync service moves files out of the folder for a while", () => {
  test("I04 files that come back within the grace, with other inodes, were never deleted", async () => {
    const daemon = await withNotes(30);
    const before = daemon.mirrored.texts();
    const away = [...before].slice(0, 5);
    for (const [path] of away) daemon.remove(path);
    await daemon.pass(20_000);
    for (const [path, text] of away) daemon.save(path, text);
    await daemon.pass(HOUR);
    expect(daemon.writes()).toEqual([]);
    expect(daemon.mirrored.texts()).toEqual(before);
  });

  test("I21 a folder that stays empty is a stop, and no file of the service goes", async () => {
    const daemon = await withNotes(20);
    for (const path of daemon.mirrored.texts().keys()) daemon.remove(path);
    await daemon.pass(10 * 60_000);
    expect(daemon.writes()).toEqual([]);
    expect(daemon.daemon.status().lastReport?.state).toBe("stopped");
  });
});

describe("42: of two simultaneous edits one is gone, whatever strategy is chosen", () => {
  const LINES = Array.from({ length: 12 }, (_, n) => `line ${n}\n`);
  const edited = (n: number, who: string): string => LINES.with(n, `line ${n} of ${who}\n`).join("");

  test.each([
    ["of different lines are merged", 10, LINES.with(1, "line 1 of ann\n").with(10, "line 10 of bob\n").join("")],
    ["of one line are a conflict, and both are files", 1, edited(1, "ann")],
  ])("I03 I28 edits on two devices %s", async (_, line, onService) => {
    const rig = createRig(1);
    rig.app.create("a.md", LINES.join(""));
    const [ann, bob] = [rig.mirror(), rig.mirror()];
    await settle(ann);
    await settle(bob);
    ann.write("a.md", edited(1, "ann"));
    bob.write("a.md", edited(line, "bob"));
    await settle(ann);
    await settle(bob);
    await settle(ann);
    expect([...rig.app.texts()]).toEqual([["a.md", onService]]);
    expect(ann.texts()).toEqual(rig.app.texts());
    const conflict = new Map([
      ["a (theirs).md", onService],
      ["a.md", edited(line, "bob")],
    ]);
    expect(bob.texts()).toEqual(line === 1 ? conflict : rig.app.texts());
  });
});

describe("53: a file that was moved is back at its old path two minutes later", () => {
  test("I09 a device that was offline meanwhile moves its file, and brings nothing back", async () => {
    const rig = createRig(1);
    const [mover, other] = [await withNotes(3, note, { rig }), await startDaemon({ rig })];
    const id = rig.app.id(note(1))!;
    other.requestFaults.fault = { kind: "later", cause: "unreachable", detail: "offline", requestId: null };
    mover.mirrored.disk.user.makeFolder(mover.mirrored.path("archive"));
    mover.rename(note(1), "archive/note-1.md");
    await mover.pass(HOUR);
    other.requestFaults.fault = null;
    await other.pass(HOUR);
    const paths = ["archive/note-1.md", note(0), note(2)];
    for (const { mirrored } of [mover, other]) expect([...mirrored.texts().keys()].toSorted()).toEqual(paths);
    expect(rig.app.paths()).toEqual(paths);
    expect(rig.app.id("archive/note-1.md")).toBe(id);
    expect(mover.writes().filter((request) => !request.startsWith("PATCH "))).toEqual(["POST /v1/folders"]);
    expect(other.writes()).toEqual([]);
  });
});
