import { expect, test } from "vitest";
import { openFixture, problem, type Seen } from "../../promises/fixture.ts";
import { createRig } from "../../simulator/rig.ts";
import { startDaemon, type DaemonRig } from "./rig.ts";

/** Starts a daemon with a key of its own, in sync, with a document that is alone in its folder. */
async function alone() {
  const service = createRig(17);
  service.app.create("f/note.md", "was\n");
  service.app.create("g/other.md", "other\n");
  const own = service.makeKey({ on: null, level: "full" });
  const mirror = service.mirror({ key: own.key });
  const rig = await startDaemon({ rig: service, mirror });
  await rig.until(() => mirror.texts().size === 2);
  await rig.pass(60_000);
  return { rig, mirror, own };
}

test("I06 an edit beats a deletion of a document that is alone in its folder", async () => {
  const { rig, mirror } = await alone();
  rig.app.remove("f/note.md");
  rig.save("f/note.md", "edited locally\n");
  await rig.until(() => rig.app.files().get("f/note.md")?.text === "edited locally\n", 300_000);
  expect(mirror.texts().get("f/note.md")).toBe("edited locally\n");
  expect(mirror.state.blocks()).toEqual([]);
});

test("I19 a folder that is hidden since the last list of folders is not readable: its edited document is not sent as new", async () => {
  const { rig, mirror, own } = await alone();
  const other = [...mirror.state.load().dirs.values()].find(({ remotePath }) => remotePath === "g")!;
  rig.service.admin.setGrants(own.id, [{ on: other.id, level: "full" }]);
  rig.save("f/note.md", "edited locally\n");
  await rig.until(() => mirror.state.blocks().some(({ reason }) => reason === "gone-or-unreadable"), 300_000);
  rig.service.admin.setGrants(own.id, [{ on: null, level: "full" }]);
  await rig.until(() => rig.app.files().get("f/note.md")?.text === "edited locally\n", 300_000);
  expect([rig.app.files().size, mirror.state.blocks()]).toEqual([2, []]);
});

/** A daemon under a key that may only read. */
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
  await rig.daemon.request("sync");
  expect(rig.sent("POST")).toHaveLength(1);
});

test("a refused move into a folder is not sent again for another name in that folder (I08)", async () => {
  // Each name is taken in the old folder, so that the folder is changed first.
  const rig = await reading("box/todo.md", "box/x.md", "box/y.md", "home/plan.md");
  await rename(rig, "box/todo.md", "home/x.md");
  expect(rig.sent("PATCH")).toHaveLength(1);
  await rename(rig, "home/x.md", "home/y.md");
  expect(rig.sent("PATCH")).toEqual([]);
  expect(rig.mirrored.state.blocks()).toEqual([expect.objectContaining({ path: "home/y.md", reason: "read-only" })]);
  await rig.daemon.request("sync");
  expect(rig.sent("PATCH")).toHaveLength(1);
});

test("a POST that was answered 404 is not sent again by a later run until a whole listing was looked at (I08)", async () => {
  const fixture = openFixture(17);
  fixture.rig.app.create("d/note.md", "was\n");
  const rig = await startDaemon({ rig: fixture.rig, mirror: fixture.mirror });
  await rig.until(() => fixture.mirror.texts().size === 1);
  const isPost = ({ method, path }: Seen): boolean => method === "POST" && path === "/v1/files";
  const posts = (): number => fixture.seen.filter(isPost).length;
  fixture.fault = (request) => {
    // A list of which nothing is understood.
    if (posts() > 0 && request.path.startsWith("/v1/files?")) return misread();
    return isPost(request) ? problem(404, "folder_not_found") : null;
  };
  rig.save("d/new.md", "new\n");
  await rig.until(() => posts() > 0);
  const runs = fixture.seen.length;
  for (const text of ["one", "two"]) {
    rig.save("d/note.md", `${text}\n`);
    await rig.pass(120_000);
  }
  expect(fixture.seen.length).toBeGreaterThan(runs + 2);
  expect(posts()).toBe(1);
  fixture.fault = () => null;
  await rig.until(() => fixture.rig.app.files().get("d/new.md")?.text === "new\n", 300_000);
  expect(posts()).toBe(2);
});

test("a POST whose answer was lost is sent by a later run, although no list of the service is whole", async () => {
  const fixture = openFixture(17);
  fixture.rig.app.create("d/note.md", "was\n");
  const rig = await startDaemon({ rig: fixture.rig, mirror: fixture.mirror });
  await rig.until(() => fixture.mirror.texts().size === 1);
  let posts = 0;
  fixture.fault = ({ method, path }) => {
    if (path.startsWith("/v1/files?limit")) return misread();
    return method === "POST" && posts++ === 0 ? problem(500, "internal_error") : null;
  };
  rig.save("d/new.md", "new\n");
  await rig.until(() => fixture.rig.app.files().get("d/new.md")?.text === "new\n", 1_500_000);
  expect(posts).toBe(2);
});

function misread(): ReturnType<typeof problem> {
  const body = { object: "list", data: [{ id: "doc_odd" }], hasMore: false, nextCursor: null };
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
