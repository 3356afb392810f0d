import { expect, test, describe } from "vitest";
import { FILES } from "../../../src/contract/resources.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";
import { start, syncWith } from "./linked-rig.ts";
import type { Mirror } from "../../simulator/mirror.ts";
import { keepsText } from "../../promises/fixture.ts";

test("links by path go up by id; what is linked to is created first, and a circle takes one write more", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", "to [b](sub/b.md) and [c](sub/c.md#x)\n");
  mirror.write("sub/b.md", "back to [a](../a.md), [c](c.md), [none](none.md)\n");
  mirror.write("sub/c.md", "plain\n");
  mirror.write("index.md", "[c](sub/c.md)\n");
  const report = await mirror.sync();
  expect(report).toMatchObject({ state: "in-sync", counts: { createdRemote: 4, uploaded: 1, downloaded: 0 } });
  const [a, b, c] = [rig.app.id("a.md")!, rig.app.id("sub/b.md")!, rig.app.id("sub/c.md")!];
  expect(rig.app.text("a.md")).toBe(`to [b](${b}) and [c](${c}#x)\n`);
  expect(rig.app.text("sub/b.md")).toBe(`back to [a](${a}), [c](${c}), [none](ref://none.md)\n`);
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
  expect(mirror.writes()).toEqual([]);
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
  expect(rig.app.text("a.md")).toBe(`[b](${b}) and [there](/sub/b.md)\nmore\n`);
});

test("links to a file that is moved locally are rewritten: no PUT, no conflict (I10)", async () => {
  const { rig, mirror } = start();
  mirror.write("a.md", '[b](b.md "title") ![b](<b.md>)\n');
  mirror.write("b.md", "[a](a.md)\n");
  await mirror.sync();
  mirror.requests.length = 0;
  mirror.disk.user.makeFolder(mirror.path("deep"));
  mirror.rename("b.md", "deep/c.md");
  mirror.disk.advance(10);
  expect(await mirror.sync()).toMatchObject({
    state: "in-sync",
    counts: { movedRemote: 2, respelled: 2, uploaded: 0 },
  });
  expect(mirror.texts().get("a.md")).toBe('[b](deep/c.md "title") ![b](<deep/c.md>)\n');
  expect(mirror.texts().get("deep/c.md")).toBe("[a](../a.md)\n");
  expect(mirror.requests.some((request) => request.startsWith("PUT"))).toBe(false);
  const id = rig.app.id("deep/c.md")!;
  expect(rig.app.text("a.md")).toBe(`[b](${id} "title") ![b](<${id}>)\n`);
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
  const [x, y] = [rig.app.id("x.md")!, rig.app.id("y.md")!];
  mirror.requests.length = 0;
  mirror.rename("x.md", "z.md");
  mirror.rename("y.md", "x.md");
  mirror.rename("z.md", "y.md");
  mirror.write("a.md", `[x](x.md) [y](y.md)\n${more}`);
  await mirror.sync();
  expect(rig.app.id("y.md")).toBe(x);
  expect(rig.app.text("a.md")).toBe(`[x](${x}) [y](${y})\n${more}`);
  expect(mirror.texts().get("a.md")).toBe(`[x](y.md) [y](x.md)\n${more}`);
  expect(mirror.writes("PUT")).toHaveLength(more === "" ? 0 : 1);
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
  expect(rig.app.text("area/a.md")).toBe(`${text}more\n`);
});

test("wiki links go up by id, targets first, and come down as wiki links on another machine", async () => {
  const { rig, mirror } = start("wiki");
  mirror.write("a.md", "[[Plan]] [[Plan#h|the plan]] [[Nobody]]\n");
  mirror.write("sub/Plan.md", "[[a]]\n");
  expect(await mirror.sync()).toMatchObject({ state: "in-sync" });
  const id = rig.app.id("sub/Plan.md")!;
  expect(rig.app.text("a.md")).toBe(`[[Plan]](${id}) [[the plan]](${id}#h) [[Nobody]]\n`);
  expect(rig.app.text("sub/Plan.md")).toBe(`[[a]](${rig.app.id("a.md")})\n`);
  mirror.requests.length = 0;
  expect(await mirror.sync()).toMatchObject({ counts: { respelled: 0 } });
  expect(mirror.writes()).toEqual([]);
  const other = rig.mirror({ links: "wiki" });
  await other.sync();
  expect(other.texts()).toEqual(mirror.texts());
});

