import assert from "node:assert/strict";
import { type Asked, askTogether, create, linesOf } from "./batch-wire.ts";
import { adminTest, type ContractTest, expectGone, expectOk, expectProblem } from "./world.ts";

/** What `POST /v1/batch` refuses, as a whole and in part. */

/** No first lines of a request. */
const FIRST_LINES: readonly string[] = [
  "",
  "null",
  "[]",
  '"POST"',
  "{",
  "{}",
  `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
  `{"method":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)},"path":"/v1/files"}`,
  '{"method":"POST"}',
  '{"path":"/v1/files"}',
  '{"method":1,"path":"/v1/files"}',
  '{"method":"POST","path":null}',
  '{"method":"POST","path":"/v1/files","headers":{}}',
  '{"__proto__":{},"method":"POST","path":"/v1/files"}',
  '{"__proto__":{"method":"POST"},"path":"/v1/files"}',
  ' {"method":"POST","path":"/v1/files"}',
  '{"method":"POST","path":"/v1/files"}\t',
  JSON.stringify({ method: "GET", path: `/v1/files/${"x".repeat(20_000)}` }),
];

/** What no batch begins with, or has in it. */
function malformed(path: string): readonly string[] {
  const good = linesOf([create(path)]);
  const [first, body] = good.split("\n") as [string, string];
  const bodies = [
    "",
    "\n",
    "\n\n",
    good.slice(0, -1),
    `${good}\n`,
    `${good}\n\n`,
    `${good}${first}\n`,
    `\n${good}`,
    `\ufeff${good}`,
    good.replaceAll("\n", "\r\n"),
    good.replaceAll("\n", "\r"),
    `${first}\n\n${body}\n`,
    JSON.stringify([{ method: "POST", path: "/v1/files" }]),
  ];
  return [...bodies, ...FIRST_LINES.map((line) => `${good}${line}\n${body}\n`)];
}

/** The lines of a create with white space at its end, so many bytes in all. */
function paddedCreate(path: string, bytes: number): string {
  const lines = linesOf([create(path, "")]).trimEnd();
  return `${lines}${" ".repeat(bytes - lines.length - 1)}\n`;
}

export const batchRefusalTests: readonly ContractTest[] = [
  adminTest("refuses a malformed batch as a whole, and does nothing of it", async ({ api, folder }) => {
    for (const body of malformed(`${folder.path}/good.md`)) {
      const reply = await api.batch(body);
      assert.equal(reply.status, 400, JSON.stringify(body.slice(0, 200)));
      expectProblem(reply, "invalid_request");
    }
    const good = linesOf([create(`${folder.path}/a.md`)]);
    expectProblem(await api.send("POST", "/v1/batch?atomic=true", good), "invalid_request", "/atomic");
    expectProblem(await api.send("PUT", "/v1/batch", good), "not_found");
    expectProblem(await api.get("/v1/batch"), "not_found");
    assert.deepEqual(await api.paths("files", { path_prefix: folder.path }), []);
  }),
  adminTest("bounds the body of a batch, and each body in it", async ({ api, folder }) => {
    const [one, whole] = [1024 * 1024, 4 * 1024 * 1024];
    const first = paddedCreate(`${folder.path}/a.md`, one);
    const sent = await api.batch(first + paddedCreate(`${folder.path}/b.md`, whole - one));
    const statuses = sent.text.split("\n").filter((line) => line.startsWith('{"at"'));
    assert.deepEqual(
      statuses.map((line) => JSON.parse(line).status),
      [201, 400],
    );
    expectProblem(await api.batch(first + paddedCreate(`${folder.path}/b.md`, whole - one + 1)), "invalid_request");
    assert.deepEqual(await api.paths("files", { path_prefix: folder.path }), [`${folder.path}/a.md`]);
  }),
  adminTest("judges a body that is no JSON for its request alone", async ({ api, folder }) => {
    const bodies = [
      "{",
      "\ufeff{}",
      "[]",
      "null",
      `{"path":"x.md","content":"y"}\r{}`,
      "[".repeat(200_000),
      "{}\u2028",
    ];
    const asked = bodies.map((body): Asked => ["POST", "/v1/files", body]);
    const replies = await askTogether(api, [...asked, create(`${folder.path}/a.md`), ["POST", "/v1/files"]]);
    expectOk(replies[bodies.length]!, 201);
    for (const [n, reply] of replies.entries()) if (n !== bodies.length) expectProblem(reply, "invalid_request");
  }),
  adminTest("leaves the body of a request that takes none unread, as by itself", async ({ api, folder }) => {
    const [read, gone] = await Promise.all(["a", "b"].map((name) => api.file(`${folder.path}/${name}.md`)));
    const [shown, deleted] = await askTogether(api, [
      ["GET", `/v1/files/${read!.id}`, "{"],
      ["DELETE", `/v1/files/${gone!.id}`, "{"],
    ]);
    assert.equal(expectOk(shown!, 200).id, read!.id);
    expectGone(deleted!);
  }),
];
