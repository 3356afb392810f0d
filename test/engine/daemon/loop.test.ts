import { describe, expect, test } from "vitest";
import { ROOT } from "../../simulator/mirror.ts";
import { createRig } from "../../simulator/rig.ts";
import { type DaemonRig, startDaemon } from "./rig.ts";

const TEXT = `# Plan

first line

A paragraph that stays as it is, long enough that one edited line leaves the text like itself.

third line
`;

async function withNotes(count = 1): Promise<DaemonRig> {
  const rig = createRig(1);
  rig.app.create("notes/plan.md", TEXT);
  for (let n = 1; n <= count; n++) rig.app.create(`notes/other-${n}.md`, `# Other ${n}\n\nits own text, number ${n}\n`);
  return startDaemon({ rig });
}

const idOf = (rig: DaemonRig, path: string) => rig.app.files().get(path)?.id;
const textOf = (rig: DaemonRig, path: string) => rig.app.files().get(path)?.text;

describe("a local edit", () => {
  test("is one PUT and no other request, 300 ms after its last event", async () => {
    const rig = await withNotes();
    const id = idOf(rig, "notes/plan.md");
    rig.save("notes/plan.md", `${TEXT}fourth\n`);
    await rig.pass(200);
    rig.save("notes/plan.md", `${TEXT}fourth line\n`);
    await rig.pass(290);
    expect(rig.sent()).toEqual([]);
    await rig.pass(100);
    expect(rig.sent()).toEqual([`PUT /v1/files/${id}/content`]);
    expect(textOf(rig, "notes/plan.md")).toBe(`${TEXT}fourth line\n`);
    await rig.pass(3_000);
    expect(rig.sent("PUT")).toEqual([]);
  });

  test("that never pauses is sent every 5 s", async () => {
    const rig = await withNotes();
    for (let n = 0; n < 100; n++) {
      rig.save("notes/plan.md", `${TEXT}edit ${n}\n`);
      await rig.pass(200);
    }
    const puts = rig.sent("PUT").length;
    expect(puts).toBeGreaterThanOrEqual(3);
    expect(puts).toBeLessThanOrEqual(5);
    await rig.until(() => textOf(rig, "notes/plan.md") === `${TEXT}edit 99\n`);
  });

  test("of one document does not wait for another that is saved all the time for longer than 5 s", async () => {
    const rig = await withNotes();
    rig.save("notes/other-1.md", "# Other 1\n\nedited once\n");
    for (let n = 0; n < 30; n++) {
      rig.save("notes/plan.md", `${TEXT}edit ${n}\n`);
      await rig.pass(200);
    }
    expect(textOf(rig, "notes/other-1.md")).toBe("# Other 1\n\nedited once\n");
  });

  test("I10 a file that mdmirror wrote causes no request", async () => {
    const rig = await withNotes();
    rig.app.edit("notes/plan.md", `${TEXT}from the app\n`);
    await rig.until(() => rig.mirrored.texts().get("notes/plan.md") === `${TEXT}from the app\n`);
    rig.hint({ kind: "path", path: "notes/plan.md" });
    rig.sent();
    await rig.pass(1_000);
    expect(rig.sent().filter((request) => !request.startsWith("GET /v1/files?"))).toEqual([]);
  });

  test("a document that a crashing editor emptied is uploaded only if it stays empty", async () => {
    const rig = await withNotes();
    rig.save("notes/plan.md", "");
    await rig.pass(50_000);
    expect(textOf(rig, "notes/plan.md")).toBe(TEXT);
    await rig.pass(15_000);
    expect(textOf(rig, "notes/plan.md")).toBe("");
  });

  test("a truncate-then-write is one PUT, however long it takes", async () => {
    const rig = await withNotes();
    rig.save("notes/plan.md", "");
    await rig.pass(10_000);
    rig.save("notes/plan.md", `${TEXT}written late\n`);
    await rig.pass(1_000);
    expect(rig.sent("PUT")).toHaveLength(1);
    expect(textOf(rig, "notes/plan.md")).toBe(`${TEXT}written late\n`);
  });
});

