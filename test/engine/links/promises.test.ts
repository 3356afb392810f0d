import { describe, expect, test } from "vitest";
import { syncToConvergence } from "../../../src/mirror/engine/run/sync.ts";
import { digestOf } from "../../../src/contract/digest.ts";
import { type Mirror, ROOT, SETTINGS } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

/** Promises, each in a mirror that translates links. */

async function begin(): Promise<{ rig: Rig; mirror: Mirror; b: string }> {
  const rig = createRig(1);
  const mirror = rig.mirror({ links: true });
  mirror.write("a.md", "[b](b.md)\n");
  mirror.write("b.md", "b\n");
  await mirror.sync();
  return { rig, mirror, b: rig.app.files().get("b.md")!.id };
}

/** Live on a side, in the text store, or a file in the trash; texts in the service's form. */
function isKept(rig: Rig, mirror: Mirror, text: string): boolean {
  const live = [...rig.app.files().values()].map((file) => file.text);
  const trash = [...mirror.disk.user.texts(`${ROOT}/.mdmirror`, true).values()];
  return live.includes(text) || trash.includes(text) || mirror.state.hasText(digestOf(text));
}

describe("I03 with links translated, no text is lost", () => {
  test("of a conflict whose target moves meanwhile, whichever side wins", async () => {
    const { rig, mirror, b } = await begin();
    for (const policy of ["conflict-copy", "copy", "local", "remote"] as const) {
      rig.app.edit("a.md", `theirs, ${policy} [b](${b})\n`);
      const target = [...mirror.texts().keys()].find((path) => /^b[0-9]*\.md$|^t/.test(path))!;
      mirror.write("a.md", `mine, ${policy} [b](${target})\n`);
      mirror.disk.user.rename(mirror.path(target), mirror.path(`t-${policy}.md`));
      mirror.disk.advance(10);
      await mirror.sync({ conflicts: () => policy });
      await mirror.sync({ conflicts: () => policy });
      for (const who of ["mine", "theirs"])
        expect(isKept(rig, mirror, `${who}, ${policy} [b](${b})\n`), `${who} ${policy}`).toBe(true);
      for (const path of [...mirror.texts().keys()].filter((one) => /^a \(/.test(one)))
        mirror.disk.user.remove(mirror.path(path));
      mirror.disk.advance(10);
      await mirror.sync();
      await mirror.sync();
    }
  });

  test("of a document deleted on the service: the trash has the file as it was on disk", async () => {
    const { rig, mirror } = await begin();
    rig.app.remove("a.md");
    await mirror.sync();
    const trash = [...mirror.disk.user.texts(`${ROOT}/.mdmirror`, true)].filter(([path]) => path.startsWith("trash/"));
    expect(trash.map(([, text]) => text)).toEqual(["[b](b.md)\n"]);
  });
});

describe("I14 with links translated, an edit that is saved while the links are rewritten survives", () => {
  const WAYS = ["write", "saveAtomically"] as const;
  test.each(WAYS)("at any call, by %s", async (way) => {
    const saved = "[b](b.md) saved late\n";
    const calls = await callsOfRespelling();
    for (let at = 1; at <= calls; at += 5) {
      const { rig, mirror, b } = await begin();
      rig.app.rename("b.md", "c.md");
      await syncWith(mirror, at, () => mirror.disk.user[way](mirror.path("a.md"), saved));
      mirror.disk.advance(10);
      for (let more = 0; more < 3; more++) await mirror.sync();
      expect(rig.app.files().get("a.md")!.text, `at call ${at}`).toBe(`[b](${b}) saved late\n`);
      expect(mirror.texts().get("a.md"), `at call ${at}`).toBe("[b](c.md) saved late\n");
      expect([...mirror.texts().keys()], `at call ${at}`).toEqual(["a.md", "c.md"]);
    }
  });
});

/** Returns the number of disk calls of a sync that rewrites a link. */
async function callsOfRespelling(): Promise<number> {
  const { rig, mirror } = await begin();
  rig.app.rename("b.md", "c.md");
  let calls = 0;
  await syncWith(
    mirror,
    Number.POSITIVE_INFINITY,
    () => undefined,
    () => calls++,
  );
  expect(mirror.texts().get("a.md")).toBe("[b](c.md)\n");
  return calls;
}

/** One sync, with something that happens before one of its calls of the disk. */
async function syncWith(mirror: Mirror, at: number, meddle: () => void, onCall = (): void => undefined): Promise<void> {
  const world = mirror.world();
  let calls = 0;
  mirror.disk.beforeCall = () => {
    onCall();
    if (++calls === at) meddle();
  };
  await syncToConvergence(world, { settings: SETTINGS, retryRefused: true, kind: "sync" });
  mirror.disk.beforeCall = null;
  mirror.disk.advance(10);
}
