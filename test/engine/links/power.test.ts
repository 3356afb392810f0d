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

test("power is cut at any call while links are written anew, and their target is moved again: each leads home, and nothing is sent (I13)", async () => {
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

test("power is cut at any call while an edit comes with a new link, whose target is moved again: it leads home (I13)", async () => {
  const start = await begin((rig) => {
    rig.app.create("sub/c.md", "# Travel\n");
    rig.app.create("a.md", "see\n");
  });
  const { app } = start.rig;
  app.rename("sub/c.md", "d.md");
  // Written as a new file, it is not known by its inode.
  app.edit("sub/d.md", "# Meals\n");
  app.edit("a.md", `see [c](${app.files().get("sub/d.md")!.id})\n`);
  await cutAtEachCall(start, async (cut) => {
    cut.rig.app.rename("sub/d.md", "e.md");
    await expectHome(cut, [
      ["a.md", "see [c](sub/e.md)\n"],
      ["sub/e.md", "# Meals\n"],
    ]);
  });
});

test("power is cut after links were written anew in a file that a person then moves: it is known by its bytes (I09, I13)", async () => {
  const start = await begin((rig) => {
    const c = rig.app.create("c.md", "# Travel\n");
    const b = rig.app.create("b.md", "# Meals\n");
    rig.app.makeFolder("sub");
    rig.app.makeFolder("deep");
    rig.app.create("sub/a.md", `[c](${c}) and [b](${b})\n`);
  });
  start.rig.app.moveFolder("sub", "deep");
  start.rig.app.remove("b.md");
  await cutAtEachCall(start, async ({ rig, mirror, after }) => {
    if (!mirror.texts().has("deep/sub/a.md")) return;
    const { id, text } = rig.app.files().get("deep/sub/a.md")!;
    mirror.disk.user.rename(mirror.path("deep/sub"), mirror.path("sub"));
    mirror.disk.advance(10);
    await mirror.sync();
    await mirror.sync();
    // Where base did not know of the move yet, that was no move.
    const path = rig.app.files().has("sub/a.md") ? "sub/a.md" : "deep/sub/a.md";
    expect(rig.app.files().get(path), after).toMatchObject({ id, text });
    const c = path === "sub/a.md" ? "../c.md" : "../../c.md";
    expect(mirror.texts().get(path)!.startsWith(`[c](${c}) `), after).toBe(true);
  });
});
