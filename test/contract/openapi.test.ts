import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import { openapiDocument } from "../../src/contract/api/openapi.ts";
import { PROBLEM_CODES } from "../../src/contract/problem.ts";
import { startHttp } from "../../src/service/http/server.ts";
import { OpenapiJudge } from "./openapi.ts";

const DOCUMENT = openapiDocument();

it("is checked in as it is made: vitest -u brings it up to date", async () => {
  await expect(`${JSON.stringify(DOCUMENT, null, 2)}\n`).toMatchFileSnapshot("../../src/contract/openapi.json");
});

it("is a document of OpenAPI 3.1", async () => {
  const validator = new Validator();
  expect(await validator.validate(structuredClone(DOCUMENT))).toMatchObject({ valid: true });
  expect(validator.version).toBe("3.1");
});

it("is served to everybody", async () => {
  const service = { handle: () => Promise.reject(new Error("the service is not asked")) };
  const server = await startHttp(service);
  const answer = await fetch(`${server.url}/openapi.json`);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(await answer.json()).toEqual(DOCUMENT);
  await server.close();
});

const FILE = {
  object: "file",
  id: "doc_0123456789abcd",
  path: "/a.md",
  parentId: null,
  parentPath: "/",
  protected: false,
  lastChangeId: "chg_0123456789abcd",
};
const { status, title } = PROBLEM_CODES.file_not_found;
const PROBLEM = { type: "t", title, status, code: "file_not_found", detail: "", requestId: "req_1" };

async function differencesOf(answered: number, type: string, body: object, sent?: object): Promise<readonly string[]> {
  const judge = new OpenapiJudge(DOCUMENT);
  const request = { method: sent === undefined ? "GET" : "POST", path: "/v1/files/doc_0123456789abcd", headers: {} };
  const path = sent === undefined ? request.path : "/v1/files";
  const headers = { "content-type": type };
  const wire = judge.watch(async () => ({ status: answered, headers, body: JSON.stringify(body) }));
  await wire({ ...request, path, body: sent === undefined ? null : JSON.stringify(sent) });
  expect(judge.judged).toBe(1);
  return judge.differences;
}

it("takes what the service answers, and nothing else", async () => {
  const json = "application/json; charset=utf-8";
  const problem = "application/problem+json";
  expect(await differencesOf(200, json, { ...FILE, content: "" })).toEqual([]);
  expect(await differencesOf(404, problem, PROBLEM)).toEqual([]);
  expect(await differencesOf(201, json, FILE, { path: "/a.md", content: "" })).toEqual([]);
  for (const [code, type, body, sent] of [
    [200, json, FILE],
    [200, json, { ...FILE, content: "", size: 1 }],
    [200, json, { ...FILE, content: "", parentId: "doc_0123456789abcd" }],
    [200, "text/plain", { ...FILE, content: "" }],
    [418, problem, PROBLEM],
    [404, problem, { ...PROBLEM, code: "folder_not_found" }],
    [404, problem, { ...PROBLEM, errors: [] }],
    [201, json, FILE, { path: "/a.md" }],
    [201, json, FILE, { path: "/a.md", content: "", name: "a.md" }],
  ] as const) {
    expect(await differencesOf(code, type, body, sent)).toHaveLength(1);
  }
});
