import { expect, test } from "vitest";
import { killAtEachCall } from "../../simulator/kill-at-each-call.ts";
import type { Pair } from "../../simulator/moment.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";

/**
 * A power cut may take all of the state that nothing made safe, and leave all that was written to
 * the disk: files that link by paths of which the state knows nothing.
 */

const HERE = { links: true } as const;

async function begin(fill: (rig: Rig) => void): Promise<Pair> {
  const rig = createRig(1);
  fill(rig);
  const mirror = rig.mirror(HERE);
  await mirror.sync();
  return { rig, mirror };
}

type Cut = Pair & { readonly after: string };

/** Cuts the power of a sync at each of its calls, and judges each time what is left. */
async function cutAtEachCall(start: Pair, judge: (cut: Cut) => Promise<void>): Promise<void> {
  const cuts = await killAtEachCall(start, {
    open: (beginning) => beginning.open({}, HERE),
    async judge({ rig, mirror }, call, lived) {
      if (lived) return;
      const restarted = rig.mirror(HERE, mirror.copyAfterPowerCut());
      restarted.requests.length = 0;
      await judge({ rig, mirror: restarted, after: `power cut at call ${call}` });
    },
  });
  expect(cuts).toBeGreaterThan(15);
}

/** Two syncs leave these files, and nothing is sent. */
async function expectHome({ mirror, after }: Cut, files: readonly (readonly [path: string, text: string])[]) {
  await mirror.sync();
  await mirror.sync();
  expect(mirror.texts(), after).toEqual(new Map(files));
  expect(
    mirror.requests.filter((request) => !request.startsWith("GET")),
    after,
  ).toEqual([]);
}

test("power is cut at any call while links are rewritten, and their target is moved again: each leads to it, and nothing is sent (I13)", async () => {
  const start = await begin((rig) => {
    const c = rig.app.create("sub/c.md", "# Travel\n");
    const a = rig.app.create("a.md", `[c](${c})\n`);
    rig.app.edit("sub/c.md", `# Travel\n\n[a](${a})\n`);
  });
  start.rig.app.renameFolder("sub", "under");
  await cutAtEachCall(start, async (cut) => {
    const { rig } = cut;
    rig.app.rename("under/c.md", "e.md");
    rig.app.renameFolder("under", "over");
    await expectHome(cut, [
      ["a.md", "[c](over/e.md)\n"],
      ["over/e.md", "# Travel\n\n[a](../a.md)\n"],
    ]);
  });
});

test.each([
  ["a folder", "box/a.md", "deep/box/a.md"],
  ["a file", "a.md", "deep/a.md"],
])(
  "power is cut at any call while %s is moved: its links are known, and an edit on the service arrives (I13)",
  async (what, from, to) => {
    const start = await begin((rig) => {
      const b = rig.app.create("b.md", "b\n");
      rig.app.create(from, `[b](${b})\n`);
      rig.app.makeFolder("deep");
    });
    // Files that are older than the last scan are not read again.
    start.mirror.disk.advance(5_000);
    await start.mirror.sync();
    const b = start.rig.app.files().get("b.md")!.id;
    if (what === "a folder") start.rig.app.moveFolder("box", "deep");
    else start.rig.app.move(from, "deep");
    await cutAtEachCall(start, async (cut) => {
      await cut.mirror.sync();
      cut.rig.app.edit(to, `[b](${b})\n\nand more\n`);
      await expectHome(cut, [
        ["b.md", "b\n"],
        [to, `[b](${what === "a folder" ? "../../" : "../"}b.md)\n\nand more\n`],
      ]);
    });
  },
);

test("power is cut at any call while a file is replaced, and its targets change places: its old bytes are no edit (I13)", async () => {
  const start = await begin((rig) => {
    const [b, c] = [rig.app.create("b.md", "b\n"), rig.app.create("c.md", "of c\n")];
    rig.app.create("a.md", `[b](${b}) [c](${c})\n`);
  });
  const [b, c] = ["b.md", "c.md"].map((path) => start.rig.app.files().get(path)!.id);
  start.rig.app.edit("a.md", `[b](${b}) [c](${c})\n\nand more\n`);
  await cutAtEachCall(start, async (cut) => {
    const { app } = cut.rig;
    app.rename("b.md", "d.md");
    app.rename("c.md", "b.md");
    app.rename("d.md", "c.md");
    await expectHome(cut, [
      ["a.md", "[b](c.md) [c](b.md)\n\nand more\n"],
      ["b.md", "of c\n"],
      ["c.md", "b\n"],
    ]);
  });
});
