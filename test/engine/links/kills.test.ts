import { expect, test } from "vitest";
import { killAtEachCall } from "../../simulator/kill-at-each-call.ts";
import type { Moment } from "../../simulator/moment.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";
import type { Mirror } from "../../simulator/mirror.ts";

const HERE = { links: true } as const;
const open = (beginning: Moment) => beginning.open({}, HERE);

async function begin(): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(1);
  const mirror = rig.mirror(HERE);
  mirror.write("a.md", "[b](b.md) [c](sub/c.md)\n");
  mirror.write("b.md", "[a](a.md)\n");
  mirror.write("sub/c.md", "[b](../b.md)\n");
  await mirror.sync();
  return { rig, mirror };
}

/** Moves one document locally, the other on the service. */
function moveAway(rig: Rig, mirror: Mirror): void {
  mirror.disk.user.makeFolder(mirror.path("deep"));
  mirror.disk.user.rename(mirror.path("b.md"), mirror.path("deep/d.md"));
  mirror.disk.advance(10);
  rig.app.renameFolder("sub", "under");
}

const AFTER = new Map([
  ["a.md", "[b](deep/d.md) [c](under/c.md)\n"],
  ["deep/d.md", "[a](../a.md)\n"],
  ["under/c.md", "[b](../deep/d.md)\n"],
]);

test("killed at any call while links are rewritten, the next runs correct each link, and send nothing (I13, I10)", async () => {
  const first = await begin();
  moveAway(first.rig, first.mirror);
  first.mirror.requests.length = 0;
  const kills = await killAtEachCall(first, {
    open,
    async judge({ mirror }, kill) {
      for (const [path, text] of mirror.texts()) expect(text, `${kill} ${path}`).toMatch(/^(\[[a-c]\]\([^)]+\) ?)+\n$/);
      await mirror.sync();
      await mirror.sync();
      expect(mirror.texts(), `killed at call ${kill}`).toEqual(AFTER);
      const sent = mirror.requests.filter((request) => /^(?:PUT|DELETE|POST .*files)/.test(request));
      expect(sent, `killed at call ${kill}`).toEqual([]);
    },
  });
  expect(kills).toBeGreaterThan(20);
});

test("killed at any call of a clone while a target moves on the service: no file is in conflict, and each link has its target (I13)", async () => {
  const first = createRig(1);
  const b = first.app.create("sub/b.md", "b\n");
  const a = first.app.create("a.md", `[b](${b})\n`);
  first.app.create("c.md", `[a](${a}) [b](${b}#part)\n`);
  const after = {
    "a.md": "[b](under/b.md)\n",
    "c.md": "[a](a.md) [b](under/b.md#part)\n",
    "under/b.md": "b\n",
  };
  await killAtEachCall(
    { rig: first, mirror: first.mirror(HERE) },
    {
      open,
      async judge({ rig, mirror }, kill) {
        rig.app.renameFolder("sub", "under");
        const report = await mirror.sync();
        expect(report!.counts, `killed at call ${kill}`).toMatchObject({ conflicts: 0, uploaded: 0 });
        await mirror.sync();
        // A file without a record is a new document if its own document has moved.
        const { "sub/b.md": _, ...texts } = Object.fromEntries(mirror.texts());
        expect(texts, `killed at call ${kill}`).toEqual(after);
      },
    },
  );
});
