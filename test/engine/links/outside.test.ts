import { expect, test } from "vitest";
import { FILES } from "../../../src/contract/routes.ts";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

/** A mirror of a part of the workspace; in it a document that links another. */
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
  expect(rig.app.files().get("area/a.md")!.text).toBe(`see [b](${b}#costs)\n`);
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
  expect(mirror.requests.filter((request) => !request.startsWith("GET"))).toEqual([]);
  expect(rig.app.files().get("area/a.md")!.text).toBe(`see [b](${b}#costs)\n`);
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
  expect(rig.app.files().get("area/a.md")!.text).toBe(`see [b](${b}#costs), and more\n`);
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
