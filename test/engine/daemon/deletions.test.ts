import { describe, expect, test, it } from "vitest";
import { ROOT } from "../../simulator/mirror.ts";
import { note, withNotes, type DaemonRig, startDaemon } from "./rig.ts";
import { openFixture, problem, type SeenRequest, UNREADABLE_LIST } from "../../promises/fixture.ts";
import { createRig } from "../../simulator/rig.ts";

describe("a local deletion", () => {
  test("I04 is sent after 30 s, and shown as pending until then", async () => {
    const rig = await withNotes(20);
    rig.remove(note(3));
    await rig.pass(1_000);
    const pending = rig.daemon.status().pendingDeletions;
    expect(pending.map(({ path }) => path)).toEqual([note(3)]);
    expect(pending[0]!.dueAt - rig.clock.now()).toBeGreaterThan(28_000);
    expect(rig.events).toContainEqual(expect.objectContaining({ kind: "deletion-pending", path: note(3) }));
    await rig.pass(28_000);
    expect(rig.sent("DELETE")).toEqual([]);
    await rig.pass(2_000);
    expect(rig.sent("DELETE")).toHaveLength(1);
    expect(rig.app.files().has(note(3))).toBe(false);
    expect(rig.daemon.status().pendingDeletions).toEqual([]);
  });

  test("that is undone costs nothing", async () => {
    const rig = await withNotes(20);
    const before = rig.app.files();
    rig.remove(note(3));
    await rig.pass(20_000);
    rig.save(note(3), before.get(note(3))!.text);
    await rig.pass(60_000);
    expect([...rig.sent("DELETE"), ...rig.sent("POST"), ...rig.sent("PUT")]).toEqual([]);
    expect(rig.app.files()).toEqual(before);
    expect(rig.events).toContainEqual(expect.objectContaining({ kind: "deletion-called-off", path: note(3) }));
  });

  test("I09 followed by a creation of the same document is one edit, seconds apart", async () => {
    const rig = await withNotes(20);
    const { id, text } = rig.app.files().get(note(3))!;
    rig.remove(note(3));
    await rig.pass(5_000);
    rig.save(note(3), `${text}and more\n`);
    await rig.pass(1_000);
    expect(rig.writes()).toEqual([`PUT /v1/files/${id}/content`]);
  });

  test("whose file comes back in the very last moment is not sent", async () => {
    const rig = await withNotes(20);
    const text = rig.app.text(note(3))!;
    rig.remove(note(3));
    await rig.pass(29_000);
    // The file watcher does not report this file; the second scan finds it.
    rig.mirrored.disk.user.write(`${ROOT}/${note(3)}`, text);
    await rig.pass(10_000);
    expect(rig.sent("DELETE")).toEqual([]);
  });

  test("of a document in conflict is not reported as a deletion on the service: its content comes back", async () => {
    const rig = await withNotes(20);
    const text = rig.app.text(note(3))!;
    rig.app.edit(note(3), text.replace("its own", "their own"));
    rig.save(note(3), text.replace("its own", "my own"));
    await rig.until(() => rig.daemon.status().lastReport?.state === "attention");
    rig.remove(note(3));
    await rig.pass(40_000);
    const pending = rig.events.filter(({ kind }) => kind === "deletion-pending" || kind === "deletion-called-off");
    expect(pending).toMatchObject([{ kind: "deletion-pending", path: note(3), inConflict: true }]);
    expect(rig.sent("DELETE")).toEqual([]);
    expect(rig.mirrored.disk.user.read(`${ROOT}/${note(3)}`)).toContain("their own");
  });

  test("is not reported as cancelled by a cycle whose path was still unsettled", async () => {
    const rig = await withNotes(20);
    rig.remove(note(3));
    await rig.pass(1_000);
    rig.save(note(4), "# Note 4\n\nits own text, number four\n");
    await rig.pass(200);
    // An editor creates and removes a temporary file. So the path of note 3 is still unsettled when
    // note 4 is settled.
    rig.hint({ kind: "path", path: note(3) });
    await rig.until(() => rig.app.text(note(4))!.includes("number four"));
    await rig.pass(40_000);
    const pending = rig.events.filter(({ kind }) => kind === "deletion-pending" || kind === "deletion-called-off");
    expect(pending.map(({ kind }) => kind)).toEqual(["deletion-pending"]);
    expect(rig.sent("DELETE")).toHaveLength(1);
  });

  test("I06 of a document that is edited on the service meanwhile restores the file", async () => {
    const rig = await withNotes(20);
    rig.remove(note(3));
    await rig.pass(10_000);
    rig.app.edit(note(3), "# Note 3\n\nedited in the app\n");
    await rig.pass(60_000);
    expect(rig.mirrored.texts().get(note(3))).toBe("# Note 3\n\nedited in the app\n");
    expect(rig.sent("DELETE")).toEqual([]);
  });
});

