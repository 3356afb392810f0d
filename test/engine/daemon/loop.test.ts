import { describe, expect, test, it } from "vitest";
import type { ChangeId } from "../../../src/contract/ids.ts";
import { createDaemon } from "../../../src/mirror/engine/daemon/daemon.ts";
import type { Progress } from "../../../src/mirror/ports/world.ts";
import { updateRemoteTree } from "../../../src/mirror/engine/daemon/known-trees.ts";
import type { PlannedCycle } from "../../../src/mirror/engine/run/cycle-context.ts";
import { planOnly, syncToConvergence } from "../../../src/mirror/engine/run/converge.ts";
import type { Outcome } from "../../../src/mirror/model/action.ts";
import type { RemoteTree } from "../../../src/mirror/model/tree.ts";
import { ROOT, type Mirror, SETTINGS } from "../../simulator/mirror.ts";
import { createRig } from "../../simulator/rig.ts";
import { type DaemonRig, startDaemon, note, ScriptedEvents, withNotes, PLAN } from "./rig.ts";

async function withPlan(count = 1): Promise<DaemonRig> {
  const rig = createRig(1);
  rig.app.create("notes/plan.md", PLAN);
  for (let n = 1; n <= count; n++) rig.app.create(`notes/other-${n}.md`, `# Other ${n}\n\nits own text, number ${n}\n`);
  return startDaemon({ rig });
}

describe("a local edit", () => {
  test("is one PUT and no other request, 300 ms after its last event", async () => {
    const rig = await withPlan();
    const id = rig.app.id("notes/plan.md");
    rig.save("notes/plan.md", `${PLAN}fourth\n`);
    await rig.pass(200);
    rig.save("notes/plan.md", `${PLAN}fourth line\n`);
    await rig.pass(290);
    expect(rig.sent()).toEqual([]);
    await rig.pass(100);
    expect(rig.sent()).toEqual([`PUT /v1/files/${id}/content`]);
    expect(rig.app.text("notes/plan.md")).toBe(`${PLAN}fourth line\n`);
    await rig.pass(3_000);
    expect(rig.sent("PUT")).toEqual([]);
  });

  test("that never pauses is sent every 5 s", async () => {
    const rig = await withPlan();
    for (let n = 0; n < 100; n++) {
      rig.save("notes/plan.md", `${PLAN}edit ${n}\n`);
      await rig.pass(200);
    }
    const puts = rig.sent("PUT").length;
    expect(puts).toBeGreaterThanOrEqual(3);
    expect(puts).toBeLessThanOrEqual(5);
    await rig.until(() => rig.app.text("notes/plan.md") === `${PLAN}edit 99\n`);
  });

  test("of one document does not wait for another that is saved all the time for longer than 5 s", async () => {
    const rig = await withPlan();
    rig.save("notes/other-1.md", "# Other 1\n\nedited once\n");
    for (let n = 0; n < 30; n++) {
      rig.save("notes/plan.md", `${PLAN}edit ${n}\n`);
      await rig.pass(200);
    }
    expect(rig.app.text("notes/other-1.md")).toBe("# Other 1\n\nedited once\n");
  });

  test("I10 a file that mdmirror wrote causes no request", async () => {
    const rig = await withPlan();
    rig.app.edit("notes/plan.md", `${PLAN}from the app\n`);
    await rig.until(() => rig.mirrored.texts().get("notes/plan.md") === `${PLAN}from the app\n`);
    rig.hint({ kind: "path", path: "notes/plan.md" });
    rig.sent();
    await rig.pass(1_000);
    expect(rig.sent().filter((request) => !request.startsWith("GET /v1/files?"))).toEqual([]);
  });

  test("a document that a crashing editor emptied is uploaded only if it stays empty", async () => {
    const rig = await withPlan();
    rig.save("notes/plan.md", "");
    await rig.pass(50_000);
    expect(rig.app.text("notes/plan.md")).toBe(PLAN);
    await rig.pass(15_000);
    expect(rig.app.text("notes/plan.md")).toBe("");
  });

  test("a truncate-then-write is one PUT, however long it takes", async () => {
    const rig = await withPlan();
    rig.save("notes/plan.md", "");
    await rig.pass(10_000);
    rig.save("notes/plan.md", `${PLAN}written late\n`);
    await rig.pass(1_000);
    expect(rig.sent("PUT")).toHaveLength(1);
    expect(rig.app.text("notes/plan.md")).toBe(`${PLAN}written late\n`);
  });
});

