import { expect, test } from "vitest";
import type { Mirror } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

/** A document whose link was rewritten, because its target was renamed on the service. */
async function begin(): Promise<{ rig: Rig; mirror: Mirror; b: string; textOfA: () => string }> {
  const rig = createRig(1);
  const b = rig.app.create("b.md", "# Travel\n");
  rig.app.create("a.md", `see [b](${b})\n`);
  const mirror = rig.mirror({ links: true });
  await mirror.sync();
  rig.app.rename("b.md", "c.md");
  await mirror.sync();
  expect(mirror.texts().get("a.md")).toBe("see [b](c.md)\n");
  return { rig, mirror, b, textOfA: () => rig.app.files().get("a.md")!.text };
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
  mirror.disk.user.rename(mirror.path("a (theirs).md"), mirror.path("a.md"));
  mirror.disk.advance(10);
  await mirror.sync();
  await mirror.sync();
  expect(rig.app.files().get("a.md")!.text).toBe(`theirs, see [meals](${meals}), and mine\n`);
  expect(mirror.texts().get("a.md")).toBe("theirs, see [meals](food.md), and mine\n");
});
