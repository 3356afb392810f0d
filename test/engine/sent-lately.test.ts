import { describe, expect, test } from "vitest";
import type { LocalPath } from "../../src/contract/path.ts";
import type { KeyGrant } from "../../src/service/admin/operations.ts";
import { beforeFirst, settle, openFixture, openSynced, type SeenRequest } from "../promises/fixture.ts";
import { SETTINGS } from "../simulator/mirror.ts";
import { startDaemon } from "./daemon/rig.ts";

const LINES = Array.from({ length: 9 }, (_, line) => `line ${line}\n`);
const BASE = LINES.join("");
const SENT = LINES.with(4, "line 4, and a sentence\n").join("");

/** The content that is sent first, and the user's next edit before the service executes the PUT. */
const SAVES = [
  ["the rest of a file that was sent half written", BASE.slice(0, 20), BASE],
  ["what was taken back", SENT, BASE],
  ["what was written on in the same line", SENT, SENT.replace("sentence", "sentence that goes on")],
  ["what was taken out of the line that was sent", SENT, LINES.with(4, "line 4\n").with(8, "the end\n").join("")],
] as const;

test.each(SAVES)(
  "I06 a PUT that is carried out after it was read as not done does not undo %s",
  async (_, sent, then) => {
    const fixture = await openSynced({ "note.md": BASE });
    const { rig, mirror } = fixture;
    mirror.write("note.md", sent);
    let left = 1;
    fixture.fault = ({ method }) => (method === "PUT" && left-- > 0 ? "drop-before" : null);
    let isRead = false;
    fixture.onRequest = ({ method, path }) => {
      if (left > 0 || isRead) return;
      // The read after the lost answer still returns the version before the PUT; the next cycle
      // finds the sent version.
      if (path.startsWith("/v1/files/doc_")) mirror.write("note.md", then);
      if (method !== "GET" || !path.startsWith("/v1/files?")) return;
      isRead = true;
      rig.app.edit("note.md", sent);
    };
    await settle(mirror);
    expect(isRead).toBe(true);
    expect(mirror.texts()).toEqual(new Map([["note.md", then]]));
    expect(rig.app.text("note.md")).toBe(then);
  },
);

test.each(SAVES)("I06 I14 a combined PUT does not undo %s, saved while it was on its way", async (_, sent, then) => {
  const fixture = await openSynced({ "note.md": BASE });
  const { rig, mirror } = fixture;
  mirror.write("note.md", sent);
  beforeFirst(fixture, "PUT", () => {
    rig.app.edit("note.md", `in the app\n${BASE}`);
    mirror.write("note.md", then);
  });
  await settle(mirror);
  const expected = `in the app\n${then}`;
  expect(mirror.texts()).toEqual(new Map([["note.md", expected]]));
  expect(rig.app.text("note.md")).toBe(expected);
});

test.each(SAVES)("I06 I14 a combined PUT does not undo %s, saved into the replaced file", async (_, sent, then) => {
  const fixture = await openSynced({ "note.md": BASE });
  const { rig, mirror } = fixture;
  const editor = mirror.disk.user.open(mirror.path("note.md"));
  editor.write(sent);
  beforeFirst(fixture, "PUT", () => rig.app.edit("note.md", `in the app\n${BASE}`));
  await mirror.sync();
  expect(mirror.texts().get("note.md")).toBe(`in the app\n${sent}`);
  editor.write(then);
  await settle(mirror);
  const expected = `in the app\n${then}`;
  expect(mirror.texts()).toEqual(new Map([["note.md", expected]]));
  expect(rig.app.text("note.md")).toBe(expected);
});