describe("places", () => {
  test("I09 a rename keeps the id, also when its two events come apart", async () => {
    const rig = await withPlan();
    const id = rig.app.id("notes/plan.md");
    rig.mirrored.rename("notes/plan.md", "notes/goal.md");
    rig.hint({ kind: "path", path: "notes/goal.md" });
    await rig.pass(1_000);
    rig.hint({ kind: "path", path: "notes/plan.md" });
    await rig.pass(1_000);
    expect(rig.app.id("notes/goal.md")).toBe(id);
    expect(rig.app.files().size).toBe(2);
    expect([...rig.sent("POST"), ...rig.sent("DELETE")]).toEqual([]);
  });

  test("I09 a folder that moves with its contents is one move on the service, with any number of documents", async () => {
    const rig = await withPlan(40);
    const ids = new Set([...rig.app.files().values()].map(({ id }) => id));
    rig.mirrored.rename("notes", "archive");
    rig.hint({ kind: "path", path: "notes" });
    rig.hint({ kind: "folder", path: "archive" });
    rig.sent();
    await rig.pass(2_000);
    expect(rig.writes()).toHaveLength(1);
    expect(new Set([...rig.app.files().values()].map(({ id }) => id))).toEqual(ids);
    expect([...rig.app.files().keys()].every((path) => path.startsWith("archive/"))).toBe(true);
  });
});

describe("changes on the service", () => {
  test("reach the disk in one poll", async () => {
    const rig = await withPlan();
    await rig.pass(120_000);
    rig.app.edit("notes/plan.md", `${PLAN}from the app\n`);
    await rig.pass(33_500);
    expect(rig.mirrored.texts().get("notes/plan.md")).toBe(`${PLAN}from the app\n`);
  });

  test("are polled every 5 s after activity, every 30 s at rest, every 2 min after an hour", async () => {
    const rig = await withPlan();
    const polls = async (ms: number) => {
      rig.sent();
      await rig.pass(ms);
      return rig.sent("GET").filter((request) => request.startsWith("GET /v1/files?")).length;
    };
    rig.save("notes/plan.md", `${PLAN}x\n`);
    await rig.pass(1_000);
    expect(await polls(50_000)).toBeGreaterThanOrEqual(8);
    await rig.pass(60_000);
    const rest = await polls(600_000);
    expect(rest).toBeGreaterThanOrEqual(18);
    expect(rest).toBeLessThanOrEqual(23);
    await rig.pass(3_600_000);
    const longIdle = await polls(3_600_000);
    // Polls, and the listing of each periodic scan.
    expect(longIdle).toBeGreaterThanOrEqual(27);
    expect(longIdle).toBeLessThanOrEqual(42);
  });

  test("I14 while the file is being edited they are merged, never swapped under an unsettled save", async () => {
    const rig = await withPlan();
    rig.app.edit("notes/plan.md", PLAN.replace("first line", "first line of the app"));
    // The user saves every 250 ms, also during a poll.
    let last = "";
    for (let n = 0; n < 40; n++) {
      last = (rig.mirrored.texts().get("notes/plan.md") ?? "").replace(/third.*/, `third line, edit ${n}`);
      rig.save("notes/plan.md", last);
      await rig.pass(250);
    }
    await rig.until(() => /app[\s\S]*edit 39/.test(rig.app.text("notes/plan.md") ?? ""));
    await rig.until(() => rig.mirrored.texts().get("notes/plan.md") === rig.app.text("notes/plan.md"));
    expect(rig.app.files().size).toBe(2);
  });
});

