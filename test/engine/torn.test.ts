import { describe, expect, test } from "vitest";
import { killAtEachCall } from "../simulator/moment.ts";
import { type Mirror, ROOT, withCalls } from "../simulator/mirror.ts";
import { openInMemory } from "../simulator/memory-state.ts";
import { createRig, type Rig } from "../simulator/rig.ts";
import { openSynced } from "../promises/fixture.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import { digestOf } from "../../src/contract/digest.ts";

/** 1,300 bytes: two whole sectors and a part of the third. */
const TEXT = "0123456789 ab".repeat(100);

/** Downloads a document into a new file that was never flushed. */
async function begin(path = "note.md"): Promise<{ rig: Rig; mirror: Mirror }> {
  const { rig, mirror } = await openSynced({ [path]: TEXT });
  const [record] = mirror.state.load().records.values();
  mirror.state.putRecord({ ...record!, durable: false });
  return { rig, mirror };
}

/** Lets each recorded file count as not flushed. */
function makeUndurable(mirror: Mirror): void {
  for (const record of [...mirror.state.load().records.values()]) mirror.state.putRecord({ ...record, durable: false });
}

/**
 * Restarts. Expects that mdmirror only reads from the service, and that both sides have the
 * content.
 */
async function downloadAgain(rig: Rig, mirror: Mirror, path: string): Promise<void> {
  await mirror.restart();
  await mirror.syncTimes(2);
  expect([mirror.texts().get(path), rig.app.text(path)]).toEqual([TEXT, TEXT]);
  expect(mirror.writes()).toEqual([]);
}

/**
 * Downloads two new files that are not flushed. A power cut takes one, and a user moves the other
 * to its path.
 */
async function takePath(): Promise<{ rig: Rig; mirror: Mirror; ids: string[] }> {
  const rig = createRig(1);
  const mirror = rig.mirror();
  const ids = ["note.md", "other.md"].map((path) => rig.app.create(path, `${path} ${TEXT}`));
  await mirror.sync();
  makeUndurable(mirror);
  mirror.remove("note.md");
  mirror.rename("other.md", "note.md");
  return { rig, mirror, ids };
}

const cut = (kept: number) => TEXT.slice(0, kept);

