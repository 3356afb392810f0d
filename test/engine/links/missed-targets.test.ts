import { expect, test } from "vitest";
import { FILES } from "../../../src/contract/routes.ts";
import { syncToConvergence } from "../../../src/mirror/engine/run/sync.ts";
import { type Mirror, SETTINGS } from "../../simulator/mirror.ts";
import { createRig, type Rig } from "../../simulator/rig.ts";
import type { Fault } from "../../variants/variant.ts";
import { textThere } from "./linked-rig.ts";

/**
 * A clone in which a folder goes elsewhere before its document is made, and a text that links to it
 * is edited; the list of the next pass does not show that document.
 * @param act as that list is asked for
 */
async function cloneThatMisses(act: (rig: Rig) => void): Promise<{ rig: Rig; mirror: Mirror; b: string }> {
  let lists = 0;
  const fault = ({ method, path }: { readonly method: string; readonly path: string }): Fault | null => {
    if (method !== "GET" || !path.startsWith(`${FILES}?`) || ++lists !== 2) return null;
    mirror.write("a.md", "[b](box/b.md)\n\nand more\n");
    act(rig);
    const list = rig.app.call("GET", path).json as { readonly data: readonly { readonly path: string }[] };
    const data = list.data.filter((one) => !one.path.endsWith("b.md"));
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ ...list, data }) };
  };
  const rig: Rig = createRig(1, { fault });
  const b = rig.app.create("box/b.md", "b\n");
  rig.app.create("a.md", `[b](${b})\n`);
  rig.app.create("c.md", "c\n");
  const mirror = rig.mirror({ links: true });
  const { user } = mirror.disk;
  const world = mirror.world();
  lists = 0;
  mirror.disk.beforeCall = () => {
    const isLinked = mirror.state.load().dirs.size > 0;
    if (isLinked && user.exists(mirror.path("box"))) user.rename(mirror.path("box"), mirror.path("elsewhere"));
  };
  await syncToConvergence(world, { settings: SETTINGS, retryRefused: true, kind: "sync" });
  mirror.disk.beforeCall = null;
  await mirror.sync();
  await mirror.sync();
  return { rig, mirror, b };
}

test("a link to what a list does not show stays that link, though base does not know it yet (I10)", async () => {
  const { rig, mirror, b } = await cloneThatMisses(() => undefined);
  expect(mirror.texts().get("a.md")).toBe("[b](elsewhere/b.md)\n\nand more\n");
  expect(textThere(rig, "a.md")).toBe(`[b](${b})\n\nand more\n`);
});

test("a link to a document that was deleted before its download is inert", async () => {
  const { rig, mirror } = await cloneThatMisses(({ app }) => app.remove("box/b.md"));
  expect(mirror.texts().get("a.md")).toBe("[b](box/b.md)\n\nand more\n");
  expect(textThere(rig, "a.md")).toBe("[b](ref://box/b.md)\n\nand more\n");
});

test("a link to a document that a key may not read for a time has its target again afterwards (I19)", async () => {
  const rig = createRig(1);
  const b = rig.app.create("box/b.md", "b\n");
  rig.app.create("a.md", `[b](${b})\n`);
  const { admin } = rig.service;
  const made = rig.makeKey({ on: null, level: "full" });
  const mirror = rig.mirror({ links: true, key: made.key });
  await mirror.sync();
  const { data } = rig.app.call("GET", "/v1/folders?path=box").json as {
    readonly data: readonly { readonly id: string }[];
  };
  admin.setGrants(made.id, [
    { on: null, level: "full" },
    { on: data[0]!.id, level: "none" },
  ]);
  await mirror.sync();
  mirror.write("a.md", "[b](box/b.md)\n\nand more\n");
  await mirror.sync();
  expect(textThere(rig, "a.md")).toBe("[b](ref://box/b.md)\n\nand more\n");
  rig.app.rename("box/b.md", "c.md");
  admin.setGrants(made.id, [{ on: null, level: "full" }]);
  await mirror.sync();
  await mirror.sync();
  expect(textThere(rig, "a.md")).toBe(`[b](${b})\n\nand more\n`);
  expect(mirror.texts().get("a.md")).toBe("[b](box/c.md)\n\nand more\n");
});

test("a link by absolute path stays while another document has taken its target's path (I10)", async () => {
  const rig = createRig(1);
  rig.app.create("a.md", "[d](/d.md)\n");
  rig.app.create("c.md", "the third\n");
  const d = rig.app.create("d.md", "d\n");
  const mirror = rig.mirror({ links: true });
  const { user } = mirror.disk;
  const world = mirror.world();
  mirror.disk.beforeCall = (call) => {
    if (call !== "link" || !user.exists(mirror.path("c.md")) || user.exists(mirror.path("d.md"))) return;
    mirror.disk.beforeCall = null;
    user.rename(mirror.path("c.md"), mirror.path("d.md"));
  };
  await syncToConvergence(world, { settings: SETTINGS, retryRefused: true, kind: "sync" });
  mirror.disk.beforeCall = null;
  expect(textThere(rig, "a.md")).toBe("[d](/d.md)\n");
  expect(rig.app.files().get("d.md")!.id).toBe(d);
});
