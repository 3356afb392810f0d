import { expect, test } from "vitest";
import { createRig } from "../../simulator/rig.ts";
import { idThere, start, textThere } from "./linked-rig.ts";

test("links by path go up by id; what is linked to is created first, and a circle takes one write more", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "to [b](sub/b.md) and [c](sub/c.md#x)\n");
  mirror.write("sub/b.md", "back to [a](../a.md), [c](c.md), [none](none.md)\n");
  mirror.write("sub/c.md", "plain\n");
  mirror.write("index.md", "[c](sub/c.md)\n");
  const report = await mirror.sync();
  expect(report).toMatchObject({ state: "in-sync", counts: { createdRemote: 4, uploaded: 1, downloaded: 0 } });
  const [a, b, c] = [idThere(rig, "a.md"), idThere(rig, "sub/b.md"), idThere(rig, "sub/c.md")];
  expect(textThere(rig, "a.md")).toBe(`to [b](${b}) and [c](${c}#x)\n`);
  expect(textThere(rig, "sub/b.md")).toBe(`back to [a](${a}), [c](${c}), [none](ref://none.md)\n`);
  expect(mirror.texts().get("a.md")).toBe("to [b](sub/b.md) and [c](sub/c.md#x)\n");
});

test("a cycle after that writes nothing, on either side (I02)", async () => {
  const { mirror } = start();
  mirror.write("a.md", "[b](b.md)\n");
  mirror.write("b.md", "[a](a.md) [later](later.md)\n");
  await mirror.sync();
  const texts = mirror.texts();
  mirror.requests.length = 0;
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", cycles: 1 });
  expect(mirror.requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
  expect(mirror.texts()).toEqual(texts);
});

test("links by id come down by path, and an edit of such a file goes up by id (I25)", async () => {
  const { rig, mirror } = start();
  const b = rig.app.create("sub/b.md", "b\n");
  rig.app.create("a.md", `[b](${b}) and [there](/sub/b.md)\n`);
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("[b](sub/b.md) and [there](sub/b.md)\n");
  mirror.requests.length = 0;
  mirror.write("a.md", "[b](sub/b.md) and [there](sub/b.md)\nmore\n");
  await mirror.sync();
  expect(textThere(rig, "a.md")).toBe(`[b](${b}) and [there](/sub/b.md)\nmore\n`);
});

test("links to a file that is moved locally are rewritten: no PUT, no conflict (I10)", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", '[b](b.md "title") ![b](<b.md>)\n');
  mirror.write("b.md", "[a](a.md)\n");
  await mirror.sync();
  mirror.requests.length = 0;
  mirror.disk.user.makeFolder(mirror.path("deep"));
  mirror.disk.user.rename(mirror.path("b.md"), mirror.path("deep/c.md"));
  mirror.disk.advance(10);
  expect(await mirror.sync()).toMatchObject({
    state: "in-sync",
    counts: { movedRemote: 2, respelled: 2, uploaded: 0 },
  });
  expect(mirror.texts().get("a.md")).toBe('[b](deep/c.md "title") ![b](<deep/c.md>)\n');
  expect(mirror.texts().get("deep/c.md")).toBe("[a](../a.md)\n");
  expect(mirror.requests.some((request) => request.startsWith("PUT"))).toBe(false);
  const id = idThere(rig, "deep/c.md");
  expect(textThere(rig, "a.md")).toBe(`[b](${id} "title") ![b](<${id}>)\n`);
});

test("a plan remembers nothing of the links that it read (I23)", async () => {
  const { mirror } = start();
  mirror.write("a.md", "[b](b.md)\n");
  mirror.write("b.md", "b\n");
  await mirror.sync();
  const before = mirror.state.spellings.all();
  mirror.write("a.md", "[b](b.md) edited\n");
  await mirror.plan();
  expect(mirror.state.spellings.all()).toEqual(before);
});

test.each([
  ["an unedited text", ""],
  ["one that is edited meanwhile", "edited\n"],
])("two targets that exchange their places keep their links, in %s (I10)", async (_what, more) => {
  const { rig, mirror } = start();
  mirror.write("a.md", "[x](x.md) [y](y.md)\n");
  mirror.write("x.md", "this is x\n");
  mirror.write("y.md", "that is y, which is another\n");
  await mirror.sync();
  const [x, y] = [idThere(rig, "x.md"), idThere(rig, "y.md")];
  mirror.requests.length = 0;
  mirror.disk.user.rename(mirror.path("x.md"), mirror.path("z.md"));
  mirror.disk.user.rename(mirror.path("y.md"), mirror.path("x.md"));
  mirror.disk.user.rename(mirror.path("z.md"), mirror.path("y.md"));
  mirror.write("a.md", `[x](x.md) [y](y.md)\n${more}`);
  await mirror.sync();
  expect(idThere(rig, "y.md")).toBe(x);
  expect(textThere(rig, "a.md")).toBe(`[x](${x}) [y](${y})\n${more}`);
  expect(mirror.texts().get("a.md")).toBe(`[x](y.md) [y](x.md)\n${more}`);
  expect(mirror.requests.filter((request) => request.startsWith("PUT"))).toHaveLength(more === "" ? 0 : 1);
});

test("a linked part of the workspace leaves links out of it as they are, and translates its own", async () => {
  const rig = createRig(1);
  const b = rig.app.create("area/sub/b.md", "b\n");
  const out = rig.app.create("other.md", "other\n");
  const text = `[b](${b}) [b](/area/sub/b.md) [out](${out}) [out](/other.md)\n`;
  rig.app.create("area/a.md", text);
  const mirror = rig.mirror({ links: true, prefix: "area" });
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe(`[b](sub/b.md) [b](sub/b.md) [out](${out}) [out](/other.md)\n`);
  mirror.write("a.md", `${mirror.texts().get("a.md")!}more\n`);
  await mirror.sync();
  expect(textThere(rig, "area/a.md")).toBe(`${text}more\n`);
});
