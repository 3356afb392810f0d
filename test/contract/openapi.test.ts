import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, it } from "vitest";
import { openapiDocument } from "../../src/contract/api/openapi.ts";
import { startHttp } from "../../src/service/http/server.ts";

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
