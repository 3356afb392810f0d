import assert from "node:assert/strict";
import { GENERATION } from "../../../src/contract/generation.ts";
import type { FileResource } from "../../../src/contract/resources.ts";
import { type Asked, askTogether, create, linesOf, put } from "./batch-wire.ts";
import { type Api, adminTest, type ContractTest, expectEdited, expectGone, expectOk, expectProblem } from "./world.ts";

/** `POST /v1/batch`, which is beside the published contract. */

const NOBODY = "doc_00000000000000";
const MOST = 64;

const times = <Item>(count: number, item: (n: number) => Item) => Array.from({ length: count }, (_, n) => item(n));

const requests: readonly ContractTest[] = [
  adminTest("says on each list how many requests a batch may hold, and nowhere else", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const lists = ["/v1/files", "/v1/files?path_prefix=/", "/v1/files?limit=1", "/v1/folders"];
    for (const path of [...lists, `/v1/files/${file.id}`, "/v1/files?limit=0"]) {
      const named = (await api.get(path)).headers["x-service-batch"];
      assert.equal(named, lists.includes(path) ? String(MOST) : undefined, path);
    }
  }),
  adminTest("answers each request of a batch as if it had come by itself", async ({ api, folder }) => {
    const [read, renamed, edited, gone] = (await Promise.all(
      ["read", "renamed", "edited", "gone"].map((name) => api.file(`${folder.path}/${name}.md`)),
    )) as [FileResource, FileResource, FileResource, FileResource];
    const other = await api.folder(`${folder.path}/other`);
    const replies = await askTogether(api, [
      ["GET", `/v1/files/${read.id}`],
      create(`${folder.path}/new.md`, "ä\u2028\n"),
      ["PATCH", `/v1/files/${renamed.id}`, { name: "after.md" }],
      put(edited, "more\n"),
      ["DELETE", `/v1/files/${gone.id}`],
      ["GET", `/v1/folders/${folder.id}`],
      ["POST", "/v1/folders", { path: `${folder.path}/sub` }],
      ["PATCH", `/v1/folders/${other.id}`, { name: "others" }],
      ["GET", `/v1/files/${NOBODY}`],
      ["POST", "/v1/files", "{"],
    ]);
    const [first, made, patched, saved, deleted, shown, folderMade, folderPatched, missing, broken] = replies;
    assert.deepEqual(expectOk(first!, 200), { ...read, content: "text\n" });
    const { id } = expectOk(made!, 201);
    assert.equal((await api.read(id)).content, "ä\u2028\n");
    assert.equal(expectOk(patched!, 200).path, `${folder.path}/after.md`);
    assert.equal(expectEdited(saved!).content, "more\n");
    expectGone(deleted!);
    assert.deepEqual(expectOk(shown!, 200), folder);
    assert.equal(expectOk(folderMade!, 201).path, `${folder.path}/sub`);
    assert.equal(expectOk(folderPatched!, 200).path, `${folder.path}/others`);
    expectProblem(missing!, "file_not_found");
    expectProblem(broken!, "invalid_request");
    expectProblem(await api.get(`/v1/files/${gone.id}`), "file_not_found");
    assert.equal(new Set(replies.map(({ headers }) => headers["x-request-id"])).size, replies.length);
    assert.equal(new Set(replies.map(({ headers }) => headers[GENERATION])).size, 1);
  }),
  adminTest("refuses what does not stand in a batch, and answers the rest", async ({ api, folder }) => {
    const alone: readonly Asked[] = [
      ["GET", "/v1/files"],
      ["GET", "/v1/folders?path_prefix=/"],
      ["POST", "/v1/search/hybrid", { query: "text" }],
      ["POST", "/v1/search/regex", { query: "text" }],
      ["GET", "/v1/events"],
      ["POST", "/v1/batch", linesOf([["GET", `/v1/files/${NOBODY}`]]).trimEnd()],
      ["POST", "/auth/validate-key", {}],
      ["GET", "/admin/keys"],
      ["DELETE", "/admin/workspaces/wsp_00000000000000"],
    ];
    const replies = await askTogether(api, [...alone.map((one) => [...one] as Asked), create(`${folder.path}/a.md`)]);
    for (const reply of replies.slice(0, -1)) expectProblem(reply, "invalid_request");
    expectOk(replies.at(-1)!, 201);
  }),
  adminTest("answers not_found to what is no endpoint, in a batch as by itself", async ({ api, folder }) => {
    const { id } = await api.file(`${folder.path}/a.md`);
    const odd: readonly Asked[] = [
      ["get", `/v1/files/${id}`],
      ["", `/v1/files/${id}`],
      ["GET", `http://localhost/v1/files/${id}`],
      ["GET", `v1/files/${id}`],
      ["GET", `/v1/folders/../files/${id}`],
      ["GET", `//v1/files/${id}`],
      ["GET", `%2Fv1/files/${id}`],
      ["GET", "/v1/files/"],
      ["GET", ""],
      ["PUT", `/v1/files/${id}`, {}],
    ];
    for (const reply of await askTogether(api, odd)) expectProblem(reply, "not_found");
    const [query, encoded] = await askTogether(api, [
      ["GET", `/v1/files/${id}?content=no`],
      ["GET", `/v1/files/${id.replace("_", "%5F")}`],
    ]);
    expectProblem(query!, "invalid_request", "/content");
    assert.equal(expectOk(encoded!, 200).id, id);
  }),
  adminTest("takes 64 requests in a batch, each with the longest text, and not one more", async ({ api, folder }) => {
    const longest = `${"x".repeat(79)}\n`.repeat(640);
    const made = await askTogether(
      api,
      times(MOST, (n) => create(`${folder.path}/${n}.md`, longest)),
    );
    for (const reply of made) expectOk(reply, 201);
    const read = await askTogether(
      api,
      made.map(({ json }): Asked => ["GET", `/v1/files/${json.id}`]),
    );
    for (const reply of read) assert.equal(expectOk(reply, 200).content, longest);
    const more = times(MOST + 1, (n) => create(`${folder.path}/more-${n}.md`));
    expectProblem(await api.batch(linesOf(more)), "invalid_request");
    assert.equal((await api.paths("files", { path_prefix: folder.path })).length, MOST);
  }),
  adminTest("makes one of 64 documents that are created at one path", async ({ api, folder }) => {
    const path = `${folder.path}/new/one.md`;
    const replies = await askTogether(
      api,
      times(MOST, (n) => create(path, `${n}\n`)),
    );
    const made = replies.findIndex(({ status }) => status === 201);
    for (const [n, reply] of replies.entries()) if (n !== made) expectProblem(reply, "path_already_exists");
    assert.equal((await api.read(expectOk(replies[made]!, 201).id)).content, `${made}\n`);
    assert.deepEqual(await api.paths("files", { path_prefix: folder.path }), [path]);
  }),
  adminTest("combines two edits on one base that stand in one batch, or lets one wait", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`, "alpha\n\nmiddle\n\nomega\n");
    const texts = ["ALPHA\n\nmiddle\n\nomega\n", "alpha\n\nmiddle\n\nOMEGA\n"];
    for (const edit of await askTogether(
      api,
      texts.map((text) => put(file, text)),
    ))
      expectEdited(edit);
    assert.equal((await api.read(file.id)).content, "ALPHA\n\nmiddle\n\nOMEGA\n");
    const other = await api.file(`${folder.path}/b.md`, "word\n");
    const both = await askTogether(
      api,
      ["one\n", "two\n"].map((text) => put(other, text)),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 202]);
  }),
];

const rights: readonly ContractTest[] = [
  adminTest("answers a batch without a good key as a whole", async ({ api, as, admin, folder }) => {
    const batch = linesOf([create(`${folder.path}/a.md`)]);
    for (const nobody of [as(null), as("mdm_not-a-key")]) {
      expectProblem(await nobody.batch(batch), "unauthenticated");
      expectProblem(await nobody.batch("nonsense"), "unauthenticated");
    }
    await admin().state("closed", 7);
    const closed = await api.batch(batch);
    expectProblem(closed, "service_unavailable");
    assert.equal(closed.headers["retry-after"], "7");
    await admin().state("open");
    assert.deepEqual(await api.paths("files", { path_prefix: folder.path }), []);
  }),
  adminTest("judges each request of a batch by what its key may do", async ({ api, as, admin, folder }) => {
    const [file, secret] = await Promise.all(["a", "secret"].map((name) => api.file(`${folder.path}/${name}.md`)));
    const grants = [{ on: null, level: "read" } as const, { on: secret!.id, level: "none" } as const];
    const reader = as((await admin().key(grants)).key);
    const [read, hidden, saved, made, deleted] = await askTogether(reader, [
      ["GET", `/v1/files/${file!.id}`],
      ["GET", `/v1/files/${secret!.id}`],
      put(file!, "more\n"),
      create(`${folder.path}/b.md`),
      ["DELETE", `/v1/files/${file!.id}`],
    ]);
    expectOk(read!, 200);
    expectProblem(hidden!, "file_not_found");
    for (const refused of [saved, made, deleted]) expectProblem(refused!, "forbidden");
    expectOk(await api.patch(`/v1/files/${file!.id}`, { protected: true }), 200);
    const [submitted, kept] = await askTogether(api, [put(file!, "more\n"), ["DELETE", `/v1/files/${file!.id}`]]);
    assert.equal(expectOk(submitted!, 202).reason, "protected");
    assert.match(expectProblem(kept!, kept!.json.code).code, /^(file_protected|changes_in_review)$/);
  }),
  adminTest("counts each request of a batch for the rate of its key", async ({ as, admin, folder }) => {
    const rateLimit = { requests: 5, seconds: 3_600 };
    const limited: Api = as((await admin().key([{ on: null, level: "full" }], { rateLimit })).key);
    expectProblem(await limited.batch("malformed"), "invalid_request");
    const replies = await askTogether(
      limited,
      times(6, (n) => create(`${folder.path}/${n}.md`)),
    );
    const statuses = replies.map(({ status }) => status);
    assert.deepEqual([...statuses].sort(), [201, 201, 201, 201, 429, 429]);
    const over = replies.find(({ status }) => status === 429)!;
    expectProblem(over, "rate_limited");
    assert.match(over.headers["retry-after"] ?? "", /^(719|720)$/);
    expectProblem(await limited.get("/v1/files"), "rate_limited");
  }),
];

export const batchTests: readonly ContractTest[] = [...requests, ...rights];
