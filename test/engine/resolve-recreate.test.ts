import { describe, expect, test } from "vitest";
import { killAtEachCall } from "../simulator/kill-at-each-call.ts";
import { ROOT } from "../simulator/mirror.ts";
import type { Variant } from "../variants/variant.ts";
import { here, blocksOf, remoteTexts, resolve, start } from "./resolving.ts";
import { settle } from "../promises/fixture.ts";

async function toRoot(variant: Variant = {}) {
  const made = await start({ "f/note.md": "the note\n", "f/k.md": "k\n" }, { noMoveToRoot: true, ...variant });
  made.mirror.disk.user.rename(`${ROOT}/f/note.md`, `${ROOT}/note.md`);
  await made.sync();
  await made.sync();
  expect(blocksOf(made.mirror)).toEqual(["no-move-to-root"]);
  return made;
}

describe("a move to the root that the service cannot do", () => {
  test("--recreate makes a new document on the service and deletes the old one", async () => {
    const { rig, mirror, sync } = await toRoot();
    const id = rig.app.files().get("f/note.md")!.id;
    expect(await resolve(mirror, "note.md", "recreate")).toMatchObject({ kind: "ok" });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "f/k.md": "k\n", "note.md": "the note\n" });
    expect(here(mirror)).toEqual(remoteTexts(rig));
    expect(rig.app.files().get("note.md")!.id).not.toBe(id);
  });

  test.each(["note.md", "f/note.md"])(
    "--recreate accepts %s as its name; the block has the current one",
    async (name) => {
      const { rig, mirror, sync } = await toRoot();
      expect([...mirror.state.load().blocks.values()].map(({ path }) => path)).toEqual(["note.md"]);
      expect(await resolve(mirror, name, "recreate")).toMatchObject({ kind: "ok" });
      expect(await sync()).toMatchObject({ state: "in-sync" });
      expect(remoteTexts(rig)).toEqual({ "f/k.md": "k\n", "note.md": "the note\n" });
    },
  );

  test.each(["other.md", "f/note.md", "f/other.md"])(
    "I03 --recreate %s with another document at the old path: each text stays, and only the moved one is made anew",
    async (name) => {
      const { rig, mirror, sync } = await start({ "f/note.md": "the note\n", "f/k.md": "k\n" }, { noMoveToRoot: true });
      const ids = new Map([...rig.app.files().values()].map(({ path, id }) => [path, id]));
      mirror.disk.user.rename(`${ROOT}/f/note.md`, `${ROOT}/other.md`);
      await sync();
      mirror.write("f/note.md", "another text\n");
      await sync();
      await sync();
      const before = rig.app.files();
      const done = await resolve(mirror, name, "recreate");
      expect(done).toMatchObject({
        kind: "ok",
        value: [expect.stringContaining(`(${ids.get("f/note.md")}, f/other.md) is deleted`)],
      });
      expect(rig.app.files().get("f/note.md")).toEqual(before.get("f/note.md"));
      expect(await sync()).toMatchObject({ state: "in-sync" });
      expect(remoteTexts(rig)).toEqual({ "f/k.md": "k\n", "f/note.md": "another text\n", "other.md": "the note\n" });
      expect(here(mirror)).toEqual(remoteTexts(rig));
    },
  );

  test("I04 --recreate deletes nothing where the new document could not be made", async () => {
    const refused = { status: 403, code: "forbidden", title: "", type: "x:y", detail: "not here" };
    const { rig, mirror } = await toRoot({
      fault: ({ method, path, body }) =>
        method === "POST" && path === "/v1/files" && body?.includes("the note")
          ? { status: 403, headers: { "content-type": "application/problem+json" }, body: JSON.stringify(refused) }
          : null,
    });
    const before = rig.app.files();
    expect(await resolve(mirror, "note.md", "recreate")).toMatchObject({ kind: "trouble" });
    expect(rig.app.files()).toEqual(before);
    expect(mirror.state.load().links.size).toBe(2);
  });

  test("I04 --recreate deletes nothing where the new document has another text by the time that it is read", async () => {
    let edit = (): void => undefined;
    const { rig, mirror } = await toRoot({
      fault: ({ method, path }) => {
        if (method === "GET" && path.startsWith("/v1/files/doc_")) edit();
        return null;
      },
    });
    const { id } = rig.app.files().get("f/note.md")!;
    edit = () => {
      if (!rig.app.files().has("note.md")) return;
      edit = () => undefined;
      rig.app.edit("note.md", "edited at once\n");
    };
    const done = await resolve(mirror, "note.md", "recreate");
    expect(done).toMatchObject({ kind: "ok", value: [expect.stringContaining(`(${id}) stays at f/note.md`)] });
    expect(rig.app.files().get("f/note.md")?.id).toBe(id);
  });

  test("I09 a folder is moved to the root too: as a new folder, into which its documents move with their ids", async () => {
    const files = { "f/sub/a.md": "a\n", "f/sub/deep/b.md": "b\n", "f/k.md": "k\n" };
    const { rig, mirror, sync } = await start(files, { noMoveToRoot: true });
    const ids = [...rig.app.files().values()].map(({ id }) => id).sort();
    mirror.disk.user.rename(`${ROOT}/f/sub`, `${ROOT}/sub`);
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "sub/a.md": "a\n", "sub/deep/b.md": "b\n", "f/k.md": "k\n" });
    expect(here(mirror)).toEqual(remoteTexts(rig));
    expect([...rig.app.files().values()].map(({ id }) => id).sort()).toEqual(ids);
    expect(rig.app.folders()).toEqual(["f", "sub", "sub/deep"]);
    mirror.requests.length = 0;
    await sync();
    expect(mirror.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
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
        const paths = [...mirror.state.load().links.values()].map(({ localPath }) => localPath);
        expect(new Set(paths).size, `killed at ${call}`).toBe(paths.length);
        expect(here(mirror)["note.md"], `killed at ${call}`).toBe("the note\n");
        expect(Object.values(remoteTexts(rig)), `killed at ${call}`).toContain("the note\n");
      },
    });
    expect(calls).toBeGreaterThan(10);
  });
});
