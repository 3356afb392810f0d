import { describe, expect, test } from "vitest";
import { ROOT } from "../simulator/mirror.ts";
import { type Fixture, isWrite, problem, openFixture, settle, openSynced } from "./fixture.ts";

const NAMES = ["edited", "removed", "renamed", "moved", "both", "gone", "same", "d/one", "d/two", "e/three"];

const inSync = () => openSynced(Object.fromEntries(NAMES.map((name) => [`${name}.md`, `# ${name}\n\nfirst\n`])));

const text = (name: string, side: string) => `# ${name}\n\n${side}\n`;

function changeLocally({ mirror }: Fixture): void {
  for (const name of ["edited", "both"]) mirror.write(`${name}.md`, text(name, "local"));
  mirror.write("new.md", text("new", "local"));
  mirror.write("fresh/new.md", text("fresh", "local"));
  mirror.remove("removed.md");
  mirror.rename("renamed.md", "other-name.md");
  mirror.rename("moved.md", "d/moved.md");
  mirror.rename("e", "f");
}

function changeRemotely({ rig: { app } }: Fixture): void {
  for (const name of ["both", "same"]) app.edit(`${name}.md`, text(name, "service"));
  app.create("new.md", text("new", "service"));
  app.create("there/new.md", text("there", "service"));
  app.remove("gone.md");
  app.rename("d/one.md", "uno.md");
  app.move("d/two.md", null);
  app.renameFolder("e", "g");
}

