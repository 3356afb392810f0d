/** Cases about pages and their cursors (`src/contract/README.md`, "Pagination rules"). */

import assert from "node:assert/strict";
import { createItem, createItems, listIds, type ItemKind, ITEM_KINDS, makeName, listPaths } from "./list-helpers.ts";
import { type CaseSetup, type ContractCase, defineAssumedCase, defineCase } from "./world.ts";

async function beginPaging(setup: CaseSetup, kind: ItemKind, { count, limit }: { count: number; limit: number }) {
  const paths = await createItems(setup, kind, count);
  const query = { parent_id: setup.folder.id, limit };
  const firstPage = await setup.api.page(kind, query);
  return { paths, query, first: firstPage, cursor: firstPage.nextCursor! };
}

const pageCases = ITEM_KINDS.flatMap((kind): ContractCase[] => [
  defineCase(`pages through everything once, in the order of creation: ${kind}`, async (setup) => {
    const paths = await createItems(setup, kind, 23);
    for (const limit of [1, 5, 22, 23, 24]) {
      assert.deepEqual(await setup.api.paths(kind, { parent_id: setup.folder.id, limit }), paths);
      assert.deepEqual(await setup.api.paths(kind, { path_prefix: setup.folder.path, limit }), paths);
    }
  }),
  defineCase(`misses and repeats nothing when items are renamed between pages: ${kind}`, async (setup) => {
    const { api, folder } = setup;
    const { paths, query, first, cursor } = await beginPaging(setup, kind, { count: 6, limit: 2 });
    const allItems = (await api.page(kind, { parent_id: folder.id })).data;
    for (const [i, item] of allItems.entries()) {
      (await api.patch(`/v1/${kind}/${item.id}`, { name: makeName(kind, `renamed-${9 - i}`) })).ok(200);
    }
    const secondPage = await api.page(kind, { ...query, cursor });
    const thirdPage = await api.page(kind, { ...query, cursor: secondPage.nextCursor! });
    const listedIds = [first, secondPage, thirdPage].flatMap((page) => listIds(page));
    assert.deepEqual(listedIds, listIds({ data: allItems }));
    assert.equal(listedIds.length, paths.length);
    assert.equal(thirdPage.hasMore, false);
  }),
  defineCase(`shows what was created between pages, also after the last item was deleted: ${kind}`, async (setup) => {
    const { api, folder } = setup;
    const { query, first, cursor } = await beginPaging(setup, kind, { count: 3, limit: 2 });
    const lastItem = (await api.page(kind, { parent_id: folder.id })).data.at(-1)!;
    (await api.delete(`/v1/${kind}/${lastItem.id}`)).deleted();
    (await api.delete(`/v1/${kind}/${first.data.at(-1)!.id}`)).deleted();
    const id = await createItem(setup, kind, `${folder.path}/new`);
    const secondPage = await api.page(kind, { ...query, cursor });
    assert.deepEqual(listIds(secondPage), [id]);
  }),
  defineCase(`answers an empty last page when the rest was deleted between pages: ${kind}`, async (setup) => {
    const { api, folder } = setup;
    const { query, cursor } = await beginPaging(setup, kind, { count: 3, limit: 2 });
    for (const item of (await api.page(kind, { parent_id: folder.id })).data)
      (await api.delete(`/v1/${kind}/${item.id}`)).deleted();
    const secondPage = await api.page(kind, { ...query, cursor });
    assert.deepEqual([secondPage.data, secondPage.hasMore, secondPage.nextCursor], [[], false, null]);
  }),
]);

const cursorKindCases = ITEM_KINDS.flatMap((kind): ContractCase[] => [
  defineAssumedCase(`takes a cursor again, and with another limit: ${kind}`, async (setup) => {
    const { paths, query, cursor } = await beginPaging(setup, kind, { count: 5, limit: 2 });
    for (const limit of [1, 3, 3, 100]) {
      const page = await setup.api.page(kind, { ...query, limit, cursor });
      assert.deepEqual(listPaths(page), paths.slice(2, 2 + limit));
    }
  }),
  defineCase(`refuses a cursor of a query with other filters: ${kind}`, async (setup) => {
    const { api, folder } = setup;
    const cursor = encodeURIComponent((await beginPaging(setup, kind, { count: 3, limit: 1 })).cursor);
    const otherKind = kind === "files" ? "folders" : "files";
    for (const target of [
      `${kind}?cursor=${cursor}`,
      `${kind}?path_prefix=${folder.path}&cursor=${cursor}`,
      `${otherKind}?parent_id=${folder.id}&cursor=${cursor}`,
      `${otherKind}?cursor=${cursor}`,
    ]) {
      (await api.get(`/v1/${target}`)).problem("invalid_cursor");
    }
  }),
  defineAssumedCase(`refuses a cursor beside a path: ${kind}`, async (setup) => {
    const { cursor: issued } = await beginPaging(setup, kind, { count: 3, limit: 1 });
    for (const cursor of [issued, "x", ""]) {
      const reply = await setup.api.get(
        `/v1/${kind}?path=${makeName(kind, "/x")}&cursor=${encodeURIComponent(cursor)}`,
      );
      reply.invalid("/cursor");
    }
  }),
  defineCase(`refuses a cursor that was not issued: ${kind}`, async (setup) => {
    const { api, folder } = setup;
    const { cursor: issued } = await beginPaging(setup, kind, { count: 3, limit: 1 });
    const changedCursor = [...issued];
    changedCursor[8] = changedCursor[8] === "A" ? "B" : "A";
    const almostIssued = [changedCursor.join(""), `${issued}A`, issued.slice(0, -1)];
    for (const cursor of ["", "x", "0", "MQ==", "a".repeat(5_000), ...almostIssued]) {
      const reply = await api.get(`/v1/${kind}?parent_id=${folder.id}&cursor=${encodeURIComponent(cursor)}`);
      reply.problem("invalid_cursor");
    }
  }),
]);

export const cursorCases: readonly ContractCase[] = [...pageCases, ...cursorKindCases];