describe("a new file that was not on the medium yet, after a restart of the machine", () => {
  test.each([
    ["empty", ""],
    ["zeroed", "\0".repeat(TEXT.length)],
    ["cut off after a sector", cut(512)],
    ["cut off after two", cut(1_024)],
    ["zeroed after a sector", cut(512).padEnd(TEXT.length, "\0")],
    ["zeroed after two, and shorter", cut(1_024).padEnd(1_200, "\0")],
  ])("I13 %s, is made again, and what was there is kept", async (_what, torn) => {
    const { rig, mirror } = await begin();
    mirror.write("note.md", torn);
    await mirror.restart();
    expect(rig.app.text("note.md")).toBe(TEXT);
    expect(mirror.texts().get("note.md")).toBe(TEXT);
    expect(mirror.trash()).toContain(torn);
  });

  test.each([
    ["shortened elsewhere", cut(700)],
    ["shortened by one character", cut(TEXT.length - 1)],
    ["shortened and written into", `${cut(512)}and more\n`],
    ["emptied and written into", "and more\n"],
  ])("I14 %s, was edited by a person", async (_what, edited) => {
    const { rig, mirror } = await begin();
    mirror.write("note.md", edited);
    await mirror.restart();
    expect(rig.app.text("note.md")).toBe(edited);
    expect(mirror.texts().get("note.md")).toBe(edited);
    expect(mirror.state.hasText(digestOf(TEXT))).toBe(true);
  });

  test("I13 one with links by path, cut off, is made again, and nothing of it is sent", async () => {
    const rig = createRig(1);
    const mirror = rig.mirror({ links: true });
    const id = rig.app.create("sub/b.md", "b\n");
    rig.app.create("note.md", `[b](${id})\n${TEXT}[b](${id}) at the end`);
    await mirror.sync();
    const record = [...mirror.state.load().records.values()].find(({ localPath }) => localPath === "note.md")!;
    mirror.state.putRecord({ ...record, durable: false });
    const whole = mirror.texts().get("note.md")!;
    expect(whole).toBe(`[b](sub/b.md)\n${TEXT}[b](sub/b.md) at the end`);
    mirror.write("note.md", whole.slice(0, 1_024));
    await mirror.restart();
    expect(mirror.texts().get("note.md")).toBe(whole);
    expect(mirror.writes("PUT")).toEqual([]);
  });

  test("I09 moved by a user meanwhile, is only at its new path", async () => {
    const { rig, mirror } = await begin();
    const [id] = mirror.state.load().records.keys();
    mirror.rename("note.md", "moved.md");
    await mirror.restart();
    expect(mirror.texts()).toEqual(new Map([["moved.md", TEXT]]));
    expect(rig.app.id("moved.md")).toBe(id);
  });

  test("I09 moved by a user and saved again as a new file, is only at its new path", async () => {
    const { rig, mirror } = await begin();
    const [id] = mirror.state.load().records.keys();
    mirror.remove("note.md");
    mirror.write("moved.md", TEXT);
    await mirror.restart();
    expect(mirror.texts()).toEqual(new Map([["moved.md", TEXT]]));
    expect([...rig.app.files().values()]).toEqual([expect.objectContaining({ id, path: "moved.md", text: TEXT })]);
  });

  test("I13 is made again at its path, although a user has a similar new file", async () => {
    const { rig, mirror } = await begin();
    const [id] = mirror.state.load().records.keys();
    mirror.remove("note.md");
    mirror.write("other.md", `${TEXT}today`);
    await mirror.restart();
    await mirror.sync();
    expect(Object.fromEntries(mirror.texts())).toEqual({ "note.md": TEXT, "other.md": `${TEXT}today` });
    expect(rig.app.id("note.md")).toBe(id);
  });

  test("I13 cut off, is made again at its path, although a user has a copy of it", async () => {
    const { rig, mirror } = await begin();
    mirror.write("copy.md", TEXT);
    mirror.remove("note.md");
    mirror.write("note.md", cut(512));
    await mirror.restart();
    await mirror.sync();
    expect(Object.fromEntries(rig.app.texts())).toEqual({ "copy.md": TEXT, "note.md": TEXT });
  });

  test("I04 lost on a disk that folds case, is not deleted when another file gets its name in another case", async () => {
    const rig = createRig(1);
    const mirror = rig.mirror({ disk: { foldsCase: true } });
    for (const path of ["note.md", "other.md"]) rig.app.create(path, `${path} ${TEXT}`);
    await mirror.sync();
    makeUndurable(mirror);
    mirror.remove("note.md");
    mirror.rename("other.md", "Note.md");
    await mirror.restart();
    await mirror.syncTimes(4);
    expect(Array.from(rig.app.texts().values()).toSorted()).toEqual([`note.md ${TEXT}`, `other.md ${TEXT}`]);
  });

  test("I04 I13 is made again although a new file has its inode number, on a disk without birth times", async () => {
    const rig = createRig(1);
    const mirror = rig.mirror({ disk: { hasBirthTimes: false } });
    rig.app.create("note.md", TEXT);
    await mirror.sync();
    makeUndurable(mirror);
    mirror.remove("note.md");
    mirror.write("ideas.md", "my ideas\n");
    await mirror.restart();
    await mirror.syncTimes(4);
    expect(Object.fromEntries(rig.app.texts())).toEqual({ "ideas.md": "my ideas\n", "note.md": TEXT });
  });

  test("I04 lost with its folder, is not deleted when another folder gets the name of that folder", async () => {
    const other = Array.from({ length: 12 }, (_, at) => `line ${at}\n\n`).join("");
    const { rig, mirror } = await openSynced({ "d/note.md": TEXT, "e/note.md": other });
    makeUndurable(mirror);
    mirror.remove("d");
    mirror.rename("e", "d");
    mirror.remove("d/note.md");
    mirror.write("d/between.txt", "x");
    mirror.write("d/note.md", `${other}more\n`);
    await mirror.restart();
    await mirror.syncTimes(4);
    expect([...rig.app.texts().values()]).toContain(TEXT);
  });

  test.each(["edited", "torn"])(
    "I09 %s in a renamed folder, when the disk has another device number, stays there",
    async (how) => {
      const text = (name: string) => Array.from({ length: 80 }, (_, at) => `${name} line ${at} of the text\n`).join("");
      const { mirror } = await openSynced({ "d/a.md": text("a"), "d/b.md": text("b"), "d/c.md": text("c") });
      makeUndurable(mirror);
      mirror.state.setMeta("root.dev", "99");
      mirror.rename("d", "e");
      mirror.write("e/a.md", how === "torn" ? text("a").slice(0, 1024) : `${text("a")}more\n`);
      await mirror.restart();
      await mirror.syncTimes(3);
      expect([...mirror.texts().keys()].toSorted()).toEqual(["e/a.md", "e/b.md", "e/c.md"]);
    },
  );

  test("I13 moved by a person, and torn, is made again where it was moved to", async () => {
    const { rig, mirror } = await begin();
    const [id] = mirror.state.load().records.keys();
    mirror.rename("note.md", "moved.md");
    mirror.disk.user.open(mirror.path("moved.md")).write(cut(512));
    await mirror.restart();
    expect(mirror.texts()).toEqual(new Map([["moved.md", TEXT]]));
    expect([...rig.app.files().values()]).toEqual([expect.objectContaining({ id, path: "moved.md", text: TEXT })]);
  });

  test("I09 I13 lost from a folder that a person renamed, is made again in that folder", async () => {
    const { rig, mirror } = await openSynced({ "d/note.md": TEXT, "d/other.md": "other\n" });
    const ids = new Map([...rig.app.files().values()].map(({ id, text }) => [text, id]));
    const record = [...mirror.state.load().records.values()].find(({ localPath }) => localPath === "d/note.md")!;
    mirror.state.putRecord({ ...record, durable: false });
    mirror.rename("d", "e");
    mirror.remove("e/note.md");
    rig.app.renameFolder("d", "f");
    await mirror.restart();
    expect([...mirror.texts().keys()].toSorted()).toEqual(["f/note.md", "f/other.md"]);
    expect(
      Array.from(rig.app.files().values(), ({ id, path, text }) => [path, id === ids.get(text)]).toSorted(),
    ).toEqual([
      ["f/note.md", true],
      ["f/other.md", true],
    ]);
    expect(mirror.writes()).toEqual([]);
  });

  test("I04 whose path another document's file was moved to before any run, comes back, and both stay", async () => {
    const { rig, mirror, ids } = await takePath();
    await mirror.restart();
    const paths = Array.from(rig.app.files().values(), ({ id, path }) => [id, path]);
    expect(Object.fromEntries(paths)).toEqual({ [ids[0]!]: "note.md", [ids[1]!]: "note-2.md" });
    expect(Object.fromEntries(mirror.texts())).toEqual({
      "note-2.md": `other.md ${TEXT}`,
      "note.md": `note.md ${TEXT}`,
    });
    expect(mirror.writes("DELETE")).toEqual([]);
  });

  test("I04 whose path was taken that way stays on the service while another file of its folder cannot be read", async () => {
    const { rig, mirror, ids } = await takePath();
    mirror.disk.fail({ call: "lstat", path: mirror.path("note-2.md"), code: "EIO" });
    await mirror.restart();
    expect(new Set([...rig.app.files().values()].map(({ id }) => id))).toEqual(new Set(ids));
  });

  test.each([
    ["gone", (mirror: Mirror) => mirror.remove("note.md")],
    ["empty", (mirror: Mirror) => mirror.write("note.md", "")],
  ])("I19 %s, whose content the power loss took, too, is downloaded again", async (_what, lose) => {
    const { rig, mirror: begun } = await begin();
    const texts = openInMemory(rig.clock, null).copy().texts;
    const mirror = rig.mirror({}, { ...begun.copy(), texts });
    lose(mirror);
    await downloadAgain(rig, mirror, "note.md");
  });

  test.each(["EACCES", "ENOSPC"])("I04 gone, and not to be restored (%s), is downloaded again", async (code) => {
    const { rig, mirror } = await begin();
    mirror.remove("note.md");
    mirror.disk.fail({ call: "link", path: null, code, times: 1 });
    await downloadAgain(rig, mirror, "note.md");
  });

  test("I04 gone with its folder, is downloaded again", async () => {
    const { rig, mirror } = await begin("d/note.md");
    mirror.remove("d");
    await downloadAgain(rig, mirror, "d/note.md");
  });

  test("I14 cut off where a sector ends, but without a restart, it was edited by a person", async () => {
    const { rig, mirror } = await begin();
    mirror.write("note.md", cut(512));
    await mirror.restart({ bootId: "boot-1" });
    expect(rig.app.text("note.md")).toBe(cut(512));
  });
});

