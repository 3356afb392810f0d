import { expect, test } from "vitest";
import { createRig } from "../../simulator/rig.ts";

test("a run says of the links that it sent to no document why, each reason with its first places", async () => {
  const rig = createRig(1);
  const mirror = rig.mirror({ links: true });
  mirror.write("a.md", "[none](none.md) [n](none.md) ![p](pic.png) [out](../../out.md) [b](b.md) [web](https://h/x)\n");
  mirror.write("b.md", "[a](a.md) [secret](private/x.md) [refused](bad.md)\n");
  mirror.write("pic.png", "");
  mirror.write("private/x.md", "x\n");
  mirror.write("bad.md", "nul \0\n");
  mirror.write(".mdmirrorignore", "private/\n");
  const report = await mirror.sync();
  expect(report!.inert).toEqual([
    { reason: "no-target", count: 1, first: [{ path: "a.md", to: "none.md" }] },
    { reason: "no-document", count: 1, first: [{ path: "a.md", to: "pic.png" }] },
    { reason: "outside", count: 1, first: [{ path: "a.md", to: "../../out.md" }] },
    { reason: "not-mirrored", count: 1, first: [{ path: "b.md", to: "private/x.md" }] },
    { reason: "not-created", count: 1, first: [{ path: "b.md", to: "bad.md" }] },
  ]);
  expect((await mirror.sync())!.inert).toBeUndefined();
});

test("a run that sends no such link says nothing", async () => {
  const mirror = createRig(1).mirror({ links: true });
  mirror.write("a.md", "[b](b.md)\n");
  mirror.write("b.md", "b\n");
  expect((await mirror.sync())!.inert).toBeUndefined();
});