it("I03 a daemon that only downloads names a local edit once", async () => {
  const news = new ScriptedEvents();
  const rig = await withNotes(3, note, { settings: { direction: "pull" }, news });
  news.state({ kind: "listening" });
  await rig.pass(12_000);
  const named: string[] = [];
  rig.daemon.onEvent((event) => {
    if (event.kind === "run") named.push(...(event.report.oneWay ?? []).map(({ path }) => path));
  });
  rig.save(note(0), "an edit that stays local\n");
  await rig.pass(10_000);
  for (const text of ["one\n", "two\n"]) {
    rig.app.edit(note(1), text);
    const { id, changeId } = rig.app.files().get(note(1))!;
    news.hint({ kind: "file", id, path: note(1), changeId: changeId as ChangeId, gone: false });
    await rig.pass(10_000);
    expect(rig.mirrored.texts().get(note(1))).toBe(text);
  }
  expect(named).toEqual([note(0)]);
});

/** More documents than one cycle downloads at the same time. */
const PATHS = Array.from({ length: 320 }, (_, n) => `n${n}.md`);
const BLIND = { start: async () => undefined, close: async () => undefined };

function cameTo({ disk: { user } }: Mirror): readonly string[] {
  return PATHS.filter((path) => user.exists(`${ROOT}/${path}`));
}

test("a stopped daemon begins no more steps, and the next daemon continues without a conflict", async () => {
  const rig = createRig(1);
  for (const path of PATHS) rig.app.create(path, `# ${path}\n\ntext\n`);
  const mirror = rig.mirror();
  const stopping = new AbortController();
  const progress: Progress = {
    report: (phase, done) => {
      if (phase === "apply" && done > 0) stopping.abort();
    },
  };
  const daemon = createDaemon({ ...mirror.world(), progress }, BLIND, { settings: SETTINGS });
  await daemon.run(stopping.signal);
  const before = cameTo(mirror);
  expect([before.length > 0, before.length < PATHS.length]).toEqual([true, true]);
  expect(daemon.status().lastReport).toMatchObject({ state: "attention", isStopped: true });
  for (const path of before) mirror.disk.user.write(`${ROOT}/${path}`, `# ${path}\n\nedited locally\n`);
  mirror.disk.advance(60_000);
  await startDaemon({ rig, mirror });
  expect([cameTo(mirror), mirror.state.load().conflicts.size]).toEqual([PATHS, 0]);
  const sent = PATHS.filter((path) => rig.app.text(path)!.includes("edited locally"));
  expect(sent).toEqual(before);
});

const LINES = Array.from({ length: 8 }, (_, line) => `line ${line} of the note\n\n`);
const COPIED = LINES.join("");

test.each([
  ["as it was", COPIED],
  ["with a line more", `${COPIED}a line more\n`],
])("I09 a copy that is made %s, and waited for, while its original is written is a new document", async (_, copy) => {
  const rig = createRig(1);
  const id = rig.app.create("note.md", COPIED);
  rig.app.create("other.md", "another document\n");
  const daemon = await startDaemon({ rig });
  daemon.save("copy.md", copy);
  const over = new AbortController();
  const asked = daemon.daemon.whenSynced(["copy.md"], over.signal);
  for (let n = 0; n < 20; n++) {
    daemon.save("note.md", COPIED.replace("line 3", `line 3, written ${n} times`));
    await daemon.pass(100);
  }
  await daemon.pass(20_000);
  over.abort();
  expect(await asked).toMatchObject({ paths: [{ path: "copy.md", state: "live" }] });
  expect(rig.app.id("note.md")).toBe(id);
  expect(rig.app.text("note.md")).toBe(daemon.mirrored.texts().get("note.md"));
  expect(rig.app.text("copy.md")).toBe(copy);
  expect(daemon.sent().filter((request) => /^(?:PATCH|DELETE) /.test(request))).toEqual([]);
  expect([...daemon.mirrored.texts().keys()]).toEqual(["copy.md", "note.md", "other.md"]);
});

