import assert from "node:assert/strict";
import { type ContractCase, defineAssumedCase, defineCase } from "./world.ts";

export const ABSENT_DOC = "doc_00000000000000";
export const ABSENT_DIR = "dir_00000000000000";

export const ENDPOINTS: readonly (readonly [string, string])[] = [
  ["GET", "/v1/files"],
  ["POST", "/v1/files"],
  ["GET", `/v1/files/${ABSENT_DOC}`],
  ["PATCH", `/v1/files/${ABSENT_DOC}`],
  ["PUT", `/v1/files/${ABSENT_DOC}/content`],
  ["DELETE", `/v1/files/${ABSENT_DOC}`],
  ["GET", "/v1/folders"],
  ["POST", "/v1/folders"],
  ["GET", `/v1/folders/${ABSENT_DIR}`],
  ["PATCH", `/v1/folders/${ABSENT_DIR}`],
  ["DELETE", `/v1/folders/${ABSENT_DIR}`],
];

export const accessCases: readonly ContractCase[] = [
  ...ENDPOINTS.map(([method, path]) =>
    defineCase(`answers 401 unauthenticated to ${method} ${path} without a key`, async ({ as }) => {
      (await as(null).send(method, path, method === "GET" ? undefined : {})).problem("unauthenticated");
    }),
  ),
  defineCase("answers 401 unauthenticated to a key that is not valid", async ({ as }) => {
    (await as("mdm_not-a-key").get("/v1/files")).problem("unauthenticated");
  }),
  defineAssumedCase("answers 401 before it says whether an endpoint exists", async ({ as }) => {
    (await as(null).get("/v1/nothing")).problem("unauthenticated");
  }),
];

export const answerCases: readonly ContractCase[] = [
  defineCase("carries a request id of its own on every answer", async ({ api, folder }) => {
    const file = await api.file(`${folder.path}/a.md`);
    const replies = [
      await api.get(`/v1/files/${file.id}`),
      await api.get(`/v1/files/${ABSENT_DOC}`),
      await api.get("/v1/nothing"),
      await api.delete(`/v1/files/${file.id}`),
    ];
    const ids = replies.map((reply) => reply.headers["x-request-id"]);
    assert.ok(ids.every((id) => id !== undefined && id !== ""));
    assert.equal(new Set(ids).size, ids.length);
  }),
  defineAssumedCase("answers not_found to unknown paths and methods", async ({ api }) => {
    for (const [method, path] of [
      ["GET", "/"],
      ["GET", "/v1"],
      ["GET", "/v2/files"],
      ["GET", "/v1/files/"],
      ["GET", "/v1/Files"],
      ["GET", `/v1/files/${ABSENT_DOC}/content`],
      ["GET", `/v1/files/${ABSENT_DOC}/content/more`],
      ["PUT", `/v1/files/${ABSENT_DOC}`],
      ["PUT", "/v1/files"],
      ["DELETE", "/v1/folders"],
    ] as const) {
      (await api.send(method, path, method === "PUT" ? {} : undefined)).problem("not_found");
    }
  }),
  defineAssumedCase("keeps answers out of caches", async ({ api }) => {
    assert.equal((await api.get("/v1/files")).headers["cache-control"], "no-store");
  }),
];
