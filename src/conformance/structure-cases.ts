import assert from "node:assert/strict";
import { KINDS, createDocument, foundPaths } from "./search-helpers.ts";
import { type ContractCase, defineAssumedCase } from "./world.ts";

/** `.qontext.structure.md`: a file like any other, except that no search finds it. */

export const structureCases: readonly ContractCase[] = KINDS.flatMap((kind) => [
  defineAssumedCase(`finds no configuration of a folder: ${kind}`, async (world) => {
    const file = await createDocument(world, "kept/.qontext.structure.md", "quokka\n");
    assert.deepEqual(await foundPaths(world, kind, "quokka"), []);
    (await world.api.patch(`/v1/files/${file.id}`, { name: "rules.md" })).ok(200);
    assert.deepEqual(await foundPaths(world, kind, "quokka"), ["kept/rules.md"]);
    (await world.api.patch(`/v1/files/${file.id}`, { name: ".qontext.structure.md" })).ok(200);
    assert.deepEqual(await foundPaths(world, kind, "quokka"), []);
    (await world.api.edit(file.id, file.lastChangeId, "quokka still\n")).edited();
    assert.deepEqual(await foundPaths(world, kind, "quokka"), []);
    assert.equal((await world.api.read(file.id)).content, "quokka still\n");
  }),
]);
