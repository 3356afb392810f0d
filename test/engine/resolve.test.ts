import { unwrap } from "../../src/common/trouble.ts";
import { describe, expect, test } from "vitest";
import type { Resolution } from "../../src/mirror/operations/manual/resolve.ts";
import { findProblem } from "../../src/mirror/operations/manual/problem.ts";
import type { Remote } from "../../src/mirror/ports/remote.ts";
import { killAtEachCall } from "../simulator/moment.ts";
import { withCalls } from "../simulator/mirror.ts";
import { blocksOf, expectKept, localTexts, remoteTexts, resolve, resolveProblem } from "./resolution.ts";
import { openConflicts, openSynced, problem, settle } from "../promises/fixture.ts";

const BASE = "# Plan\n\none\ntwo\nthree\n";
const MINE = "# Plan\n\none\nmine\nthree\n";
const THEIRS = "# Plan\n\none\ntheirs\nthree\n";
const MERGED = "# Plan\n\none\nmine and theirs\nthree\n";

const inConflict = () => openConflicts({ "plan.md": [BASE, MINE, THEIRS] });

type WayCase = { readonly way: Resolution; readonly both: string; readonly trash: readonly string[] };

const WAYS: readonly WayCase[] = [
  { way: { kind: "mine" }, both: MINE, trash: [THEIRS] },
  { way: { kind: "theirs" }, both: THEIRS, trash: [MINE, THEIRS] },
  { way: { kind: "merged", text: MERGED }, both: MERGED, trash: [MINE, THEIRS] },
];