describe("many local deletions", () => {
  test("I21 that arrive over a minute count together, and the stop stays", async () => {
    const rig = await withNotes(60);
    for (let n = 0; n < 30; n++) {
      rig.remove(note(n));
      await rig.pass(2_000);
    }
    await rig.pass(120_000);
    expect(rig.sent("DELETE")).toEqual([]);
    expect(rig.daemon.status().phase).toMatchObject({ kind: "stopped" });
    expect(rig.daemon.status().lastReport?.stopped).toHaveLength(30);
    const { hash } = rig.daemon.status().lastReport!.safetyStop!;
    await rig.pass(300_000);
    expect(rig.daemon.status().lastReport?.safetyStop?.hash).toBe(hash);
    expect(rig.events.filter((event) => event.kind === "change" && event.what === "safety-stop")).toHaveLength(1);
    expect(rig.app.files().size).toBe(60);
  });

  test("I21 both of two documents: the user is asked once the grace period is over; a single document is deleted without a question", async () => {
    const rig = await withNotes(2);
    rig.remove(note(0));
    await rig.pass(10_000);
    rig.remove(note(1));
    await rig.pass(90_000);
    expect(rig.daemon.status().lastReport?.safetyStop?.reasons).toMatchObject([{ reason: "local-emptied" }]);
    expect(rig.sent("DELETE")).toEqual([]);
    await rig.stop();
    const one = await withNotes(1);
    one.remove(note(0));
    await one.pass(90_000);
    expect(one.app.files().size).toBe(0);
  });

  test("I04 on the service, of the only document: the file goes if a folder is listed; otherwise the user is asked", async () => {
    const rig = await withNotes(1);
    rig.app.remove(note(0));
    await rig.pass(120_000);
    expect(rig.mirrored.texts().size).toBe(0);
    await rig.stop();
    const bare = await withNotes(1);
    bare.app.removeFolder("notes");
    await bare.pass(120_000);
    expect(bare.daemon.status().lastReport?.safetyStop?.reasons).toMatchObject([{ reason: "wrong-workspace" }]);
    expect(bare.mirrored.texts().size).toBe(1);
  });

  test("I04 and a whole folder removed: its documents go, then the folder", async () => {
    const rig = await withNotes(20);
    rig.app.create("old/a.md", "# A\n");
    rig.app.create("old/b.md", "# B\n");
    await rig.until(() => rig.mirrored.texts().has("old/b.md"));
    await rig.pass(1_000);
    rig.mirrored.remove("old");
    rig.hint({ kind: "folder", path: "old" });
    await rig.pass(29_000);
    expect(rig.app.folders()).toContain("old");
    await rig.pass(10_000);
    expect(rig.app.folders()).not.toContain("old");
    expect(rig.app.files().size).toBe(20);
  });

  test("of which one never stops coming are sent after five minutes all the same", async () => {
    const rig = await withNotes(200);
    for (let n = 0; n < 14; n++) {
      rig.remove(note(n));
      await rig.pass(25_000);
    }
    expect(rig.app.files().has(note(0))).toBe(false);
  });
});

describe("the folder goes away", () => {
  test("I04 its disk is unmounted: nothing is deleted, and the sync continues when it is mounted again", async () => {
    const rig = await withNotes(20);
    const cover = rig.mirrored.disk.user.mount(ROOT);
    rig.hint({ kind: "folder", path: "" });
    await rig.pass(600_000);
    expect(rig.daemon.status().phase.kind).toBe("stopped");
    cover();
    await rig.pass(10_000);
    expect(rig.daemon.status().phase).toEqual({ kind: "idle" });
    expect(rig.watched.starts).toBe(2);
    rig.save(note(1), "# Note 1\n\nedited after it was back\n");
    await rig.pass(1_000);
    expect(rig.app.text(note(1))).toBe("# Note 1\n\nedited after it was back\n");
    expect(rig.sent("DELETE")).toEqual([]);
    expect(rig.app.files().size).toBe(20);
  });

  test("without a hint the next poll finds it gone", async () => {
    const rig = await withNotes(20);
    rig.mirrored.disk.user.mount(ROOT);
    await rig.pass(40_000);
    expect(rig.daemon.status().phase.kind).toBe("stopped");
    expect(rig.sent("DELETE")).toEqual([]);
  });

  test("a deletion whose grace ran while the folder was missing waits again", async () => {
    const rig = await withNotes(20);
    rig.remove(note(1));
    await rig.pass(20_000);
    const cover = rig.mirrored.disk.user.mount(ROOT);
    rig.hint({ kind: "folder", path: "" });
    await rig.pass(60_000);
    cover();
    await rig.pass(20_000);
    expect(rig.sent("DELETE")).toEqual([]);
    await rig.pass(30_000);
    expect(rig.sent("DELETE")).toHaveLength(1);
  });
});

