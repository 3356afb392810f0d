import { expect, test } from "vitest";
import { createRig, type Rig } from "../../simulator/rig.ts";
import { openSynced, problem } from "../../promises/fixture.ts";
import type { Fault } from "../../variants/variant.ts";
import type { Mirror } from "../../simulator/mirror.ts";

/**
 * Syncs a folder of documents that link each other, with a key without write access, so that moves
 * are blocked.
 */
async function syncFolders() {
  const rig = createRig(1);
  const note = rig.app.create("f/note.md", "[k](k.md)\n");
  const deep = rig.app.create("f/g/deep.md", "deep\n");
  const k = rig.app.create("f/k.md", `[note](${note}) [deep](${deep})\n`);
  rig.app.edit("f/note.md", `[k](${k})\n`);
  rig.app.edit("f/g/deep.md", `[k](${k})\n`);
  const mirror = rig.mirror({ links: true, key: rig.makeKey().key });
  await mirror.sync();
  const move = (from: string, to: string): void => {
    mirror.rename(from, to);
    mirror.disk.advance(10);
  };
  return { rig, mirror, move, ids: { note, deep, k } };
}

test.each([
  [
    "a document",
    "f/note.md",
    "note.md",
    { "f/g/deep.md": "[k](../k.md)\n", "f/k.md": "[note](../note.md) [deep](g/deep.md)\n", "note.md": "[k](f/k.md)\n" },
  ],
  [
    "a folder",
    "f/g",
    "g",
    { "f/k.md": "[note](note.md) [deep](../g/deep.md)\n", "f/note.md": "[k](k.md)\n", "g/deep.md": "[k](../f/k.md)\n" },
  ],
])("links to %s whose move is blocked lead to its current place, and back (I10)", async (...row) => {
  const [, from, to, moved] = row;
  const { rig, mirror, move, ids } = await syncFolders();
  const before = mirror.texts();
  move(from, to);
  const report = await mirror.sync();
  expect(report!.attention.map(({ path }) => path)).toContain(to);
  expect(Object.fromEntries(mirror.texts())).toEqual(moved);
  expect(await mirror.sync()).toMatchObject({ counts: { respelled: 0, uploaded: 0 } });
  rig.app.edit("f/k.md", `[note](${ids.note}) [deep](${ids.deep})\nmore\n`);
  await mirror.sync();
  expect(mirror.texts().get("f/k.md")).toBe(`${moved["f/k.md"].trim()}\nmore\n`);
  move(to, from);
  await mirror.sync();
  expect(mirror.texts()).toEqual(new Map(before).set("f/k.md", "[note](note.md) [deep](g/deep.md)\nmore\n"));
});

test.each([
  ["a document", "f/note.md", "note.md"],
  ["a folder", "f", "e"],
])("removed targets of links in %s whose move is blocked stay known (I09)", async (...row) => {
  const [, from, to] = row;
  const { rig, mirror, move } = await syncFolders();
  move(from, to);
  await mirror.syncTimes(2);
  const path = to === "e" ? "e/note.md" : to;
  const known = mirror.state.spellings.atPath(path as never)[0];
  expect(known?.leads).toHaveLength(1);
  rig.app.remove("f/k.md");
  mirror.requests.length = 0;
  await mirror.sync();
  expect(mirror.writes("PUT")).toEqual([]);
  expect(mirror.state.spellings.atPath(path as never)[0]?.text).toBe(known?.text);
});

test("a document in conflict that goes elsewhere with its own name is linked to where it is then (I10)", async () => {
  const rig = createRig(1, { noFolderPatchOrDelete: 405 });
  const b = rig.app.create("d/b.md", "b\n");
  rig.app.create("d/a.md", `[b](${b})\n\nnext\n\nlast\n`);
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  mirror.write("d/b.md", "b here\n");
  rig.app.edit("d/b.md", "b there\n");
  await mirror.sync();
  mirror.rename("d", "d-0");
  mirror.write("d-0/a.md", "[b](b.md)\n\nnext\n\nlast, edited locally\n");
  rig.app.edit("d/a.md", `[b](${b})\n\nnext, edited there\n\nlast\n`);
  rig.app.rename("d/b.md", "b2.md");
  const before = mirror.requests.length;
  await mirror.sync();
  expect(mirror.requests.slice(before).filter((one) => one.startsWith("PUT "))).toHaveLength(1);
  expect(rig.app.text("d-0/a.md")).toBe(`[b](${b})\n\nnext, edited there\n\nlast, edited locally\n`);
  expect(mirror.texts().get("d-0/a.md")).toContain("[b](../d/b2.md)");
});

