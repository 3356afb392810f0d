import { describe, expect, test } from "vitest";
import { findSubject, resolveSubject, type Way } from "../../src/app/by-hand/resolve.ts";
import { digestOf } from "../../src/model/digest.ts";
import type { RunReport } from "../../src/engine/run/report.ts";
import { createRig, Killed, type Mirror, type MirrorOptions, type Rig, ROOT } from "../simulator/rig.ts";
import type { Variant } from "../variants/variant.ts";

async function resolve(mirror: Mirror, path: string, way: Way["kind"]) {
  const world = mirror.world();
  const subject = findSubject(world, path);
  if (subject.kind === "trouble") return subject;
  return resolveSubject(world, subject.value, { kind: way } as Way, { force: false });
}

function holdsOf(mirror: Mirror): string[] {
  return [...mirror.state.load().holds.values()].map(({ reason }) => reason).sort();
}

function remoteTexts(rig: Rig): Record<string, string> {
  return Object.fromEntries([...rig.app.files().values()].map(({ path, text }) => [path, text]));
}

function here(mirror: Mirror): Record<string, string> {
  return Object.fromEntries(mirror.texts());
}

function trashOf(mirror: Mirror): string[] {
  const files = mirror.disk.user.texts(`${ROOT}/.mdmirror`, true);
  return [...files].filter(([path]) => path.startsWith("trash/")).map(([, text]) => text);
}

async function start(
  files: Readonly<Record<string, string>>,
  variant: Variant = {},
  options: MirrorOptions = {},
): Promise<{ rig: Rig; mirror: Mirror; sync: () => Promise<RunReport> }> {
  const rig = createRig(7, variant);
  for (const [path, text] of Object.entries(files)) rig.app.create(path, text);
  const mirror = rig.mirror(options);
  const sync = async () => (await mirror.sync())!;
  await sync();
  return { rig, mirror, sync };
}

describe("a document renamed out of the mirror", () => {
  async function renamed() {
    const made = await start({ "note.md": "the note\n", "k.md": "k\n" });
    made.mirror.disk.user.rename(`${ROOT}/note.md`, `${ROOT}/note.txt`);
    await made.sync();
    expect(holdsOf(made.mirror)).toEqual(["renamed-out-of-mirror"]);
    return made;
  }

  test("--delete deletes it on the service and leaves the renamed file alone", async () => {
    const { rig, mirror, sync } = await renamed();
    expect(await resolve(mirror, "note.md", "delete")).toMatchObject({ kind: "ok" });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "k.md": "k\n" });
    expect(here(mirror)).toEqual({ "k.md": "k\n", "note.txt": "the note\n" });
    expect(mirror.state.hasText(digestOf("the note\n"))).toBe(true);
  });

  test("--delete is refused when it was edited on the service meanwhile (I06)", async () => {
    const { rig, mirror, sync } = await renamed();
    rig.app.edit("note.md", "edited there\n");
    expect(await resolve(mirror, "note.md", "delete")).toMatchObject({ kind: "trouble" });
    await sync();
    expect(remoteTexts(rig)).toEqual({ "k.md": "k\n", "note.md": "edited there\n" });
  });

  test("--keep brings it back under its old name, with its id; by the new name too", async () => {
    const { rig, mirror, sync } = await renamed();
    const id = rig.app.files().get("note.md")!.id;
    expect(await resolve(mirror, "note.txt", "keep")).toMatchObject({ kind: "ok" });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(here(mirror)).toEqual({ "k.md": "k\n", "note.md": "the note\n", "note.txt": "the note\n" });
    expect(rig.app.files().get("note.md")!.id).toBe(id);
  });
});

describe("an edit of a document that is gone or no longer readable", () => {
  async function gone() {
    const made = await start({ "f/note.md": "was\n", "k.md": "k\n" });
    made.mirror.write("f/note.md", "edited here\n");
    made.rig.app.removeFolder("f");
    await made.sync();
    expect(holdsOf(made.mirror)).toEqual(["gone-or-unreadable"]);
    return made;
  }

  test("--keep sends it as a new document, and says so", async () => {
    const { rig, mirror, sync } = await gone();
    const done = await resolve(mirror, "f/note.md", "keep");
    expect(done).toMatchObject({ kind: "ok", value: [expect.stringContaining("new document")] });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "f/note.md": "edited here\n", "k.md": "k\n" });
    expect(here(mirror)).toEqual(remoteTexts(rig));
  });

  test("--delete puts it into the trash", async () => {
    const { rig, mirror, sync } = await gone();
    expect(await resolve(mirror, "f/note.md", "delete")).toMatchObject({ kind: "ok" });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "k.md": "k\n" });
    expect(here(mirror)).toEqual({ "k.md": "k\n" });
    expect(trashOf(mirror)).toContain("edited here\n");
  });

  test("--mine is no way to end it: nothing is done, and the ways are named", async () => {
    const { mirror } = await gone();
    const refused = await resolve(mirror, "f/note.md", "mine");
    expect(refused).toMatchObject({ kind: "trouble", trouble: { kind: "usage", next: "choose --keep or --delete" } });
    expect(here(mirror)["f/note.md"]).toBe("edited here\n");
  });
});