const LINES = Array.from({ length: 12 }, (_, line) => `line ${line}\n\n`);
const withLines = (...at: readonly number[]) =>
  at.reduce((lines, one) => lines.with(one, `edit ${one}\n\n`), LINES).join("");

/**
 * Replaces the file of an edit, and then takes its last writes by a power loss.
 * @param isUploaded true: the edit was uploaded, and a download then replaced the file; false: a
 * merge replaced it
 */
async function loseLastWrites(text: string, isUploaded = false) {
  const { rig, mirror } = await openSynced({ "note.md": LINES.join("") });
  mirror.write("note.md", withLines(2, 9));
  if (isUploaded) await mirror.sync();
  rig.app.edit("note.md", isUploaded ? withLines(2, 6, 9) : withLines(6));
  await mirror.sync();
  const [row] = mirror.state.intents().flatMap(({ intent }) => (intent.kind === "set-aside" ? [intent] : []));
  mirror.disk.user.open(`${ROOT}/.mdmirror/${row!.setAsideAt}`).write(text);
  await mirror.restart();
  await mirror.sync();
  const live = Array.from(rig.app.files().values(), ({ path, text: content }) => [path, content]);
  return { mirror, live: Object.fromEntries(live) as Record<string, string> };
}

describe.each([
  ["a merge", false],
  ["a download after its upload", true],
])("a file that was replaced by %s, after a restart of the machine", (_by, isUploaded) => {
  test.each([
    ["has the content that base had", LINES.join("")],
    ["is empty", ""],
    ["is zeroed", "\0".repeat(90)],
  ])("I14 undoes no edit where it %s", async (_what, text) => {
    const { mirror, live } = await loseLastWrites(text, isUploaded);
    expect(live).toEqual({ "note.md": withLines(2, 6, 9) });
    expect(mirror.texts()).toEqual(new Map(Object.entries(live)));
    expect(mirror.state.intents()).toEqual([]);
  });

  test("I03 I14 undoes no edit where it has content that no scan saw, which becomes a document", async () => {
    const { mirror, live } = await loseLastWrites(withLines(2), isUploaded);
    expect(live).toEqual({ "note.md": withLines(2, 6, 9), "note-late.md": withLines(2) });
    expect(mirror.texts()).toEqual(new Map(Object.entries(live)));
  });

  test("I14 gives a late save with the whole edit to its document", async () => {
    const { mirror, live } = await loseLastWrites(withLines(2, 9, 11), isUploaded);
    expect(live).toEqual({ "note.md": withLines(2, 6, 9, 11) });
    expect(mirror.texts()).toEqual(new Map(Object.entries(live)));
  });
});

