import assert from "node:assert/strict";
import { searchUntilStable, SEARCH_KINDS, createDocument } from "../../../src/conformance/search-helpers.ts";
import type { Json } from "../../../src/conformance/world.ts";
import { adminTest, type ContractTest } from "./world.ts";

export const hiddenSearchTests: readonly ContractTest[] = SEARCH_KINDS.flatMap((kind) => [
  adminTest(`omits what the key cannot read, and does not count it: ${kind}`, async (world) => {
    const open = await world.api.folder(`${world.folder.path}/open`);
    const files = [];
    for (let n = 0; n < 5; n++)
      files.push(await createDocument(world, `hidden/${n}.md`, "pangolin pangolin pangolin\n"));
    await createDocument(world, "open/seen.md", "one pangolin among other words\n");
    const one = await createDocument(world, "open/denied.md", "pangolin\n");
    const { key } = await world.admin().key([
      { on: open.id, level: "read" },
      { on: files[3]!.id, level: "read" },
      { on: one.id, level: "none" },
    ]);
    const items = (await searchUntilStable({ ...world, api: world.as(key) }, kind, "pangolin", { limit: 2 })).ok(200)
      .data as Json[];
    assert.deepEqual(items.map(({ path }) => path.slice(world.folder.path.length + 1)).sort(), [
      "hidden/3.md",
      "open/seen.md",
    ]);
  }),
  adminTest(`finds nothing of another workspace: ${kind}`, async (world) => {
    const { api } = world.admin();
    const other = (await api.post("/admin/workspaces", { name: "other" })).ok(201);
    await world.as(other.key).file("theirs.md", "axolotl\n");
    await createDocument(world, "ours.md", "axolotl\n");
    const seen = (await searchUntilStable(world, kind, "axolotl")).ok(200).data as Json[];
    const seenThere = (await searchUntilStable({ ...world, api: world.as(other.key) }, kind, "axolotl")).ok(200)
      .data as Json[];
    await api.delete(`/admin/workspaces/${other.workspaceId}`);
    assert.deepEqual([seen.length, seenThere.map(({ path }) => path)], [1, ["/theirs.md"]]);
  }),
]);