test("I09 a file that was copied to another name and removed keeps its id", async () => {
  const rig = createRig(1);
  const id = rig.app.create("note.md", COPIED);
  rig.app.create("other.md", "another document\n");
  const daemon = await startDaemon({ rig });
  daemon.save("copy.md", COPIED);
  daemon.remove("note.md");
  await daemon.pass(20_000);
  expect([...rig.app.files()].map(([path, file]) => [path, file.id])).toContainEqual(["copy.md", id]);
  expect(rig.app.files().size).toBe(2);
  expect(daemon.sent().filter((request) => /^(?:POST|DELETE) /.test(request))).toEqual([]);
});

const NOTE = "# Note\n\na first line of some length\na second line of some length\n";
const NEW = "# New\n\nanother text altogether\n";

test("I09 a file that is moved, and written on while another gets its name, is the document", async () => {
  const made = createRig(1);
  const id = made.app.create("note.md", NOTE);
  made.app.create("other.md", "# Other\n");
  const rig = await startDaemon({ rig: made });
  let text = NOTE;
  for (let n = 0; n < 40; n++) {
    // Another file changes all the time, so that at some moment the daemon plans the settled
    // documents alone.
    rig.save("other.md", `# Other\n\n${n}\n`);
    if (n === 14) {
      rig.rename("note.md", "moved.md");
      rig.save("note.md", NEW);
    }
    if (n >= 14) {
      text += `${n}\n`;
      rig.save("moved.md", text);
    }
    await rig.pass(150);
  }
  await rig.pass(10_000);
  expect(rig.app.files().get("moved.md")).toMatchObject({ id, text });
  expect(rig.app.files().get("note.md")).toMatchObject({ text: NEW });
  expect(rig.daemon.status().lastReport!.attention).toEqual([]);
});

const OPTIONS = { settings: SETTINGS, retryRefused: false, kind: "watch" } as const;

async function look(mirror: Mirror): Promise<PlannedCycle> {
  const planned = await planOnly(mirror.world(), OPTIONS);
  if (planned.kind !== "planned") throw new Error("the service was offline");
  return planned;
}

/**
 * Returns the service's tree after a cycle, derived from the tree before it. Returns null if the
 * daemon must list the service again.
 */
function follow(mirror: Mirror, before: PlannedCycle, outcome: Outcome = { kind: "done" }): RemoteTree | null {
  const ends = before.plan.steps.map(() => ({ kind: "ran", outcome }) as const);
  return updateRemoteTree(mirror.world().state, { ...before, ends }, before.trees.remote);
}

async function synced(): Promise<{ readonly rig: ReturnType<typeof createRig>; readonly mirror: Mirror }> {
  const rig = createRig(1);
  for (const name of ["edited-locally", "edited", "deleted", "moved"]) rig.app.create(`${name}.md`, `# ${name}\n`);
  const mirror = rig.mirror();
  await mirror.sync();
  return { rig, mirror };
}

test("what a cycle did on the service is known without another list", async () => {
  const { rig, mirror } = await synced();
  mirror.write("edited-locally.md", "# Edited\n");
  mirror.write("new.md", "# New locally\n");
  mirror.remove("deleted.md");
  rig.app.edit("edited.md", "# Edited on the service\n");
  rig.app.create("created.md", "# New on the service\n");
  const before = await look(mirror);
  await syncToConvergence(mirror.world(), OPTIONS);
  const { plan, trees } = await look(mirror);
  expect(plan.steps).toEqual([]);
  expect(new Set(follow(mirror, before)!.files.values())).toEqual(new Set(trees.remote.files.values()));
});

test("after a move, and after a step that did not end well, the service is asked again", async () => {
  const { mirror } = await synced();
  mirror.write("edited-locally.md", "# Edited\n");
  const edited = await look(mirror);
  expect(follow(mirror, edited, { kind: "stale", detail: "" })).toBeNull();
  await syncToConvergence(mirror.world(), OPTIONS);
  mirror.rename("moved.md", "elsewhere.md");
  const moved = await look(mirror);
  await syncToConvergence(mirror.world(), OPTIONS);
  expect(follow(mirror, moved)).toBeNull();
});