describe("resolving a conflict", () => {
  for (const { way, both, trash } of WAYS) {
    test(`--${way.kind}: both sides have it, and each replaced version is a file in the trash (I03)`, async () => {
      const { rig, mirror } = await inConflict();
      const id = rig.app.id("plan.md")!;
      expect((await resolve(mirror, "plan.md", way)).kind).toBe("ok");
      expect(mirror.trash()).toEqual([...trash].sort());
      const report = await mirror.sync();
      expect(report).toMatchObject({ state: "in-sync", attention: [] });
      expect(mirror.texts()).toEqual(new Map([["plan.md", both]]));
      expect(rig.app.files().get("plan.md")).toMatchObject({ id, text: both });
      expectKept(rig, mirror, BASE, MINE, THEIRS, both);
      expect(mirror.state.conflict(id)).toBeNull();
    });

    test(`I13 --${way.kind}: killed at any call, then synced, no text is lost and nothing is half done`, async () => {
      const calls = await killAtEachCall(await inConflict(), {
        work: ({ mirror }) => resolve(mirror, "plan.md", way),
        async judge({ rig, mirror }, call, lived) {
          await settle(mirror);
          const local = mirror.texts().get("plan.md");
          // A kill before the decision leaves the conflict; a later kill leaves the decision.
          expect(lived ? [both] : [MINE, both, THEIRS], `killed at ${call}`).toContain(local);
          if (mirror.state.load().conflicts.size === 0) expect(rig.app.text("plan.md")).toBe(local);
          else expect(mirror.texts().has("plan (theirs).md")).toBe(true);
          expectKept(rig, mirror, BASE, MINE, THEIRS);
        },
      });
      expect(calls).toBeGreaterThan(5);
    });
  }

  test("--theirs takes the live version of this moment, not the one shown, and keeps an edited (theirs) file", async () => {
    const { rig, mirror } = await inConflict();
    rig.app.edit("plan.md", "# Plan\n\none\nnewest\nthree\n");
    mirror.write("plan (theirs).md", "an edited copy\n");
    expect((await resolve(mirror, "plan.md", "theirs")).kind).toBe("ok");
    await mirror.sync();
    expect(mirror.texts()).toEqual(new Map([["plan.md", "# Plan\n\none\nnewest\nthree\n"]]));
    expect(mirror.trash()).toEqual([MINE, "an edited copy\n"].sort());
  });

  test("--mine after the service moved on merges with what was never shown, or is a conflict again", async () => {
    const { rig, mirror } = await inConflict();
    rig.app.edit("plan.md", `${THEIRS}a line at the end\n`);
    expect((await resolve(mirror, "plan.md", "mine")).kind).toBe("ok");
    await mirror.sync();
    expect(mirror.texts()).toEqual(new Map([["plan.md", `${MINE}a line at the end\n`]]));
  });

  test("a save between the scan and the replacement survives (I14)", async () => {
    const { rig, mirror } = await inConflict();
    const world = mirror.world();
    const subject = unwrap(findProblem(world, "plan.md"));
    const getFile: Remote["getFile"] = async (id) => {
      const answer = await world.remote.getFile(id);
      mirror.write("plan.md", "saved meanwhile\n");
      return answer;
    };
    const slow = { ...world, remote: withCalls(world.remote, { getFile }) };
    await resolveProblem(slow, subject, { kind: "theirs" }, { force: false });
    await mirror.sync();
    expectKept(rig, mirror, "saved meanwhile\n", MINE, THEIRS);
  });

  test("the (theirs) file names the conflict too; a path with nothing open is refused", async () => {
    const { mirror } = await inConflict();
    expect((await resolve(mirror, "plan (theirs).md", "mine")).kind).toBe("ok");
    expect(await resolve(mirror, "plan.md", "mine")).toMatchObject({ kind: "trouble", trouble: { kind: "usage" } });
    expect(await resolve(mirror, "nowhere.md", "mine")).toMatchObject({ kind: "trouble" });
  });

  test("--theirs records that the document is protected by now", async () => {
    const { rig, mirror } = await inConflict();
    rig.app.protect("plan.md", true);
    expect((await resolve(mirror, "plan.md", "theirs")).kind).toBe("ok");
    expect(mirror.state.record(rig.app.id("plan.md")!)?.protected).toBe(true);
  });

  test("--mine keeps a file that is no text", async () => {
    const { mirror } = await inConflict();
    mirror.disk.user.write(mirror.path("plan.md"), Uint8Array.of(0xff, 0xfe, 0x0a));
    expect((await resolve(mirror, "plan.md", "mine")).kind).toBe("ok");
    expect(mirror.state.load().conflicts.size).toBe(0);
    expect(mirror.trash()).toEqual([THEIRS]);
    expect([...mirror.disk.readFile(mirror.path("plan.md")).bytes]).toEqual([0xff, 0xfe, 0x0a]);
  });

  test("--mine creates no file for one that is gone", async () => {
    const { mirror } = await inConflict();
    mirror.remove("plan.md");
    expect(await resolve(mirror, "plan.md", "mine")).toMatchObject({ kind: "trouble", trouble: { kind: "fault" } });
    expect([...mirror.texts().keys()]).toEqual(["plan (theirs).md"]);
    expect(mirror.state.load().conflicts.size).toBe(1);
  });

  test("markers are refused; with force they are taken and sent", async () => {
    const marked = "<<<<<<< mine\na\n=======\nb\n>>>>>>> theirs\n";
    const { rig, mirror } = await inConflict();
    expect(await resolve(mirror, "plan.md", { kind: "merged", text: marked })).toMatchObject({ kind: "trouble" });
    expect(mirror.texts().get("plan.md")).toBe(MINE);
    const world = mirror.world();
    const subject = unwrap(findProblem(world, "plan.md"));
    const forced = await resolveProblem(world, subject, { kind: "merged", text: marked }, { force: true });
    expect(forced.kind).toBe("ok");
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
    expect(rig.app.text("plan.md")).toBe(marked);
    expectKept(rig, mirror, MINE, THEIRS);
  });
});

async function toRoot() {
  const made = await openSynced({ "f/note.md": "the note\n", "f/k.md": "k\n" }, {}, { noMoveToRoot: true });
  made.mirror.rename("f/note.md", "note.md");
  await made.mirror.sync();
  await made.mirror.sync();
  expect(blocksOf(made.mirror)).toEqual(["no-move-to-root"]);
  return made;
}