describe("a conflict over a document that is gone or no longer readable", () => {
  async function gone() {
    const made = await start({ "f/note.md": "was\n", "k.md": "k\n" });
    made.mirror.write("f/note.md", "edited here\n");
    made.rig.app.edit("f/note.md", "edited there\n");
    await made.sync();
    expect(holdsOf(made.mirror)).toEqual(["conflict"]);
    made.rig.app.removeFolder("f");
    await made.sync();
    expect(holdsOf(made.mirror)).toEqual(["gone-or-unreadable"]);
    expect(here(made.mirror)["f/note (theirs).md"]).toBe("edited there\n");
    return made;
  }

  test("--mine is no way to end it: the document is not there to take it", async () => {
    const { mirror } = await gone();
    const refused = await resolve(mirror, "f/note.md", "mine");
    expect(refused).toMatchObject({ kind: "trouble", trouble: { kind: "usage", next: "choose --keep or --delete" } });
    expect(here(mirror)["f/note (theirs).md"]).toBe("edited there\n");
  });

  test("--keep sends yours as a new document; theirs is in the trash, and no conflict is left", async () => {
    const { rig, mirror, sync } = await gone();
    expect(await resolve(mirror, "f/note.md", "keep")).toMatchObject({ kind: "ok" });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "f/note.md": "edited here\n", "k.md": "k\n" });
    expect(here(mirror)).toEqual(remoteTexts(rig));
    expect(trashOf(mirror)).toContain("edited there\n");
    expect(mirror.state.load().conflicts.size).toBe(0);
  });

  test("--delete puts both into the trash", async () => {
    const { rig, mirror, sync } = await gone();
    expect(await resolve(mirror, "f/note.md", "delete")).toMatchObject({ kind: "ok" });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "k.md": "k\n" });
    expect(here(mirror)).toEqual({ "k.md": "k\n" });
    expect(trashOf(mirror)).toEqual(expect.arrayContaining(["edited here\n", "edited there\n"]));
    expect(mirror.state.load().conflicts.size).toBe(0);
  });
});

describe("an edit of a document that was moved out of the mirrored part", () => {
  async function moved() {
    const made = await start(
      { "part/note.md": "was\n", "part/k.md": "k\n", "other/x.md": "x\n" },
      {},
      { prefix: "part" },
    );
    made.mirror.write("note.md", "edited here\n");
    made.rig.app.move("part/note.md", "other");
    await made.sync();
    expect(holdsOf(made.mirror)).toEqual(["outside"]);
    return made;
  }

  test("--keep makes a new document of it; the one that was moved away stays as it is", async () => {
    const { rig, mirror, sync } = await moved();
    expect(await resolve(mirror, "note.md", "keep")).toMatchObject({ kind: "ok" });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({
      "other/note.md": "was\n",
      "other/x.md": "x\n",
      "part/k.md": "k\n",
      "part/note.md": "edited here\n",
    });
  });

  test("--delete puts the edit into the trash and deletes nothing on the service", async () => {
    const { rig, mirror, sync } = await moved();
    expect(await resolve(mirror, "note.md", "delete")).toMatchObject({ kind: "ok" });
    await sync();
    expect(remoteTexts(rig)).toMatchObject({ "other/note.md": "was\n" });
    expect(here(mirror)).toEqual({ "k.md": "k\n" });
    expect(trashOf(mirror)).toContain("edited here\n");
  });
});

