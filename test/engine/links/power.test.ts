import { expect, test } from "vitest";
import type { Mirror, MirrorCopy } from "../../simulator/mirror.ts";
import { createRig, type Rig, type RigCopy } from "../../simulator/rig.ts";

/**
 * A power cut may take all of the state that nothing made safe, and leave all that was written to
 * the disk: files that link by paths of which the state knows nothing.
 */

const HERE = { links: true } as const;

type Start = { readonly rig: RigCopy; readonly mirror: MirrorCopy };

async function begin(fill: (rig: Rig) => void): Promise<Start> {
  const rig = createRig(1);
  fill(rig);
  const mirror = rig.mirror(HERE);
  await mirror.sync();
  return { rig: rig.copy(), mirror: mirror.copy() };
}

type Cut = { readonly rig: Rig; readonly mirror: Mirror; readonly after: string };

/** A pass that loses its power at each of its calls, one after the other. */
async function* cutOff(start: Start, change: (rig: Rig) => void): AsyncGenerator<Cut> {
  const again = (): { rig: Rig; mirror: Mirror } => {
    const rig = createRig(1, {}, undefined, start.rig);
    const mirror = rig.mirror(HERE, start.mirror);
    change(rig);
    return { rig, mirror };
  };
  const whole = again();
  await whole.mirror.sync();
  const calls = whole.mirror.calls();
  expect(calls).toBeGreaterThan(50);
  for (let kill = 1; kill <= calls; kill += 3) {
    const { rig, mirror } = again();
    mirror.killAt(kill);
    await mirror.sync();
    const restarted = rig.mirror(HERE, mirror.copyAfterPowerCut());
    restarted.requests.length = 0;
    yield { rig, mirror: restarted, after: `power cut at call ${kill}` };
  }
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
  for await (const cut of cutOff(start, (there) => there.app.renameFolder("sub", "under"))) {
    const { rig } = cut;
    rig.app.rename("under/c.md", "e.md");
    rig.app.renameFolder("under", "over");
    await expectHome(cut, [
      ["a.md", "[c](over/e.md)\n"],
      ["over/e.md", "# Travel\n\n[a](../a.md)\n"],
    ]);
  }
});

test("power is cut at any call while an edit comes with a new link, whose target is moved again: it leads home (I13)", async () => {
  const start = await begin((rig) => {
    rig.app.create("sub/c.md", "# Travel\n");
    rig.app.create("a.md", "see\n");
  });
  const change = (rig: Rig): void => {
    rig.app.rename("sub/c.md", "d.md");
    // Written as a new file, it is not known by its inode.
    rig.app.edit("sub/d.md", "# Meals\n");
    rig.app.edit("a.md", `see [c](${rig.app.files().get("sub/d.md")!.id})\n`);
  };
  for await (const cut of cutOff(start, change)) {
    const { rig } = cut;
    rig.app.rename("sub/d.md", "e.md");
    await expectHome(cut, [
      ["a.md", "see [c](sub/e.md)\n"],
      ["sub/e.md", "# Meals\n"],
    ]);
  }
});

test("power is cut after links were written anew in a file that a person then moves: it is known by its bytes (I09, I13)", async () => {
  const start = await begin((rig) => {
    const c = rig.app.create("c.md", "# Travel\n");
    const b = rig.app.create("b.md", "# Meals\n");
    rig.app.makeFolder("sub");
    rig.app.makeFolder("deep");
    rig.app.create("sub/a.md", `[c](${c}) and [b](${b})\n`);
  });
  const change = (rig: Rig): void => {
    rig.app.moveFolder("sub", "deep");
    rig.app.remove("b.md");
  };
  for await (const { rig, mirror, after } of cutOff(start, change)) {
    if (!mirror.texts().has("deep/sub/a.md")) continue;
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
  }
});
