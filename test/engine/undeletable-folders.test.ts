import { describe, expect, it } from "vitest";
import type { Mirror, MirrorOptions } from "../simulator/mirror.ts";
import { createRig, type Rig } from "../simulator/rig.ts";

/**
 * Services without a route to move or delete folders: what such a folder stands in the way of ends
 * by itself.
 */

async function start(
  options: MirrorOptions,
  variant: Parameters<typeof createRig>[1],
): Promise<{ rig: Rig; mirror: Mirror }> {
  const rig = createRig(43, variant);
  for (const [path, text] of Object.entries({ "docs/a.md": "a\n", "other/b.md": "b\n", "k.md": "k\n" }))
    rig.app.create(path, text);
  const mirror = rig.mirror(options);
  await mirror.sync();
  return { rig, mirror };
}

async function settled(mirror: Mirror): Promise<void> {
  expect((await mirror.sync())?.state).toBe("in-sync");
  mirror.requests.length = 0;
  expect((await mirror.sync())?.state).toBe("in-sync");
  expect(mirror.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
}

const missing = { status: 405, code: "method_not_allowed", title: "", detail: "", type: "x:y" };
const answer = { status: 405, headers: { "content-type": "application/problem+json" }, body: JSON.stringify(missing) };

describe.each([
  ["neither PATCH nor DELETE of folders", { noFolderPatchOrDelete: 405 as const }],
  [
    "no DELETE of folders",
    {
      fault: ({ method, path }: { method: string; path: string }) =>
        method === "DELETE" && path.startsWith("/v1/folders/") ? answer : null,
    },
  ],
])("%s", (_, variant) => {
  it("I01 I09 a folder takes the name of a locally removed one: its documents move into that one, with their ids, and back", async () => {
    const { rig, mirror } = await start({}, variant);
    const { id } = rig.app.files().get("other/b.md")!;
    mirror.disk.user.remove(mirror.path("docs"));
    await settled(mirror);
    mirror.disk.user.rename(mirror.path("other"), mirror.path("docs"));
    await settled(mirror);
    expect(rig.app.files().get("docs/b.md")?.id).toBe(id);
    mirror.write("docs/c.md", "c\n");
    await settled(mirror);
    expect([...rig.app.files().keys()].sort()).toEqual(["docs/b.md", "docs/c.md", "k.md"]);
    mirror.disk.user.rename(mirror.path("docs"), mirror.path("other"));
    await settled(mirror);
    expect([...rig.app.files().keys()].sort()).toEqual(["k.md", "other/b.md", "other/c.md"]);
    expect(rig.app.files().get("other/b.md")?.id).toBe(id);
    expect([...mirror.texts().keys()].sort()).toEqual(["k.md", "other/b.md", "other/c.md"]);
  });
});

it("I01 a folder removed locally, renamed on the service, and created locally under that name is that folder", async () => {
  const { rig, mirror } = await start({}, { noFolderPatchOrDelete: 404 });
  mirror.disk.user.remove(mirror.path("docs"));
  await settled(mirror);
  rig.app.renameFolder("docs", "texts");
  mirror.disk.user.makeFolder(mirror.path("texts"));
  await settled(mirror);
  mirror.write("texts/c.md", "c\n");
  await settled(mirror);
  expect([...rig.app.files().keys()].sort()).toEqual(["k.md", "other/b.md", "texts/c.md"]);
  expect(rig.app.folders()).toEqual(["other", "texts"]);
});

it("I08 I16 a folder whose name changes only in case, where the disk takes both for one and the service cannot rename it", async () => {
  const { rig, mirror } = await start({ disk: { foldsCase: true } }, { noFolderPatchOrDelete: 405 });
  mirror.disk.user.rename(mirror.path("docs"), mirror.path("Docs"));
  await settled(mirror);
  mirror.write("Docs/c.md", "c\n");
  await settled(mirror);
  expect([...mirror.texts().keys()].sort()).toEqual(["Docs/a.md", "Docs/c.md", "k.md", "other/b.md"]);
  expect([...rig.app.files().keys()].sort()).toEqual(["docs/a.md", "docs/c.md", "k.md", "other/b.md"]);
});

it("I02 a new folder on the service, at the place of one that was removed locally and renamed on the service, is linked by one run", async () => {
  const { rig, mirror } = await start({}, { noFolderPatchOrDelete: 404 });
  mirror.disk.user.remove(mirror.path("docs"));
  await settled(mirror);
  rig.app.renameFolder("docs", "docs-2");
  await settled(mirror);
  rig.app.create("docs/new.md", "new\n");
  expect((await mirror.sync())?.state).toBe("in-sync");
  const end = await mirror.plan();
  expect(end.kind === "planned" ? end.plan.steps : end).toEqual([]);
  expect([...mirror.texts().keys()].sort()).toEqual(["docs/new.md", "k.md", "other/b.md"]);
});