describe("one direction, always", () => {
  test("I03 a folder that only downloads sends nothing, keeps local edits, and takes the rest", async () => {
    const fixture = await inSync();
    const { rig, mirror, seen } = fixture;
    changeLocally(fixture);
    changeRemotely(fixture);
    const remote = rig.app.texts();
    const first = await mirror.sync({ direction: "pull" });
    await mirror.syncTimes(3, { direction: "pull" });
    expect(seen.filter(isWrite)).toEqual([]);
    expect(rig.app.texts()).toEqual(remote);
    const local = mirror.texts();
    for (const [path, name] of [
      ["edited.md", "edited"],
      ["both.md", "both"],
      ["new.md", "new"],
      ["fresh/new.md", "fresh"],
    ] as const)
      expect([path, local.get(path)]).toEqual([path, text(name, "local")]);
    expect(local.get("same.md")).toBe(text("same", "service"));
    expect(local.get("there/new.md")).toBe(text("there", "service"));
    expect(local.has("gone.md")).toBe(false);
    expect(local.get("new (theirs).md")).toBe(text("new", "service"));
    expect(first?.oneWay?.map(({ path }) => path)).toContain("edited.md");
    const again = await mirror.sync({ direction: "pull" });
    expect(again?.oneWay).toBeUndefined();
  });

  test("I03 a folder that only uploads changes no local file, and sends every change that conflicts with nothing", async () => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    changeLocally(fixture);
    changeRemotely(fixture);
    const local = mirror.texts();
    const folders = mirror.disk.user.folders(ROOT);
    const first = await mirror.sync({ direction: "push" });
    await mirror.syncTimes(3, { direction: "push" });
    expect(mirror.texts()).toEqual(local);
    expect(mirror.disk.user.folders(ROOT)).toEqual(folders);
    const remote = rig.app.texts();
    expect(remote.get("edited.md")).toBe(text("edited", "local"));
    expect(remote.get("fresh/new.md")).toBe(text("fresh", "local"));
    expect(remote.has("removed.md")).toBe(false);
    for (const name of ["both", "same", "new"]) expect(remote.get(`${name}.md`)).toBe(text(name, "service"));
    expect(first?.oneWay?.map(({ path }) => path)).toEqual(expect.arrayContaining(["both.md", "new.md", "same.md"]));
    expect((await mirror.sync({ direction: "push" }))?.oneWay).toBeUndefined();
  });

  test("I01 a folder that only uploads is not in sync while a part of it cannot be read", async () => {
    const { rig, mirror } = await inSync();
    rig.app.create("new/theirs.md", text("new", "service"));
    mirror.write("new/mine.md", text("new", "local"));
    const end = mirror.disk.fail({ call: "any", path: mirror.path("new"), code: "EACCES" });
    const hidden = await mirror.sync({ direction: "push" });
    expect(hidden?.state).toBe("attention");
    expect(hidden?.attention.map(({ kind, path }) => `${kind} ${path}`)).toEqual(["local-unreadable new"]);
    end();
    expect((await mirror.sync({ direction: "push" }))?.state).toBe("in-sync");
    expect(rig.app.texts().get("new/mine.md")).toBe(text("new", "local"));
  });

  test.each([
    ["a new document is edited on the service before it is read back", "fresh.md", "GET"],
    ["an edit is combined with another one on the service", "edited.md", "PUT"],
  ])("I03 a folder that only uploads changes no local file if %s", async (_, path, method) => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    const saved = "# title\n\nfirst\n\nlocal\n";
    mirror.write(path, saved);
    let isEdited = false;
    fixture.fault = (request) => {
      const file = rig.app.files().get(path);
      if (!isEdited && request.method === method && file !== undefined && request.path.includes(file.id)) {
        isEdited = true;
        rig.app.edit(path, `service\n\n${file.text}`);
      }
      return null;
    };
    await mirror.syncTimes(3, { direction: "push" });
    expect(isEdited).toBe(true);
    expect(mirror.texts().get(path)).toBe(saved);
    await settle(mirror);
    expect(mirror.texts().get(path)).toBe(`service\n\n${saved}`);
    expect(rig.app.texts().get(path)).toBe(`service\n\n${saved}`);
  });

  test("I03 a folder that only uploads keeps its local folders, if moves on both sides would close a circle", async () => {
    const { rig, mirror, seen } = await openSynced({ "a/one.md": "one\n", "b/two.md": "two\n" });
    mirror.rename("a", "b/a");
    rig.app.moveFolder("b", "a");
    const [local, remote] = [mirror.texts(), rig.app.texts()];
    for (let run = 0; run < 3; run++) await mirror.sync({ direction: "push" });
    expect([mirror.texts(), rig.app.texts()]).toEqual([local, remote]);
    expect(seen.filter(isWrite)).toEqual([]);
    const blocks = [...mirror.state.load().blocks.values()].map(({ path, reason }) => [path, reason]);
    expect(blocks).toEqual(expect.arrayContaining([["b/a", "direction-off"]]));
    await settle(mirror);
    expect([...mirror.texts()]).toEqual([...rig.app.texts()]);
  });

  test("I09 a document that was edited in a folder that only downloads keeps its id when an editor moves it", async () => {
    const { rig, mirror } = await inSync();
    const { id } = rig.app.files().get("edited.md")!;
    // Nothing but this content shows which document the later file is.
    const edited = "all lines are other ones\n";
    mirror.remove("edited.md");
    mirror.write("edited.md", edited);
    await mirror.sync({ direction: "pull" });
    mirror.remove("edited.md");
    mirror.write("elsewhere/saved.md", edited);
    await mirror.syncTimes(2, { direction: "pull" });
    await settle(mirror);
    expect(rig.app.files().get("elsewhere/saved.md")).toMatchObject({ id, text: edited });
    expect(rig.app.paths()).not.toContain("edited.md");
  });

  test("I02 a folder that only downloads keeps a deleted document that was edited in a moved folder", async () => {
    const { rig, mirror } = await openSynced({ "work/deep/edited.md": "first\n", "work/other.md": "other\n" });
    mirror.remove("work/deep/edited.md");
    mirror.write("work/deep/edited.md", "all lines are other ones\n");
    mirror.rename("work/deep", "deep");
    rig.app.remove("work/deep/edited.md");
    rig.app.removeFolder("work/deep");
    rig.app.create("work/deep/new.md", "new\n");
    expect(await mirror.sync({ direction: "pull" })).toMatchObject({ state: "in-sync" });
    const records = [...mirror.state.load().records.keys()];
    await mirror.sync({ direction: "pull" });
    expect([...mirror.state.load().records.keys()]).toEqual(records);
  });

  test("I02 a folder that only uploads sends each content once to a service that normalises it", async () => {
    const fixture = openFixture(1, { normalise: true });
    const { mirror, seen } = fixture;
    mirror.write("a.md", "text\r\n");
    await mirror.syncTimes(3, { direction: "push" });
    mirror.write("a.md", "other text\r\n");
    for (let run = 0; run < 3; run++)
      expect(await mirror.sync({ direction: "push" })).toMatchObject({ state: "in-sync", attention: [] });
    expect(mirror.texts().get("a.md")).toBe("other text\r\n");
    expect(seen.filter(isWrite).map(({ method }) => method)).toEqual(["POST", "PUT"]);
  });

  test("I08 a folder that only uploads does not restore a file whose deletion the service refuses", async () => {
    const fixture = await inSync();
    const { mirror } = fixture;
    fixture.fault = ({ method }) => (method === "DELETE" ? problem(403, "forbidden") : null);
    mirror.remove("removed.md");
    await mirror.syncTimes(3, { direction: "push" }, { retryRefused: false });
    expect(mirror.texts().has("removed.md")).toBe(false);
    expect(fixture.seen.filter(({ method }) => method === "DELETE")).toHaveLength(1);
    expect(mirror.state.blocks().map(({ path, reason }) => [path, reason])).toEqual([["removed.md", "delete-refused"]]);
  });

  test.each(["pull", "push"] as const)("I01 after %s alone, both directions converge", async (direction) => {
    const fixture = await inSync();
    const { rig, mirror } = fixture;
    changeLocally(fixture);
    changeRemotely(fixture);
    await mirror.syncTimes(2, { direction });
    await settle(mirror);
    const local = [...mirror.texts().values()].join();
    for (const name of ["edited", "both", "new", "fresh"]) expect(local).toContain(text(name, "local"));
    const remote = [...rig.app.texts().values()].join();
    for (const name of ["same", "there", "both", "new"]) expect(remote).toContain(text(name, "service"));
    expect(mirror.state.blocks().filter(({ reason }) => reason === "direction-off")).toEqual([]);
  });
});
