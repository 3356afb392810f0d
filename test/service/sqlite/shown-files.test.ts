import { expect, test } from "vitest";
import { Api } from "../../../src/conformance/world.ts";
import { openService } from "../fixture.ts";

/** A list that is remembered, beside one that is not: of a key that has a grant below the root. */

async function ground() {
  const { service, api, workspaceId } = await openService();
  const names = ["a.md", "team/b.md", "team/inner/c.md", "other/d.md", "e.md"];
  const files = [];
  for (const name of names) files.push(await api.file(name));
  const [folder] = (await api.page("folders", { path: "/team" })).data;
  const grants = [
    { on: null, level: "full" },
    { on: folder!.id, level: "full" },
  ] as const;
  const made = await service.admin.createKey({ workspaceId, grants });
  if (!("key" in made)) throw new Error(made.detail);
  const asRows = new Api(service.handle, made.key);
  /** Both twice: what is remembered is made at the first look. */
  const same = async (limit = 100) => {
    for (const _ of [1, 2]) {
      const remembered = await api.page("files", { limit });
      const { data, hasMore } = await asRows.page("files", { limit });
      expect({ data: remembered.data, hasMore: remembered.hasMore }).toEqual({ data, hasMore });
    }
  };
  await same();
  return { api, files, folder: folder!, same };
}

test("a list stays as it was read, after any change", async () => {
  const { api, files, folder, same } = await ground();
  const [a, b, , d] = files;
  await api.edit(a!.id, a!.lastChangeId, "edited\n");
  await same();
  await api.patch(`/v1/files/${a!.id}`, { name: "renamed.md" });
  await same();
  await api.patch(`/v1/files/${b!.id}`, { parentId: null });
  await same();
  await api.patch(`/v1/files/${d!.id}`, { protected: true });
  await same();
  await api.patch(`/v1/folders/${folder.id}`, { name: "crew" });
  await same();
  await api.delete(`/v1/files/${a!.id}`);
  await same();
  await api.delete(`/v1/folders/${folder.id}?recursive=true`);
  await same();
  await same(2);
});