describe("a move to the root that the service cannot do", () => {
  test("--recreate makes a new document on the service and deletes the old one", async () => {
    const { rig, mirror } = await toRoot();
    const id = rig.app.id("f/note.md")!;
    expect(await resolve(mirror, "note.md", "recreate")).toMatchObject({ kind: "ok" });
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "f/k.md": "k\n", "note.md": "the note\n" });
    expect(localTexts(mirror)).toEqual(remoteTexts(rig));
    expect(rig.app.id("note.md")).not.toBe(id);
  });

  test.each(["note.md", "f/note.md"])("--recreate accepts %s; the block has the current name", async (name) => {
    const { rig, mirror } = await toRoot();
    expect([...mirror.state.load().blocks.values()].map(({ path }) => path)).toEqual(["note.md"]);
    expect(await resolve(mirror, name, "recreate")).toMatchObject({ kind: "ok" });
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "f/k.md": "k\n", "note.md": "the note\n" });
  });

  test.each(["other.md", "f/note.md", "f/other.md"])(
    "I03 --recreate %s with another document at the old path: each text stays, and only the moved one is created again",
    async (name) => {
      const { rig, mirror } = await openSynced(
        { "f/note.md": "the note\n", "f/k.md": "k\n" },
        {},
        { noMoveToRoot: true },
      );
      const ids = rig.app.ids();
      mirror.rename("f/note.md", "other.md");
      await mirror.sync();
      mirror.write("f/note.md", "another text\n");
      await mirror.sync();
      await mirror.sync();
      const before = rig.app.files();
      const done = await resolve(mirror, name, "recreate");
      expect(done).toMatchObject({
        kind: "ok",
        value: [expect.stringContaining(`(${ids.get("f/note.md")}, f/other.md) is deleted`)],
      });
      expect(rig.app.files().get("f/note.md")).toEqual(before.get("f/note.md"));
      expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
      expect(remoteTexts(rig)).toEqual({ "f/k.md": "k\n", "f/note.md": "another text\n", "other.md": "the note\n" });
      expect(localTexts(mirror)).toEqual(remoteTexts(rig));
    },
  );

  test("I04 --recreate deletes nothing where the new document could not be made", async () => {
    const fixture = await toRoot();
    const { rig, mirror } = fixture;
    fixture.fault = ({ method, path, body }) =>
      method === "POST" && path === "/v1/files" && body?.["content"] === "the note\n"
        ? problem(403, "forbidden")
        : null;
    const before = rig.app.files();
    expect(await resolve(mirror, "note.md", "recreate")).toMatchObject({ kind: "trouble" });
    expect(rig.app.files()).toEqual(before);
    expect(mirror.state.load().records.size).toBe(2);
  });

  test("I04 --recreate deletes nothing where the new document has another text by the time that it is read", async () => {
    const fixture = await toRoot();
    const { rig, mirror } = fixture;
    const id = rig.app.id("f/note.md")!;
    fixture.onRequest = ({ method, path }) => {
      if (method !== "GET" || !path.startsWith("/v1/files/doc_") || rig.app.id("note.md") === undefined) return;
      fixture.onRequest = () => undefined;
      rig.app.edit("note.md", "edited immediately\n");
    };
    const done = await resolve(mirror, "note.md", "recreate");
    expect(done).toMatchObject({ kind: "ok", value: [expect.stringContaining(`(${id}) stays at f/note.md`)] });
    expect(rig.app.id("f/note.md")).toBe(id);
  });

  test("I09 a folder is moved to the root too: as a new folder, into which its documents move with their ids", async () => {
    const files = { "f/sub/a.md": "a\n", "f/sub/deep/b.md": "b\n", "f/k.md": "k\n" };
    const { rig, mirror } = await openSynced(files, {}, { noMoveToRoot: true });
    const ids = [...rig.app.files().values()].map(({ id }) => id).sort();
    mirror.rename("f/sub", "sub");
    expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "sub/a.md": "a\n", "sub/deep/b.md": "b\n", "f/k.md": "k\n" });
    expect(localTexts(mirror)).toEqual(remoteTexts(rig));
    expect([...rig.app.files().values()].map(({ id }) => id).sort()).toEqual(ids);
    expect(rig.app.folders()).toEqual(["f", "sub", "sub/deep"]);
    mirror.requests.length = 0;
    await mirror.sync();
    expect(mirror.writes()).toEqual([]);
  });

  test("--recreate does nothing when the document was edited on the service", async () => {
    const { rig, mirror } = await toRoot();
    rig.app.edit("f/note.md", "edited there\n");
    expect(await resolve(mirror, "note.md", "recreate")).toMatchObject({ kind: "trouble" });
    expect(remoteTexts(rig)).toEqual({ "f/k.md": "k\n", "f/note.md": "edited there\n" });
  });

  test("I13 --recreate killed at any call: the text is on both sides afterwards, and no file has two ids (I11)", async () => {
    const calls = await killAtEachCall(await toRoot(), {
      open: (beginning) => beginning.open({ noMoveToRoot: true }),
      work: ({ mirror }) => resolve(mirror, "note.md", "recreate"),
      async judge({ rig, mirror }, call) {
        await settle(mirror);
        const paths = [...mirror.state.load().records.values()].map(({ localPath }) => localPath);
        expect(new Set(paths).size, `killed at ${call}`).toBe(paths.length);
        expect(localTexts(mirror)["note.md"], `killed at ${call}`).toBe("the note\n");
        expect(Object.values(remoteTexts(rig)), `killed at ${call}`).toContain("the note\n");
      },
    });
    expect(calls).toBeGreaterThan(10);
  });
});