test("I06 I28 a conflict with a version that combined an upload starts at the upload", async () => {
  const fixture = await openSynced({ "note.md": BASE });
  const { rig, mirror } = fixture;
  const half = LINES.slice(0, 4).join("");
  const mine = LINES.with(1, "line 1, mine\n").join("");
  mirror.write("note.md", half);
  beforeFirst(fixture, "PUT", () => {
    rig.app.edit("note.md", LINES.with(1, "line 1, theirs\n").join(""));
    mirror.write("note.md", mine);
  });
  await settle(mirror);
  expect(mirror.state.load().conflicts.size).toBe(1);
  rig.app.edit("note.md", half.replace("line 1", "line 1, mine"));
  await settle(mirror);
  expect(mirror.texts()).toEqual(new Map([["note.md", mine]]));
  expect(rig.app.text("note.md")).toBe(mine);
});

/**
 * Creates a document whose content was sent from this folder in one run, and never saved by the
 * service.
 */
async function lost(sent: string) {
  const fixture = await openSynced({ "note.md": BASE });
  const { rig, mirror } = fixture;
  mirror.write("note.md", sent);
  fixture.fault = ({ method }) => (method === "PUT" ? "drop-before" : null);
  await mirror.sync();
  fixture.fault = () => null;
  const texts = () => [mirror.texts().get("note.md"), rig.app.text("note.md")];
  return { rig, mirror, texts };
}

/** How far the wall clock has moved when the next run begins, in ms. */
const WALLS = [60_000, 86_400_000, 3e10, -86_400_000];

test.each(WALLS)(
  "I06 I29 a PUT carried out after its run is the base of what was written since (%d ms)",
  async (ms) => {
    const { rig, mirror, texts } = await lost(SENT);
    const { now } = rig.clock;
    rig.clock.now = () => now() + ms;
    const then = SENT.replace(", and a sentence", "");
    mirror.write("note.md", then.replace("line 8", "the end"));
    rig.app.edit("note.md", SENT);
    await settle(mirror);
    const expected = BASE.replace("line 8", "the end");
    expect(texts()).toEqual([expected, expected]);
  },
);

test.each([
  ["in the run in which it was taken back", 0],
  ["some runs later", 3],
])("I06 somebody else's edit that equals a text that was never carried out stays, %s", async (_, runs) => {
  const { rig, mirror, texts } = await lost(SENT);
  mirror.write("note.md", BASE);
  for (let run = 0; run < runs; run++) await mirror.sync();
  rig.app.edit("note.md", SENT);
  await settle(mirror);
  expect(texts()).toEqual([SENT, SENT]);
});

test("I06 two runs later it counts as another user's edit, and is merged", async () => {
  const { rig, mirror, texts } = await lost(SENT);
  const mine = BASE.replace("line 8", "the end");
  mirror.write("note.md", mine);
  await mirror.syncTimes(2, { ...SETTINGS, direction: "pull" });
  rig.app.edit("note.md", SENT);
  await settle(mirror);
  const both = SENT.replace("line 8", "the end");
  expect(texts()).toEqual([both, both]);
});

test.each([0, ...WALLS])("I06 I29 after both sides rested it is somebody else's edit, too (%d ms)", async (ms) => {
  const { rig, mirror, texts } = await lost(SENT);
  const at = rig.clock.now();
  rig.clock.now = () => at;
  mirror.write("note.md", BASE);
  expect((await mirror.sync())?.state).toBe("in-sync");
  rig.clock.now = () => at + ms;
  mirror.write("note.md", BASE.replace("line 8", "the end"));
  rig.app.edit("note.md", SENT);
  await settle(mirror);
  const both = SENT.replace("line 8", "the end");
  expect(texts()).toEqual([both, both]);
});

test("I06 an edit of half a file does not remove the other half on the service", async () => {
  const half = BASE.slice(0, 20);
  const { rig, mirror, texts } = await lost(half);
  mirror.write("note.md", BASE);
  mirror.write("note.md", `${BASE}the end\n`);
  rig.app.edit("note.md", `in the app\n${half}`);
  await settle(mirror);
  const expected = `in the app\n${BASE}the end\n`;
  expect(texts()).toEqual([expected, expected]);
});

test("I06 a deletion is not undone by a PUT that was sent before it", async () => {
  const { rig, mirror } = await lost(SENT);
  mirror.remove("note.md");
  rig.app.edit("note.md", SENT);
  await settle(mirror);
  expect([...mirror.texts().keys(), ...rig.app.files().keys()]).toEqual([]);
});