test("a renamed target is linked by its new name, locally and on the service, without a PUT (I10)", async () => {
  const { rig, mirror } = start("wiki");
  mirror.write("a.md", "[[Plan]] ![[Plan]]\n");
  mirror.write("Plan.md", "plan\n");
  await mirror.sync();
  const text = rig.app.text("a.md")!;
  mirror.requests.length = 0;
  mirror.rename("Plan.md", "Budget.md");
  mirror.disk.advance(10);
  expect(await mirror.sync()).toMatchObject({ counts: { respelled: 1, uploaded: 0 } });
  expect(mirror.texts().get("a.md")).toBe("[[Budget|Plan]] ![[Budget|Plan]]\n");
  rig.app.rename("Budget.md", "Plan.md");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("[[Plan]] ![[Plan]]\n");
  expect(rig.app.text("a.md")).toBe(text);
  expect(mirror.requests.some((request) => request.startsWith("PUT"))).toBe(false);
});

test("a name that a second document gets is said with its folder, and the text there stays", async () => {
  const { rig, mirror } = start("wiki");
  mirror.write("a.md", "[[Plan]]\n");
  mirror.write("x/Plan.md", "one\n");
  await mirror.sync();
  const text = rig.app.text("a.md")!;
  mirror.requests.length = 0;
  mirror.write("y/Plan.md", "another\n");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("[[x/Plan|Plan]]\n");
  expect(rig.app.text("a.md")).toBe(text);
  expect(mirror.requests.some((request) => request.startsWith("PUT"))).toBe(false);
  expect(await mirror.syncWrites()).toEqual([]);
});

test("a wiki link whose document is made later is sent by its id then", async () => {
  const { rig, mirror } = start("wiki");
  mirror.write("a.md", "[[Later]]\n");
  await mirror.sync();
  expect(rig.app.text("a.md")).toBe("[[Later]]\n");
  mirror.write("deep/Later.md", "now\n");
  await mirror.sync();
  expect(rig.app.text("a.md")).toBe(`[[Later]](${rig.app.id("deep/Later.md")})\n`);
  expect(mirror.texts().get("a.md")).toBe("[[Later]]\n");
});

test("an edit beside a wiki link merges with an edit on the service", async () => {
  const { rig, mirror } = start("wiki");
  const filler = Array.from({ length: 9 }, (_, n) => `line ${n}\n`).join("\n");
  mirror.write("a.md", `[[Plan]]\n\n${filler}\n`);
  mirror.write("Plan.md", "plan\n");
  await mirror.sync();
  const id = rig.app.id("Plan.md")!;
  rig.app.edit("a.md", `[[Plan]](${id})\n\n${filler}\nand [[there]](${id})\n`);
  mirror.write("a.md", `[[Plan]] here\n\n${filler}\n`);
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", counts: { merged: 1, conflicts: 0 } });
  expect(mirror.texts().get("a.md")).toBe(`[[Plan]] here\n\n${filler}\nand [[Plan|there]]\n`);
  expect(rig.app.text("a.md")).toBe(`[[Plan]](${id}) here\n\n${filler}\nand [[there]](${id})\n`);
});

/** Syncs a folder with a part of the workspace; in it one document links to another. */
async function begin(): Promise<{ rig: Rig; mirror: Mirror; b: string }> {
  const rig = createRig(1);
  const b = rig.app.create("area/b.md", "# Travel\n");
  rig.app.create("area/a.md", `see [b](${b}#costs)\n`);
  rig.app.create("other/c.md", "# Meals\n");
  const mirror = rig.mirror({ links: true, prefix: "area" });
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("see [b](b.md#costs)\n");
  return { rig, mirror, b };
}

test("a link to what was moved out of the mirrored part does not lead to what comes to its path", async () => {
  const { rig, mirror, b } = await begin();
  rig.app.move("area/b.md", "other");
  rig.app.rename("other/c.md", "x.md");
  rig.app.create("area/b.md", "# Hotels\n");
  await mirror.sync();
  expect(Object.fromEntries(mirror.texts())).toEqual({ "a.md": `see [b](${b}#costs)\n`, "b.md": "# Hotels\n" });
  expect(rig.app.text("area/a.md")).toBe(`see [b](${b}#costs)\n`);
});

test("a link to a document that left the linked part is as in a new clone, and is a path again after its return", async () => {
  const { rig, mirror, b } = await begin();
  rig.app.move("area/b.md", "other");
  await mirror.sync();
  const clone = rig.mirror({ links: true, prefix: "area" });
  await clone.sync();
  expect(mirror.texts()).toEqual(clone.texts());
  mirror.requests.length = 0;
  await mirror.sync();
  rig.app.move("other/b.md", "area");
  rig.app.rename("area/b.md", "d.md");
  for (const one of [mirror, clone]) {
    await one.sync();
    expect(one.texts().get("a.md")).toBe("see [b](d.md#costs)\n");
  }
  expect(mirror.writes()).toEqual([]);
  expect(rig.app.text("area/a.md")).toBe(`see [b](${b}#costs)\n`);
});

