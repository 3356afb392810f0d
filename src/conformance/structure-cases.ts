/** Cases about `.qontext.structure.md`. It is an ordinary file, except that no search finds it. */

import assert from "node:assert/strict";
import { SEARCH_KINDS, createDocument, findPaths } from "./search-helpers.ts";
import { type ContractCase, defineAssumedCase } from "./world.ts";

export const structureCases: readonly ContractCase[] = SEARCH_KINDS.flatMap((kind) => [
  defineAssumedCase(`finds no configuration of a folder: ${kind}`, async (setup) => {
    const file = await createDocument(setup, "kept/.qontext.structure.md", "quokka\n");
    assert.deepEqual(await findPaths(setup, kind, "quokka"), []);
    (await setup.api.patch(`/v1/files/${file.id}`, { name: "rules.md" })).ok(200);
    assert.deepEqual(await findPaths(setup, kind, "quokka"), ["kept/rules.md"]);
    (await setup.api.patch(`/v1/files/${file.id}`, { name: ".qontext.structure.md" })).ok(200);
    assert.deepEqual(await findPaths(setup, kind, "quokka"), []);
    (await setup.api.edit(file.id, file.lastChangeId, "quokka still\n")).edited();
    assert.deepEqual(await findPaths(setup, kind, "quokka"), []);
    assert.equal((await setup.api.read(file.id)).content, "quokka still\n");
  }),
]);