test("I06 a POST carried out late is no conflict with what was written since", async () => {
  const fixture = await openSynced({ "other.md": "other\n" });
  const { rig, mirror } = fixture;
  mirror.write("new.md", SENT);
  fixture.fault = ({ method }) => (method === "POST" ? "drop-before" : null);
  await mirror.sync();
  fixture.fault = () => null;
  mirror.write("new.md", BASE);
  rig.app.create("new.md", SENT);
  await settle(mirror);
  expect(mirror.texts().size).toBe(2);
  expect([mirror.texts().get("new.md"), rig.app.text("new.md")]).toEqual([BASE, BASE]);
});

test("I06 I29 content that a daemon sent in vain, and its user undid, later counts as an edit and beats a deletion, although the wall clock stops", async () => {
  const fixture = openFixture(62);
  const { rig, mirror } = fixture;
  const at = rig.clock.now();
  rig.clock.now = () => at;
  rig.app.create("note.md", BASE);
  const daemon = await startDaemon({ rig, mirror });
  fixture.fault = ({ method }) => (method === "PUT" ? "drop-before" : null);
  daemon.save("note.md", SENT);
  await daemon.pass(5_000);
  expect(mirror.state.events({ limit: 9 }).map(({ outcome }) => outcome)).toContain("absent");
  daemon.save("note.md", BASE);
  fixture.fault = () => null;
  await daemon.pass(600_000);
  daemon.remove("note.md");
  rig.app.edit("note.md", SENT);
  await daemon.pass(600_000);
  expect([mirror.texts().get("note.md"), rig.app.text("note.md")]).toEqual([SENT, SENT]);
});

describe("I08 I31 an upload that went to review without an answer is sent once", () => {
  test.each([
    ["every document", null],
    ["the folder of the document", "e" as LocalPath],
  ])("although the key then loses access to %s", async (_, readable) => {
    let key = "";
    const fixture = openFixture(61, {}, (made) => {
      const own = made.makeKey({ on: null, level: "full" });
      key = own.id;
      return own;
    });
    const { rig, mirror, seen } = fixture;
    for (const path of ["d/note.md", "e/other.md"]) rig.app.create(path, BASE);
    rig.app.protect("d/note.md", true);
    await settle(mirror);
    const grant = (grants: readonly KeyGrant[]) => rig.service.admin.changeKey(key, { grants });
    const isPut = ({ method }: SeenRequest) => method === "PUT";
    fixture.fault = (request) => (isPut(request) ? "drop-after" : null);
    fixture.onRequest = ({ method }) => {
      if (method !== "GET" || !seen.some(isPut)) return;
      grant(readable === null ? [] : [{ on: mirror.state.dirAt(readable)!.id, level: "full" }]);
    };
    mirror.write("d/note.md", SENT);
    for (let run = 0; run < 3; run++) await mirror.sync();
    expect(seen.filter(isPut)).toHaveLength(1);
    expect(mirror.state.intents()).toEqual([]);
    fixture.onRequest = () => undefined;
    fixture.fault = () => null;
    grant([{ on: null, level: "full" }]);
    await settle(mirror);
    expect(seen.filter(isPut)).toHaveLength(1);
    expect([...mirror.state.load().blocks.values()].map(({ reason }) => reason)).toEqual(["in-review"]);
  });
});

test("I01 I03 an upload without an answer, whose document somebody then deletes, is created as a new document", async () => {
  const fixture = await openSynced({ "note.md": BASE, "other.md": "other\n" });
  const { rig, mirror } = fixture;
  mirror.write("note.md", SENT);
  fixture.fault = ({ method }) => {
    if (method !== "PUT") return null;
    rig.app.remove("note.md");
    return "drop-before";
  };
  await settle(mirror);
  expect([mirror.texts().get("note.md"), rig.app.texts().get("note.md")]).toEqual([SENT, SENT]);
  expect(mirror.state.intents()).toEqual([]);
});