test("the links of a document that was moved out of the mirrored part and edited locally follow their targets", async () => {
  const { rig, mirror, b } = await begin();
  mirror.write("a.md", "see [b](b.md#costs), and more\n");
  rig.app.move("area/a.md", "other");
  await mirror.sync();
  expect([...mirror.state.load().blocks.values()].map(({ reason }) => reason)).toEqual(["outside"]);
  rig.app.rename("area/b.md", "d.md");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("see [b](d.md#costs), and more\n");
  rig.app.move("other/a.md", "area");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("see [b](d.md#costs), and more\n");
  expect(rig.app.text("area/a.md")).toBe(`see [b](${b}#costs), and more\n`);
  expect(mirror.state.load().blocks.size).toBe(0);
});

test("I33 a link to a document that left the linked part before its download becomes an id, and its target is read once", async () => {
  let hidden = "";
  const rig = createRig(2, {
    fault: ({ path }) => (path === `${FILES}/${hidden}` ? { status: 503, headers: {}, body: "" } : null),
  });
  const b = rig.app.create("area/b.md", "# Travel\n");
  rig.app.create("area/a.md", `see [b](${b}#costs)\n`);
  rig.app.makeFolder("other");
  const mirror = rig.mirror({ links: true, prefix: "area" });
  hidden = b;
  await mirror.sync();
  expect(mirror.texts()).toEqual(new Map([["a.md", "see [b](b.md#costs)\n"]]));
  hidden = "";
  rig.app.move("area/b.md", "other");
  await mirror.sync();
  expect(mirror.texts()).toEqual(new Map([["a.md", `see [b](${b}#costs)\n`]]));
  mirror.requests.length = 0;
  await mirror.sync();
  expect(mirror.requests.filter((request) => request.includes(b))).toEqual([]);
  rig.app.move("other/b.md", "area");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("see [b](b.md#costs)\n");
});

/** The promises, in a linked folder with translated links. */

async function syncTwo(): Promise<{ rig: Rig; mirror: Mirror; b: string }> {
  const { rig, mirror } = start();
  mirror.write("a.md", "[b](b.md)\n");
  mirror.write("b.md", "b\n");
  await mirror.sync();
  return { rig, mirror, b: rig.app.id("b.md")! };
}

describe("I03 with links translated, no content is lost", () => {
  test("of a conflict whose target moves meanwhile, whichever side wins", async () => {
    const { rig, mirror, b } = await syncTwo();
    for (const policy of ["conflict-copy", "copy", "local", "remote"] as const) {
      rig.app.edit("a.md", `theirs, ${policy} [b](${b})\n`);
      const target = [...mirror.texts().keys()].find((path) => /^b[0-9]*\.md$|^t/.test(path))!;
      mirror.write("a.md", `mine, ${policy} [b](${target})\n`);
      mirror.rename(target, `t-${policy}.md`);
      mirror.disk.advance(10);
      await mirror.sync({ conflicts: () => policy });
      await mirror.sync({ conflicts: () => policy });
      for (const who of ["mine", "theirs"])
        expect(keepsText({ rig, mirror }, `${who}, ${policy} [b](${b})\n`), `${who} ${policy}`).toBe(true);
      for (const path of [...mirror.texts().keys()].filter((one) => /^a \(/.test(one))) mirror.remove(path);
      mirror.disk.advance(10);
      await mirror.syncTimes(2);
    }
  });

  test("of a document deleted on the service: the trash has the file as it was on disk", async () => {
    const { rig, mirror } = await syncTwo();
    rig.app.remove("a.md");
    await mirror.sync();
    expect(mirror.trash()).toEqual(["[b](b.md)\n"]);
  });
});

describe("I14 with links translated, an edit that is saved while the links are rewritten survives", () => {
  const WAYS = ["write", "saveAtomically"] as const;
  test.each(WAYS)("at any call, by %s", async (way) => {
    const saved = "[b](b.md) saved late\n";
    const whole = await syncTwo();
    whole.rig.app.rename("b.md", "c.md");
    const calls = await syncWith(whole.mirror, () => undefined);
    expect(whole.mirror.texts().get("a.md")).toBe("[b](c.md)\n");
    for (let at = 1; at <= calls; at += 5) {
      const { rig, mirror, b } = await syncTwo();
      rig.app.rename("b.md", "c.md");
      await syncWith(mirror, (call) => {
        if (call === at) mirror.disk.user[way](mirror.path("a.md"), saved);
      });
      mirror.disk.advance(10);
      await mirror.syncTimes(3);
      expect(rig.app.text("a.md")!, `at call ${at}`).toBe(`[b](${b}) saved late\n`);
      expect(mirror.texts().get("a.md"), `at call ${at}`).toBe("[b](c.md) saved late\n");
      expect([...mirror.texts().keys()], `at call ${at}`).toEqual(["a.md", "c.md"]);
    }
  });
});