/** @param later ms since the file was created */
async function mountAgain(left: string, later = 0) {
  const { rig, mirror } = await begin();
  const [record] = mirror.state.load().records.values();
  mirror.disk.user.open(mirror.path("note.md")).write(left);
  mirror.disk.user.setTime(mirror.path("note.md"), record!.stamp!.mtimeMs + later);
  const report = await mirror.sync();
  return { rig, mirror, report };
}

test("I23 what is torn is no edit in a plan, either, and the plan writes nothing", async () => {
  const { mirror } = await begin();
  mirror.write("note.md", cut(512));
  mirror.alterWorld = (world) => ({ ...world, bootId: "boot-2" });
  expect(await mirror.plan()).toMatchObject({ kind: "planned", plan: { steps: [] } });
  expect(mirror.texts().get("note.md")).toBe(cut(512));
});

describe("a new file whose disk was lost and mounted again, without a restart of the machine", () => {
  test.each([
    ["empty", ""],
    ["zeroed", "\0".repeat(TEXT.length)],
    ["cut off after a sector", cut(512)],
  ])("I13 %s, is made again, and nothing of it is sent", async (_what, torn) => {
    const { rig, mirror, report } = await mountAgain(torn);
    expect(report).toMatchObject({ state: "in-sync", counts: { uploaded: 0 } });
    expect([mirror.texts().get("note.md"), rig.app.text("note.md")]).toEqual([TEXT, TEXT]);
    expect(mirror.trash()).toContain(torn);
  });

  test.each([
    ["emptied", "", 1],
    ["cut off after a sector", cut(512), 1],
    ["changed", "other\n", 0],
  ])("I14 %s by a person, is an edit", async (_what, edited, later) => {
    const { rig, mirror } = await mountAgain(edited, later);
    expect([mirror.texts().get("note.md"), rig.app.text("note.md")]).toEqual([edited, edited]);
  });
});

describe("a new file that a power loss took, where the first run after it does not come to its end", () => {
  const GONE = { kind: "later", cause: "unreachable", detail: "nobody is there", requestId: null } as const;

  async function expectBack({ rig, mirror }: { rig: Rig; mirror: Mirror }): Promise<void> {
    await mirror.restart();
    expect([mirror.texts().get("note.md"), rig.app.text("note.md")]).toEqual([TEXT, TEXT]);
  }

  test("I13 I19 because the service cannot be reached, is created again later", async () => {
    const begun = await begin();
    const { mirror } = begun;
    mirror.remove("note.md");
    const listFiles: Remote["listFiles"] = async () => ({ items: [], complete: false, fault: GONE });
    mirror.alterWorld = ({ remote, ...world }) => ({
      ...world,
      bootId: "boot-2",
      remote: withCalls(remote, { listFiles }),
    });
    expect((await mirror.sync({}, { retryRefused: false }))?.state).toBe("offline");
    expect(mirror.texts().get("note.md")).toBe(TEXT);
    await expectBack(begun);
  });

  test("I13 because it is killed, at each call, is made again by the next", async () => {
    const begun = await begin();
    begun.mirror.remove("note.md");
    const calls = await killAtEachCall(begun, {
      work: (pair) => pair.mirror.restart(),
      judge: expectBack,
    });
    expect(calls).toBeGreaterThan(15);
  });
});
