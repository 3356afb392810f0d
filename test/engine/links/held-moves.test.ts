import { expect, test } from "vitest";
import { createRig } from "../../simulator/rig.ts";
import { textThere } from "./linked-rig.ts";

/**
 * A folder with documents that link each other, and a key without write access: moves are blocked.
 */
async function begin() {
  const rig = createRig(1);
  const note = rig.app.create("f/note.md", "[k](k.md)\n");
  const deep = rig.app.create("f/g/deep.md", "deep\n");
  const k = rig.app.create("f/k.md", `[note](${note}) [deep](${deep})\n`);
  rig.app.edit("f/note.md", `[k](${k})\n`);
  rig.app.edit("f/g/deep.md", `[k](${k})\n`);
  const mirror = rig.mirror({ links: true, key: rig.makeKey().key });
  await mirror.sync();
  const move = (from: string, to: string): void => {
    mirror.disk.user.rename(mirror.path(from), mirror.path(to));
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
])(
  "links to %s whose move is blocked lead to its current place, and to the former place when it is back (I10)",
  async (...row) => {
    const [, from, to, moved] = row;
    const { rig, mirror, move, ids } = await begin();
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
  },
);

test.each([
  ["a document", "f/note.md", "note.md"],
  ["a folder", "f", "e"],
])(
  "the targets of links in %s whose move is blocked stay known, although the targets are removed (I09)",
  async (...row) => {
    const [, from, to] = row;
    const { rig, mirror, move } = await begin();
    move(from, to);
    for (let n = 0; n < 2; n++) await mirror.sync();
    const path = to === "e" ? "e/note.md" : to;
    const known = mirror.state.spellings.at(path as never)[0];
    expect(known?.leads).toHaveLength(1);
    rig.app.remove("f/k.md");
    mirror.requests.length = 0;
    await mirror.sync();
    expect(mirror.requests.filter((request) => request.startsWith("PUT"))).toEqual([]);
    expect(mirror.state.spellings.at(path as never)[0]?.text).toBe(known?.text);
  },
);

test("a document in conflict that goes elsewhere with its own name is linked to where it is then (I10)", async () => {
  const rig = createRig(1, { noFolderPatchOrDelete: 405 });
  const b = rig.app.create("d/b.md", "b\n");
  rig.app.create("d/a.md", `[b](${b})\n\nnext\n\nlast\n`);
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  mirror.write("d/b.md", "b here\n");
  rig.app.edit("d/b.md", "b there\n");
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("d"), mirror.path("d-0"));
  mirror.write("d-0/a.md", "[b](b.md)\n\nnext\n\nlast, edited locally\n");
  rig.app.edit("d/a.md", `[b](${b})\n\nnext, edited there\n\nlast\n`);
  rig.app.rename("d/b.md", "b2.md");
  const before = mirror.requests.length;
  await mirror.sync();
  expect(mirror.requests.slice(before).filter((one) => one.startsWith("PUT "))).toHaveLength(1);
  expect(textThere(rig, "d-0/a.md")).toBe(`[b](${b})\n\nnext, edited there\n\nlast, edited locally\n`);
  expect(mirror.texts().get("d-0/a.md")).toContain("[b](../d/b2.md)");
});

test("a document whose folder moved keeps its id beside a new file at its old path, where the move is refused (I09)", async () => {
  const rig = createRig(1, { noFolderPatchOrDelete: 405 });
  const target = rig.app.create("t/target.md", "target\n");
  const a = rig.app.create("d/a.md", `[t](${target}) words of the document\n`);
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("d"), mirror.path("d-0"));
  mirror.write("d/a.md", "[t](../t/target.md) other content\n");
  rig.app.renameFolder("t", "u");
  await mirror.sync();
  expect(rig.app.files().get("d-0/a.md")?.id).toBe(a);
  expect(mirror.texts().get("d/a.md")).toBe("[t](../u/target.md) other content\n");
});
