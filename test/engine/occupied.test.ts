import { expect, it } from "vitest";
import { createRig } from "../simulator/rig.ts";

it("a rename onto what the key cannot read ends when the file gets another name, without a manual retry", async () => {
  const rig = createRig(12);
  rig.app.create("plan.md", "a plan\n");
  rig.app.create("box/a.md", "a\n");
  const hidden = rig.app.create("secret.md", "for others\n");
  const mirror = rig.mirror({ key: keyWithout(rig, hidden) });
  const once = { retryRefused: false } as const;
  await mirror.sync();
  mirror.disk.user.rename(mirror.path("plan.md"), mirror.path("secret.md"));
  const held = (await mirror.sync({}, once))!;
  expect(held.attention).toMatchObject([{ path: "secret.md", kind: "occupied-unseen" }]);
  mirror.requests.length = 0;
  await mirror.sync({}, once);
  expect(mirror.requests.filter((request) => request.startsWith("PATCH"))).toEqual([]);
  mirror.disk.user.rename(mirror.path("secret.md"), mirror.path("open.md"));
  expect((await mirror.sync({}, once))?.state).toBe("in-sync");
  expect([...rig.app.files().keys()].sort()).toEqual(["box/a.md", "open.md", "secret.md"]);
});

it("I02 I19 a new folder where the key may see nothing is held with what is in it, and nothing is taken away", async () => {
  const rig = createRig(13);
  rig.app.create("note.md", "a note\n");
  rig.app.makeFolder("box");
  const { data } = rig.app.call("GET", "/v1/folders?path=%2Fbox").json as { data: readonly [{ id: string }] };
  // The grant stays with the path.
  const key = keyWithout(rig, data[0].id);
  rig.app.removeFolder("box");
  const mirror = rig.mirror({ key });
  await mirror.sync();
  mirror.disk.user.makeFolder(mirror.path("box"));
  mirror.write("box/mine.md", "mine\n");
  for (let run = 0; run < 3; run++) {
    const report = await mirror.sync();
    expect(report?.state).toBe("attention");
    expect(mirror.state.load().blocks.get("box")?.reason).toBe("read-only");
    expect(mirror.texts().get("box/mine.md")).toBe("mine\n");
  }
  expect([...rig.app.files().keys()]).toEqual(["note.md"]);
});

/** A key with Full access to everything but one document or folder, which it cannot read. */
function keyWithout(rig: ReturnType<typeof createRig>, hidden: string): string {
  return rig.makeKey({ on: null, level: "full" }, { on: hidden, level: "none" }).key;
}
