import assert from "node:assert/strict";
import { KINDS, createDocument, foundPaths } from "./search-helpers.ts";
import { type ContractCase, defineAssumedCase, expectEdited, expectOk, expectProblem } from "./world.ts";

/** `.qontext.structure.md`: a file as any other, at most one a folder, which no search finds. */

const one = defineAssumedCase("holds at most one configuration a folder", async ({ api, folder }) => {
  const name = ".qontext.structure.md";
  await api.file(`${folder.path}/${name}`);
  const rules = await api.file(`${folder.path}/rules.md`);
  expectProblem(await api.post("/v1/files", { path: `${folder.path}/${name}`, content: "" }), "path_already_exists");
  expectProblem(await api.post("/v1/files", { parentId: folder.id, name, content: "" }), "path_already_exists");
  expectProblem(await api.patch(`/v1/files/${rules.id}`, { name }), "path_already_exists");
  await api.folder(`${folder.path}/other`);
  await api.file(`${folder.path}/other/${name}`);
});

const unfound: readonly ContractCase[] = KINDS.flatMap((kind) => [
  defineAssumedCase(`finds no configuration of a folder: ${kind}`, async (world) => {
    const file = await createDocument(world, "kept/.qontext.structure.md", "quokka\n");
    assert.deepEqual(await foundPaths(world, kind, "quokka"), []);
    expectOk(await world.api.patch(`/v1/files/${file.id}`, { name: "rules.md" }), 200);
    assert.deepEqual(await foundPaths(world, kind, "quokka"), ["kept/rules.md"]);
    expectOk(await world.api.patch(`/v1/files/${file.id}`, { name: ".qontext.structure.md" }), 200);
    assert.deepEqual(await foundPaths(world, kind, "quokka"), []);
    expectEdited(await world.api.edit(file.id, file.lastChangeId, "quokka still\n"));
    assert.deepEqual(await foundPaths(world, kind, "quokka"), []);
    assert.equal((await world.api.read(file.id)).content, "quokka still\n");
  }),
]);

export const structureCases: readonly ContractCase[] = [one, ...unfound];