test("a document whose folder moved keeps its id beside a new file at its old path, where the move is refused (I09)", async () => {
  const rig = createRig(1, { noFolderPatchOrDelete: 405 });
  const target = rig.app.create("t/target.md", "target\n");
  const a = rig.app.create("d/a.md", `[t](${target}) words of the document\n`);
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  mirror.rename("d", "d-0");
  mirror.write("d/a.md", "[t](../t/target.md) other content\n");
  rig.app.renameFolder("t", "u");
  await mirror.sync();
  expect(rig.app.id("d-0/a.md")).toBe(a);
  expect(mirror.texts().get("d/a.md")).toBe("[t](../u/target.md) other content\n");
});

/**
 * Syncs a document whose link was rewritten locally, because its target was renamed on the service.
 */
async function begin(): Promise<{ rig: Rig; mirror: Mirror; b: string; textOfA: () => string }> {
  const rig = createRig(1);
  const b = rig.app.create("b.md", "# Travel\n");
  rig.app.create("a.md", `see [b](${b})\n`);
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  rig.app.rename("b.md", "c.md");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("see [b](c.md)\n");
  return { rig, mirror, b, textOfA: () => rig.app.text("a.md")! };
}

test("a link that a person changes to a former path of its target leads to the document at that path now", async () => {
  const { rig, mirror, textOfA } = await begin();
  const other = rig.app.create("b.md", "# Meals\n");
  await mirror.sync();
  mirror.write("a.md", "see [other](b.md)\n");
  await mirror.sync();
  expect(textOfA()).toBe(`see [other](${other})\n`);
  expect(mirror.texts().get("a.md")).toBe("see [other](b.md)\n");
});

test("a link that is added by a path that another link of the text had leads to nothing while nothing is there", async () => {
  const { mirror, b, textOfA } = await begin();
  mirror.write("a.md", "see [b](c.md) and [what is to come](b.md)\n");
  await mirror.sync();
  expect(textOfA()).toBe(`see [b](${b}) and [what is to come](ref://b.md)\n`);
  expect(mirror.texts().get("a.md")).toBe("see [b](c.md) and [what is to come](b.md)\n");
});

test("an editor that saves what it read before links were rewritten keeps them", async () => {
  const { mirror, b, textOfA } = await begin();
  mirror.write("a.md", "see [b](b.md), and more\n");
  await mirror.sync();
  expect(textOfA()).toBe(`see [b](${b}), and more\n`);
  expect(mirror.texts().get("a.md")).toBe("see [b](c.md), and more\n");
});

test("what was made of the other version of a conflict keeps its links, whose target was moved since", async () => {
  const { rig, mirror } = await begin();
  const meals = rig.app.create("meals.md", "# Meals\n");
  mirror.write("a.md", "mine\n");
  rig.app.edit("a.md", `theirs, see [meals](${meals})\n`);
  await mirror.sync();
  expect(mirror.texts().get("a (theirs).md")).toBe("theirs, see [meals](meals.md)\n");
  rig.app.rename("meals.md", "food.md");
  await mirror.sync();
  mirror.write("a (theirs).md", "theirs, see [meals](meals.md), and mine\n");
  mirror.rename("a (theirs).md", "a.md");
  mirror.disk.advance(10);
  await mirror.syncTimes(2);
  expect(rig.app.text("a.md")).toBe(`theirs, see [meals](${meals}), and mine\n`);
  expect(mirror.texts().get("a.md")).toBe("theirs, see [meals](food.md), and mine\n");
});

test("a file in a folder whose move fails keeps its links", async () => {
  const fixture = await openSynced({ "b.md": "b\n", "f/a.md": "a\n" }, { links: true });
  const { rig, mirror } = fixture;
  const target = rig.app.id("b.md")!;
  const refuseFolderMoves = (fault: Fault) => {
    fixture.fault = ({ method, path }) => (method === "PATCH" && path.startsWith("/v1/folders/") ? fault : null);
  };
  mirror.rename("f", "e");
  rig.app.edit("f/a.md", `[b](${target})\n`);
  refuseFolderMoves(problem(403, "forbidden"));
  await mirror.sync();
  expect(mirror.texts().get("e/a.md")).toBe("[b](../b.md)\n");
  mirror.rename("b.md", "c.md");
  refuseFolderMoves(problem(503, "service_unavailable"));
  await mirror.sync();
  fixture.fault = () => null;
  await mirror.sync();
  expect(rig.app.text("e/a.md")).toBe(`[b](${target})\n`);
  expect(mirror.texts().get("e/a.md")).toBe("[b](../c.md)\n");
});
