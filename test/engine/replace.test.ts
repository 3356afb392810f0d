import { expect, test } from "vitest";
import { runByHand } from "../../src/engine/by-hand/by-hand.ts";
import { replaceText } from "../../src/engine/by-hand/replace.ts";
import { digestOf } from "../../src/model/digest.ts";
import { Killed, type Mirror, ROOT } from "../simulator/mirror.ts";
import { Leftovers, Moment } from "../simulator/moment.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

const BEFORE = "[b](./b.md) and flour\r\nno end";
const AFTER = "[b](b.md) and oats\r\nno end";

async function begin(links: boolean): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(1);
  const mirror = rig.mirror({ links });
  rig.app.create("b.md", "b\n");
  await mirror.sync();
  mirror.write("a.md", BEFORE);
  await mirror.sync();
  return { rig, mirror };
}

async function replace(rig: Rig, mirror: Mirror): Promise<void> {
  const { id } = rig.app.files().get("a.md")!;
  await runByHand(mirror.world(), "replace", async (ctx) => [
    replaceText(ctx, { id, path: "a.md", bytes: digestOf(BEFORE), after: AFTER }),
  ]);
}

/** The text as the service has it. */
function wireOf(rig: Rig, text: string, links: boolean): string {
  const { id } = rig.app.files().get("b.md")!;
  return links ? text.replace(/\((?:\.\/)?b\.md\)/, `(${id})`) : text;
}

test.each([
  ["as they are", false],
  ["by path here, by id there", true],
])("a text is replaced byte for byte, with links %s, and goes up as an edit", async (_how, links) => {
  const { rig, mirror } = await begin(links);
  const { id } = rig.app.files().get("a.md")!;
  await replace(rig, mirror);
  expect(mirror.texts().get("a.md")).toBe(AFTER);
  expect(await mirror.sync()).toMatchObject({ state: "in-sync", counts: { uploaded: 1 } });
  expect([mirror.texts().get("a.md"), rig.app.files().get("a.md")]).toMatchObject([
    AFTER,
    { id, text: wireOf(rig, AFTER, links) },
  ]);
  const trash = mirror.disk.user.texts(`${ROOT}/.mdmirror`, true).values();
  expect([...trash]).toContain(BEFORE);
});

test.each([
  ["as they are", false],
  ["by path here, by id there", true],
])(
  "I13 killed at any call of a replace, with links %s, the file has the old bytes or the new ones",
  async (_how, links) => {
    const beginning = new Moment(await begin(links));
    const leftovers = new Leftovers();
    for (let call = 1; ; call++) {
      const { rig, mirror } = beginning.open({}, { links });
      mirror.killAt(call);
      let killed = true;
      try {
        await replace(rig, mirror);
        killed = false;
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
      }
      mirror.killAt(null);
      if (leftovers.areAgain({ rig, mirror }) && killed) continue;
      for (let run = 0; run < 3; run++) await mirror.sync();
      const here = mirror.texts().get("a.md")!;
      expect([BEFORE, AFTER], `killed at ${call}`).toContain(here);
      expect(rig.app.files().get("a.md")!.text).toBe(wireOf(rig, here, links));
      if (killed) continue;
      expect(call).toBeGreaterThan(5);
      expect(here).toBe(AFTER);
      break;
    }
  },
);