const pendingOf = (rig: DaemonRig) =>
  rig.events.flatMap((event) => (event.kind === "deletion-pending" ? [`${event.path} ${event.asks}`] : []));
const pending = (from: number, to: number, asks: boolean) =>
  Array.from({ length: to - from }, (_, n) => `${note(from + n)} ${asks}`);

test("I21 many local deletions that will stop the sync are announced so from the start, and no run says that nothing is open", async () => {
  const rig = await withNotes(60);
  for (let n = 0; n < 12; n++) rig.remove(note(n));
  await rig.pass(10_000);
  expect(pendingOf(rig).toSorted()).toEqual(pending(0, 12, true).toSorted());
  expect(rig.daemon.status().lastReport?.expectedStopReasons).toMatchObject([{ reason: "delete-budget-remote" }]);
  await rig.pass(60_000);
  expect(rig.daemon.status().phase.kind).toBe("stopped");
});

test("I21 many local deletions that become too many while they wait are announced again", async () => {
  const rig = await withNotes(60);
  for (let n = 0; n < 5; n++) rig.remove(note(n));
  await rig.pass(5_000);
  expect(pendingOf(rig).toSorted()).toEqual(pending(0, 5, false).toSorted());
  expect(rig.daemon.status().lastReport?.expectedStopReasons).toBeUndefined();
  rig.events.length = 0;
  for (let n = 5; n < 11; n++) rig.remove(note(n));
  await rig.pass(5_000);
  expect(pendingOf(rig).toSorted()).toEqual(pending(0, 11, true).toSorted());
});

it("I04 a file that is moved over a document waits with the deletion of that document, and needs no user", async () => {
  const rig = await withNotes(20);
  const id = rig.app.id(note(3))!;
  rig.rename(note(3), note(4));
  await rig.pass(5_000);
  expect(rig.daemon.status().pendingDeletions.map(({ path }) => path)).toEqual([note(4)]);
  const { attention } = rig.daemon.status().lastReport!;
  expect(attention.map(({ kind, waits }) => [kind, waits])).toEqual([
    ["path-pending", true],
    ["second-scan", true],
  ]);
  expect([...rig.sent("DELETE"), ...rig.sent("PATCH")]).toEqual([]);
  await rig.pass(30_000);
  expect(rig.daemon.status().lastReport?.state).toBe("in-sync");
  expect(rig.app.id(note(4))).toBe(id);
  expect(rig.app.files().has(note(3))).toBe(false);
});

it("I04 a chain of files that are moved over documents waits with the one deletion, and needs no user", async () => {
  const rig = await withNotes(20);
  const ids = [4, 5].map((number) => rig.app.id(note(number))!);
  rig.rename(note(4), note(3));
  rig.rename(note(5), note(4));
  await rig.pass(5_000);
  const { attention } = rig.daemon.status().lastReport!;
  expect(attention.map(({ kind, waits }) => [kind, waits])).toEqual([
    ["path-pending", true],
    ["second-scan", true],
    ["path-pending", true],
  ]);
  await rig.pass(30_000);
  expect(rig.daemon.status().lastReport?.state).toBe("in-sync");
  expect([3, 4].map((number) => rig.app.id(note(number)))).toEqual(ids);
});

/** Starts a daemon in sync, with its own key. One document is the only one in its folder. */
async function alone() {
  const service = createRig(17);
  service.app.create("f/note.md", "was\n");
  service.app.create("g/other.md", "other\n");
  const own = service.makeKey({ on: null, level: "full" });
  const mirror = service.mirror({ key: own.key });
  const rig = await startDaemon({ rig: service, mirror });
  await rig.until(() => mirror.texts().size === 2);
  await rig.pass(60_000);
  return { rig, mirror, service, own };
}

test("I06 an edit beats a deletion of a document that is alone in its folder", async () => {
  const { rig, mirror } = await alone();
  rig.app.remove("f/note.md");
  rig.save("f/note.md", "edited locally\n");
  await rig.until(() => rig.app.text("f/note.md") === "edited locally\n", 300_000);
  expect(mirror.texts().get("f/note.md")).toBe("edited locally\n");
  expect(mirror.state.blocks()).toEqual([]);
});

