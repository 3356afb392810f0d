import { describe, expect, test } from "vitest";
import { digestOf } from "../../src/contract/digest.ts";
import { ROOT } from "../simulator/mirror.ts";
import { createRig } from "../simulator/rig.ts";
import { here, holdsOf, remoteTexts, resolve, start, trashOf } from "./resolving.ts";

async function renamed() {
  const made = await start({ "note.md": "the note\n", "k.md": "k\n" });
  made.mirror.disk.user.rename(`${ROOT}/note.md`, `${ROOT}/note.txt`);
  await made.sync();
  expect(holdsOf(made.mirror)).toEqual(["renamed-out-of-mirror"]);
  return made;
}

describe("a document renamed out of the mirror", () => {
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
    made.mirror.write("f/note.md", "edited locally\n");
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
    expect(remoteTexts(rig)).toEqual({ "f/note.md": "edited locally\n", "k.md": "k\n" });
    expect(here(mirror)).toEqual(remoteTexts(rig));
  });

  test("--delete puts it into the trash", async () => {
    const { rig, mirror, sync } = await gone();
    expect(await resolve(mirror, "f/note.md", "delete")).toMatchObject({ kind: "ok" });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({ "k.md": "k\n" });
    expect(here(mirror)).toEqual({ "k.md": "k\n" });
    expect(trashOf(mirror)).toContain("edited locally\n");
  });

  test("--mine is no way to end it: nothing is done, and the ways are named", async () => {
    const { mirror } = await gone();
    const refused = await resolve(mirror, "f/note.md", "mine");
    expect(refused).toMatchObject({ kind: "trouble", trouble: { kind: "usage", next: "choose --keep or --delete" } });
    expect(here(mirror)["f/note.md"]).toBe("edited locally\n");
  });
});

describe("a conflict over a document that is gone or no longer readable", () => {
  async function gone() {
    const made = await start({ "f/note.md": "was\n", "k.md": "k\n" });
    made.mirror.write("f/note.md", "edited locally\n");
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
    expect(remoteTexts(rig)).toEqual({ "f/note.md": "edited locally\n", "k.md": "k\n" });
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
    expect(trashOf(mirror)).toEqual(expect.arrayContaining(["edited locally\n", "edited there\n"]));
    expect(mirror.state.load().conflicts.size).toBe(0);
  });
});

async function moved() {
  const made = await start(
    { "part/note.md": "was\n", "part/k.md": "k\n", "other/x.md": "x\n" },
    {},
    { prefix: "part" },
  );
  made.mirror.write("note.md", "edited locally\n");
  made.rig.app.move("part/note.md", "other");
  await made.sync();
  expect(holdsOf(made.mirror)).toEqual(["outside"]);
  return made;
}

describe("an edit of a document that was moved out of the mirrored part", () => {
  test("--keep makes a new document of it; the one that was moved away stays as it is", async () => {
    const { rig, mirror, sync } = await moved();
    expect(await resolve(mirror, "note.md", "keep")).toMatchObject({ kind: "ok" });
    expect(await sync()).toMatchObject({ state: "in-sync" });
    expect(remoteTexts(rig)).toEqual({
      "other/note.md": "was\n",
      "other/x.md": "x\n",
      "part/k.md": "k\n",
      "part/note.md": "edited locally\n",
    });
  });

  test("--delete puts the edit into the trash and deletes nothing on the service", async () => {
    const { rig, mirror, sync } = await moved();
    expect(await resolve(mirror, "note.md", "delete")).toMatchObject({ kind: "ok" });
    await sync();
    expect(remoteTexts(rig)).toMatchObject({ "other/note.md": "was\n" });
    expect(here(mirror)).toEqual({ "k.md": "k\n" });
    expect(trashOf(mirror)).toContain("edited locally\n");
  });
});

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

describe("text in review", () => {
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
  const made = rig.makeKey();
  const mirror = rig.mirror({ key: made.key });
  await mirror.sync();
  mirror.write("note.md", "edited locally\n");
  await mirror.sync();
  expect(holdsOf(mirror)).toEqual(["read-only"]);
  expect(await resolve(mirror, "note.md", "theirs")).toMatchObject({ kind: "ok" });
  expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  expect(here(mirror)["note.md"]).toBe("was\n");
  expect(trashOf(mirror)).toContain("edited locally\n");
});
