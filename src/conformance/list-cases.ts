/**
 * Cases about lists of files and lists of folders (`src/contract/README.md`, "Pagination rules").
 */
import assert from "node:assert/strict";
import {
  type CaseSetup,
  type ContractCase,
  createItem,
  createItems,
  defineAssumedCase,
  defineCase,
  ITEM_KINDS,
  type ItemKind,
  listIds,
  listPaths,
  makeName,
} from "./world.ts";

const limitCases = ITEM_KINDS.flatMap((kind): ContractCase[] => [
  defineCase(`answers the list envelope: ${kind}`, async (setup) => {
    const [path] = await createItems(setup, kind, 1);
    const page = await setup.api.page(kind, { parent_id: setup.folder.id });
    assert.deepEqual(Object.keys(page).sort(), ["data", "hasMore", "nextCursor", "object", "url"]);
    assert.equal(page.object, "list");
    assert.match(page.url, new RegExp(`/v1/${kind}`));
    assert.equal(page.hasMore, false);
    assert.equal(page.nextCursor, null);
    assert.deepEqual(listPaths(page), [path]);
  }),
  defineCase(`refuses a limit of 0 and of 1,001 as out of range: ${kind}`, async ({ api }) => {
    for (const limit of ["0", "1001", "-1", "99999999"]) {
      const problem = (await api.get(`/v1/${kind}?limit=${limit}`)).invalid("/limit");
      assert.equal(problem.errors?.[0]?.code, "out_of_range");
    }
  }),
  defineCase(`takes a limit of 1, 2, 999 and 1,000: ${kind}`, async ({ api }) => {
    for (const limit of [1, 2, 999, 1_000]) {
      const page = await api.page(kind, { limit });
      assert.ok(page.data.length <= limit);
    }
  }),
  defineCase(`refuses a limit that is not a whole decimal number: ${kind}`, async ({ api }) => {
    const noNumbers = ["", "abc", "NaN", "null"];
    const otherNotations = ["1e2", "+5", "%205", "5%20", "5.0", "05", "0x10", "1_0", "%D9%A3", "1,000"];
    for (const limit of [...noNumbers, ...otherNotations]) {
      (await api.get(`/v1/${kind}?limit=${limit}`)).invalid("/limit");
    }
  }),
  defineCase(`holds at most limit items a page, and 100 by default: ${kind}`, async (setup) => {
    await createItems(setup, kind, 101);
    const query = { parent_id: setup.folder.id };
    assert.equal((await setup.api.page(kind, query)).data.length, 100);
    assert.equal((await setup.api.page(kind, { ...query, limit: 1 })).data.length, 1);
    const wholePage = await setup.api.page(kind, { ...query, limit: 101 });
    assert.deepEqual([wholePage.data.length, wholePage.hasMore, wholePage.nextCursor], [101, false, null]);
    const shortPage = await setup.api.page(kind, { ...query, limit: 100 });
    assert.deepEqual([shortPage.data.length, shortPage.hasMore, typeof shortPage.nextCursor], [100, true, "string"]);
  }),
  defineCase(`refuses an unknown parameter and names it: ${kind}`, async ({ api }) => {
    (await api.get(`/v1/${kind}?offset=3`)).invalid("/offset");
    (await api.get(`/v1/${kind}?Limit=3`)).invalid("/Limit");
    (await api.get(`/v1/${kind}?a~b%2Fc=3`)).invalid("/a~0b~1c");
    (await api.get(`/v1/${kind}?limit=0&x=1&y=2`)).invalid("/x", "/y");
  }),
  defineAssumedCase(`refuses a repeated parameter: ${kind}`, async ({ api }) => {
    (await api.get(`/v1/${kind}?limit=3&limit=3`)).invalid("/limit");
    (await api.get(`/v1/${kind}?limit=3&li%6Dit=4`)).invalid("/limit");
  }),
]);

