import assert from "node:assert/strict";
import { KINDS, createDocument, foundPaths } from "./search-helpers.ts";
import { type ContractCase, defineAssumedCase, expectEdited, expectOk } from "./world.ts";

/** `.qontext.structure.md`: a file like any other, except that no search finds it. */

export const structureCases: readonly ContractCase[] = KINDS.flatMap((kind) => [
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
