import assert from "node:assert/strict";
import { KINDS, make, paths } from "./search-ground.ts";
import { type ContractTest, contractTest, expectEdited, expectOk } from "./world.ts";

/** `.qontext.structure.md`: a file as any other, which no search finds. */

export const structureTests: readonly ContractTest[] = KINDS.flatMap((kind) => [
  contractTest(`finds no configuration of a folder: ${kind}`, async (world) => {
    const file = await make(world, "kept/.qontext.structure.md", "quokka\n");
    assert.deepEqual(await paths(world, kind, "quokka"), []);
    expectOk(await world.api.patch(`/v1/files/${file.id}`, { name: "rules.md" }), 200);
    assert.deepEqual(await paths(world, kind, "quokka"), ["kept/rules.md"]);
    expectOk(await world.api.patch(`/v1/files/${file.id}`, { name: ".qontext.structure.md" }), 200);
    assert.deepEqual(await paths(world, kind, "quokka"), []);
    expectEdited(await world.api.edit(file.id, file.lastChangeId, "quokka still\n"));
    assert.deepEqual(await paths(world, kind, "quokka"), []);
    assert.equal((await world.api.read(file.id)).content, "quokka still\n");
  }),
]);