const selectorCases = ITEM_KINDS.flatMap((kind): ContractCase[] => [
  defineCase(`lists by exact path one item or none: ${kind}`, async (setup) => {
    const { api, folder } = setup;
    await createItem(setup, kind, `${folder.path}/a/b`);
    await createItem(setup, kind, `${folder.path}/a/bc`);
    const path = makeName(kind, `${folder.path}/a/b`);
    assert.deepEqual(await api.paths(kind, { path }), [path]);
    assert.deepEqual(await api.paths(kind, { path: makeName(kind, `${folder.path}/a/x`) }), []);
    assert.deepEqual(await api.paths(kind, { path: makeName(kind, `${folder.path}/x/b`) }), []);
  }),
  defineCase(`lists by path_prefix what is below, recursively: ${kind}`, async (setup) => {
    const { api, folder } = setup;
    for (const stem of ["in/a", "in/deep/er/b", "in-not/c", "in", "out/d", "in.x/e", "inner/f", "in0/g"]) {
      if (kind === "files" || stem !== "in") await createItem(setup, kind, `${folder.path}/${stem}`);
    }
    const pathsBelow = await api.paths(kind, { path_prefix: `${folder.path}/in` });
    const expectedPaths =
      kind === "files" ? ["in/a.md", "in/deep/er/b.md"] : ["in/a", "in/deep", "in/deep/er", "in/deep/er/b"];
    assert.deepEqual(
      pathsBelow.sort(),
      expectedPaths.map((path) => `${folder.path}/${path}`),
    );
    assert.deepEqual(await api.paths(kind, { path_prefix: `${folder.path}/nothing` }), []);
  }),
  defineCase(`lists by parent_id what is directly in a folder: ${kind}`, async (setup) => {
    const { api, folder } = setup;
    await createItem(setup, kind, `${folder.path}/a`);
    await createItem(setup, kind, `${folder.path}/sub/b`);
    const paths = await api.paths(kind, { parent_id: folder.id });
    assert.deepEqual(
      paths.sort(),
      kind === "files" ? [`${folder.path}/a.md`] : [`${folder.path}/a`, `${folder.path}/sub`],
    );
  }),
  defineCase(`refuses two selectors and names both: ${kind}`, async ({ api, folder }) => {
    const pairs = [
      ["path", makeName(kind, "a"), "path_prefix", "b"],
      ["path", makeName(kind, "a"), "parent_id", folder.id],
      ["path_prefix", "b", "parent_id", folder.id],
    ] as const;
    for (const [one, first, two, second] of pairs) {
      const reply = await api.get(`/v1/${kind}?${one}=${first}&${two}=${second}`);
      const problem = reply.invalid(`/${one}`, `/${two}`);
      assert.equal(problem.errors?.[0]?.code, "mutually_exclusive");
    }
  }),
  defineCase(`answers type_mismatch to a selector that names the wrong kind: ${kind}`, async ({ api }) => {
    const path = kind === "files" ? "a/folder" : "a/file.md";
    (await api.get(`/v1/${kind}?path=${path}`)).problem("type_mismatch", "/path");
    (await api.get(`/v1/${kind}?path_prefix=a/file.md`)).problem("type_mismatch", "/path_prefix");
  }),
  defineCase(`refuses a selector that is not a path, or not an id: ${kind}`, async ({ api }) => {
    for (const path of ["", "/", "a//b.md", "a/../b.md", "a%20b.md", "%ff.md", "a%00b.md", "%ED%A0%80.md"]) {
      (await api.get(`/v1/${kind}?path=${path}`)).invalid("/path");
    }
    for (const id of ["", "dir_", "doc_abc", "dir_a%20b", "dir_a:dir_b", "abc"]) {
      (await api.get(`/v1/${kind}?parent_id=${id}`)).problem("invalid_id", "/parent_id");
    }
  }),
]);

const fileOrFolderCases: readonly ContractCase[] = [
  defineCase("lists all readable files without a selector", async ({ api, folder }) => {
    const fileA = await api.file(`${folder.path}/a.md`);
    const fileB = await api.file(`${folder.path}/deep/down/b.md`);
    const paths = (await api.paths("files", { limit: 1_000 })).filter((path) => path.startsWith(`${folder.path}/`));
    assert.deepEqual(paths, [fileA.path, fileB.path]);
  }),
  defineCase("lists root folders alone without a selector", async ({ api, folder }) => {
    await api.folder(`${folder.path}/sub`);
    const paths = await api.paths("folders", { limit: 1_000 });
    assert.ok(paths.includes(folder.path));
    assert.ok(paths.every((path) => path.lastIndexOf("/") === 0));
  }),
  defineAssumedCase("lists the whole tree by path_prefix /", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/sub/deep/a.md`);
    const topFile = await api.file(`${folder.path}.md`);
    for (const limit of [1, 1_000]) {
      const folders = await api.paths("folders", { path_prefix: "/", limit });
      assert.deepEqual(
        folders.filter((path) => `${path}/`.startsWith(`${folder.path}/`)),
        [folder.path, `${folder.path}/sub`, `${folder.path}/sub/deep`],
      );
      const files = await api.paths("files", { path_prefix: "/", limit });
      assert.deepEqual(
        files.filter((path) => path.startsWith(folder.path)),
        [file.path, topFile.path],
      );
    }
    await api.delete(`/v1/files/${topFile.id}`);
  }),
  defineCase("answers an empty list of files to a parent_id that names nothing", async ({ api }) => {
    assert.deepEqual(await api.paths("files", { parent_id: "dir_00000000000000" }), []);
  }),
  defineCase("answers folder_not_found to a list of folders whose parent_id names nothing", async ({ api }) => {
    (await api.get("/v1/folders?parent_id=dir_00000000000000")).problem("folder_not_found");
  }),
  defineAssumedCase("shows in a list exactly the members of a File", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const [item] = (await api.page("files", { path: file.path })).data;
    assert.deepEqual(item, file);
    const commonFields = ["object", "parentId", "parentPath"];
    assert.deepEqual(Object.keys(file).sort(), ["id", "lastChangeId", "path", "protected", ...commonFields].sort());
  }),
];

export const listCases: readonly ContractCase[] = [...limitCases, ...selectorCases, ...fileOrFolderCases];

/** Cases about pages and their cursors (`src/contract/README.md`, "Pagination rules"). */

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
    const alteredCursors = [changedCursor.join(""), `${issued}A`, issued.slice(0, -1)];
    for (const cursor of ["", "x", "0", "MQ==", "a".repeat(5_000), ...alteredCursors]) {
      const reply = await api.get(`/v1/${kind}?parent_id=${folder.id}&cursor=${encodeURIComponent(cursor)}`);
      reply.problem("invalid_cursor");
    }
  }),
]);

export const cursorCases: readonly ContractCase[] = [...pageCases, ...cursorKindCases];