describe("places", () => {
  test("I09 a rename keeps the id, also when its two events come apart", async () => {
    const rig = await withNotes();
    const id = idOf(rig, "notes/plan.md");
    rig.mirrored.disk.user.rename(`${ROOT}/notes/plan.md`, `${ROOT}/notes/goal.md`);
    rig.hint({ kind: "path", path: "notes/goal.md" });
    await rig.pass(1_000);
    rig.hint({ kind: "path", path: "notes/plan.md" });
    await rig.pass(1_000);
    expect(idOf(rig, "notes/goal.md")).toBe(id);
    expect(rig.app.files().size).toBe(2);
    expect([...rig.sent("POST"), ...rig.sent("DELETE")]).toEqual([]);
  });

  test("I09 a folder that moves with its contents is one move on the service, with any number of documents", async () => {
    const rig = await withNotes(40);
    const ids = new Set([...rig.app.files().values()].map(({ id }) => id));
    rig.mirrored.disk.user.rename(`${ROOT}/notes`, `${ROOT}/archive`);
    rig.hint({ kind: "path", path: "notes" });
    rig.hint({ kind: "folder", path: "archive" });
    rig.sent();
    await rig.pass(2_000);
    expect(rig.sent().filter((request) => !request.startsWith("GET"))).toHaveLength(1);
    expect(new Set([...rig.app.files().values()].map(({ id }) => id))).toEqual(ids);
    expect([...rig.app.files().keys()].every((path) => path.startsWith("archive/"))).toBe(true);
  });
});

describe("changes on the service", () => {
  test("reach the disk in one poll", async () => {
    const rig = await withNotes();
    await rig.pass(120_000);
    rig.app.edit("notes/plan.md", `${TEXT}from the app\n`);
    await rig.pass(33_500);
    expect(rig.mirrored.texts().get("notes/plan.md")).toBe(`${TEXT}from the app\n`);
  });

  test("are polled every 5 s after activity, every 30 s at rest, every 2 min after an hour", async () => {
    const rig = await withNotes();
    const polls = async (ms: number) => {
      rig.sent();
      await rig.pass(ms);
      return rig.sent("GET").filter((request) => request.startsWith("GET /v1/files?")).length;
    };
    rig.save("notes/plan.md", `${TEXT}x\n`);
    await rig.pass(1_000);
    expect(await polls(50_000)).toBeGreaterThanOrEqual(8);
    await rig.pass(60_000);
    const rest = await polls(600_000);
    expect(rest).toBeGreaterThanOrEqual(18);
    expect(rest).toBeLessThanOrEqual(23);
    await rig.pass(3_600_000);
    const sleepy = await polls(3_600_000);
    // Polls, and the listing of each periodic scan.
    expect(sleepy).toBeGreaterThanOrEqual(27);
    expect(sleepy).toBeLessThanOrEqual(42);
  });

  test("I14 while the file is being edited they are merged, never swapped under an unsettled save", async () => {
    const rig = await withNotes();
    rig.app.edit("notes/plan.md", TEXT.replace("first line", "first line of the app"));
    // Saved every 250 ms, over a poll.
    let last = "";
    for (let n = 0; n < 40; n++) {
      last = (rig.mirrored.texts().get("notes/plan.md") ?? "").replace(/third.*/, `third line, edit ${n}`);
      rig.save("notes/plan.md", last);
      await rig.pass(250);
    }
    await rig.until(() => /app[\s\S]*edit 39/.test(textOf(rig, "notes/plan.md") ?? ""));
    await rig.until(() => rig.mirrored.texts().get("notes/plan.md") === textOf(rig, "notes/plan.md"));
    expect(rig.app.files().size).toBe(2);
  });
});