describe("a move to the root that the service cannot do", () => {
  async function toRoot(variant: Variant = {}) {
    const made = await start({ "f/note.md": "the note\n", "f/k.md": "k\n" }, { noMoveToRoot: true, ...variant });
    made.mirror.disk.user.rename(`${ROOT}/f/note.md`, `${ROOT}/note.md`);
    await made.sync();
    await made.sync();
    expect(holdsOf(made.mirror)).toEqual(["no-move-to-root"]);
    return made;
  }

  test("--recreate makes a new document there, deletes the old one, and says both", async () => {
    const { rig, mirror, sync } = await toRoot();
    const id = rig.app.files().get("f/note.md")!.id;
    const done = await resolve(mirror, "note.md", "recreate");
    expect(done).toMatchObject({
      kind: "ok",
      value: [expect.stringMatching(/new document doc_\w+ at note\.md; .*deleted/)],
    });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "f/k.md": "k\n", "note.md": "the note\n" });
    expect(here(mirror)).toEqual(remoteTexts(rig));
    expect(rig.app.files().get("note.md")!.id).not.toBe(id);
  });

  test.each(["note.md", "f/note.md"])("--recreate takes %s for its name; the hold has the one of now", async (name) => {
    const { rig, mirror, sync } = await toRoot();
    expect([...mirror.state.load().holds.values()].map(({ path }) => path)).toEqual(["note.md"]);
    expect(await resolve(mirror, name, "recreate")).toMatchObject({ kind: "ok" });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "f/k.md": "k\n", "note.md": "the note\n" });
  });

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

  test("I09 a folder goes there all the same: a new folder, into which its documents move with their ids", async () => {
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
    for (let call = 1; ; call++) {
      const { rig, mirror } = await toRoot();
      const world = mirror.world();
      mirror.killAt(call);
      let killed = true;
      try {
        const subject = findSubject(world, "note.md");
        if (subject.kind === "trouble") throw new Error(subject.trouble.what);
        await resolveSubject(world, subject.value, { kind: "recreate" }, { force: false });
        killed = false;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
      mirror.killAt(null);
      for (let run = 0; run < 3; run++) await mirror.sync();
      const paths = [...mirror.state.load().links.values()].map(({ localPath }) => localPath);
      expect(new Set(paths).size, `killed at ${call}`).toBe(paths.length);
      expect(here(mirror)["note.md"], `killed at ${call}`).toBe("the note\n");
      expect(Object.values(remoteTexts(rig)), `killed at ${call}`).toContain("the note\n");
      if (killed) continue;
      expect(call).toBeGreaterThan(10);
      break;
    }
  });
});

describe("text in review", () => {
  async function inReview() {
    const made = await start({ "note.md": "was\n", "k.md": "k\n" });
    made.rig.app.protect("note.md", true);
    await made.sync();
    made.mirror.write("note.md", "submitted\n");
    await made.sync();
    await made.sync();
    expect(holdsOf(made.mirror)).toEqual(["in-review"]);
    return made;
  }

  test("--theirs drops it here: the live text is back, the dropped one is in the trash", async () => {
    const { mirror, sync } = await inReview();
    expect(await resolve(mirror, "note.md", "theirs")).toMatchObject({ kind: "ok" });
    expect(await sync()).toMatchObject({ state: "in-sync", attention: [] });
    expect(here(mirror)["note.md"]).toBe("was\n");
    expect(holdsOf(mirror)).toEqual([]);
    expect(trashOf(mirror)).toContain("submitted\n");
    expect([...mirror.state.load().links.values()].every(({ submissions }) => submissions.length === 0)).toBe(true);
  });

  test("--mine submits it again, once", async () => {
    const { mirror, sync } = await inReview();
    mirror.requests.length = 0;
    expect(await resolve(mirror, "note.md", "mine")).toMatchObject({ kind: "ok" });
    await sync();
    await sync();
    expect(mirror.requests.filter((request) => request.startsWith("PUT"))).toHaveLength(1);
    expect(holdsOf(mirror)).toEqual(["in-review"]);
  });

  test("review-unknown: --mine sends the text, --theirs drops it", async () => {
    for (const [way, text] of [
      ["mine", "submitted\n"],
      ["theirs", "was\n"],
    ] as const) {
      const { rig, mirror, sync } = await inReview();
      rig.app.protect("note.md", false);
      await sync();
      expect(holdsOf(mirror)).toEqual(["review-unknown"]);
      expect(await resolve(mirror, "note.md", way)).toMatchObject({ kind: "ok" });
      expect(await sync()).toMatchObject({ state: "in-sync" });
      expect([here(mirror)["note.md"], remoteTexts(rig)["note.md"]]).toEqual([text, text]);
    }
  });
});

test("an edit without the grant to make it: --theirs drops it, and it is in the trash", async () => {
  const rig = createRig(7);
  rig.app.create("note.md", "was\n");
  rig.app.create("k.md", "k\n");
  const { workspaceId } = rig.service.admin.keys()[0]!;
  const made = rig.service.admin.createKey({ workspaceId, label: "reader", grants: [{ on: null, level: "read" }] });
  if (!("key" in made)) throw new Error("no key");
  const mirror = rig.mirror({ key: made.key });
  await mirror.sync();
  mirror.write("note.md", "edited here\n");
  await mirror.sync();
  expect(holdsOf(mirror)).toEqual(["read-only"]);
  expect(await resolve(mirror, "note.md", "theirs")).toMatchObject({ kind: "ok" });
  expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  expect(here(mirror)["note.md"]).toBe("was\n");
  expect(trashOf(mirror)).toContain("edited here\n");
});