test("I19 a folder that is hidden since the last list of folders is not readable: its edited document is not sent as new", async () => {
  const { rig, mirror, service, own } = await alone();
  const other = [...mirror.state.load().dirs.values()].find(({ remotePath }) => remotePath === "g")!;
  service.grant(own.id, { on: other.id, level: "full" });
  rig.save("f/note.md", "edited locally\n");
  await rig.until(() => mirror.state.blocks().some(({ reason }) => reason === "gone-or-unreadable"), 300_000);
  service.grant(own.id, { on: null, level: "full" });
  await rig.until(() => rig.app.text("f/note.md") === "edited locally\n", 300_000);
  expect([rig.app.files().size, mirror.state.blocks()]).toEqual([2, []]);
});

/** Starts a daemon with a key that may only read. */
async function reading(...documents: readonly string[]): Promise<DaemonRig> {
  const rig = createRig(1);
  for (const path of ["other.md", ...documents]) rig.app.create(path, `${path}\n`);
  return startDaemon({ rig, mirror: rig.mirror({ key: rig.makeKey().key }) });
}

async function rename(rig: DaemonRig, from: string, to: string): Promise<void> {
  rig.rename(from, to);
  await rig.pass(30_000);
}

test("a new file that was refused, went elsewhere and came back is not sent again until it is asked for (I08)", async () => {
  const rig = await reading();
  rig.save("new.md", "new\n");
  await rig.pass(30_000);
  expect(rig.sent("POST")).toHaveLength(1);
  await rename(rig, "new.md", "elsewhere.md");
  expect(rig.sent("POST")).toHaveLength(1);
  await rename(rig, "elsewhere.md", "new.md");
  expect(rig.sent("POST")).toEqual([]);
  expect(rig.mirrored.state.blocks()).toEqual([expect.objectContaining({ path: "new.md", reason: "read-only" })]);
  // A manual sync runs instead of the daemon.
  await rig.stop();
  await rig.mirrored.sync();
  expect(rig.sent("POST")).toHaveLength(1);
});

test("a refused move into a folder is not sent again for another name in that folder (I08)", async () => {
  // Each target name is taken in the old folder, so mdmirror changes the folder first.
  const rig = await reading("box/todo.md", "box/x.md", "box/y.md", "home/plan.md");
  await rename(rig, "box/todo.md", "home/x.md");
  expect(rig.sent("PATCH")).toHaveLength(1);
  await rename(rig, "home/x.md", "home/y.md");
  expect(rig.sent("PATCH")).toEqual([]);
  expect(rig.mirrored.state.blocks()).toEqual([expect.objectContaining({ path: "home/y.md", reason: "read-only" })]);
  // A manual sync runs instead of the daemon.
  await rig.stop();
  await rig.mirrored.sync();
  expect(rig.sent("PATCH")).toHaveLength(1);
});

test.each([
  ["no whole listing came after it", 1],
  ["it was sent again after a whole listing of its run", 2],
])(
  "I08 a POST that was answered 404 is not sent again by a later run until a whole listing was looked at: %s",
  async (_, sent) => {
    const fixture = openFixture(17);
    fixture.rig.app.create("d/note.md", "was\n");
    const rig = await startDaemon({ rig: fixture.rig, mirror: fixture.mirror });
    await rig.until(() => fixture.mirror.texts().size === 1);
    const isPost = ({ method, path }: SeenRequest): boolean => method === "POST" && path === "/v1/files";
    const posts = (): number => fixture.seen.filter(isPost).length;
    fixture.fault = (request) => {
      if (posts() >= sent && request.path.startsWith("/v1/files?")) return UNREADABLE_LIST;
      return isPost(request) ? problem(404, "folder_not_found") : null;
    };
    rig.save("d/new.md", "new\n");
    await rig.until(() => posts() === sent);
    const runs = fixture.seen.length;
    for (const text of ["one", "two"]) {
      rig.save("d/note.md", `${text}\n`);
      await rig.pass(120_000);
    }
    expect(fixture.seen.length).toBeGreaterThan(runs + 2);
    expect(posts()).toBe(sent);
    fixture.fault = () => null;
    await rig.until(() => fixture.rig.app.text("d/new.md") === "new\n", 300_000);
    expect(posts()).toBe(sent + 1);
  },
);

test("a POST whose answer was lost is sent by a later run, although no list of the service is whole", async () => {
  const fixture = openFixture(17);
  fixture.rig.app.create("d/note.md", "was\n");
  const rig = await startDaemon({ rig: fixture.rig, mirror: fixture.mirror });
  await rig.until(() => fixture.mirror.texts().size === 1);
  let posts = 0;
  fixture.fault = ({ method, path }) => {
    if (path.startsWith("/v1/files?limit")) return UNREADABLE_LIST;
    return method === "POST" && posts++ === 0 ? problem(500, "internal_error") : null;
  };
  rig.save("d/new.md", "new\n");
  await rig.until(() => fixture.rig.app.text("d/new.md") === "new\n", 1_500_000);
  expect(posts).toBe(2);
});
