import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessCases, answerCases } from "../../src/conformance/access-cases.ts";
import { Api } from "../../src/conformance/world.ts";
import { contentCases } from "../../src/conformance/content-cases.ts";
import { fileCases } from "../../src/conformance/file-cases.ts";
import { PROBLEM_CODES } from "../../src/contract/problem.ts";
import { type HttpServer, startHttp } from "../../src/service/http/server.ts";
import { openapiDocument } from "../../src/contract/api/openapi.ts";
import { ADMIN_KEY, openService } from "../service/fixture.ts";
import { OpenapiJudge } from "./openapi.ts";
import { accessTests } from "./suite/access-tests.ts";
import { CONTRACT } from "./suite/all.ts";
import { httpWire } from "./suite/http-wire.ts";
import { runContractTest, type Target } from "./suite/world.ts";

const faults: unknown[] = [];
afterAll(() => expect(faults, "something became a 500").toEqual([]));

/** Titles of tests about headers and the encoding and length of bodies. */
const CARRIED: ReadonlySet<string> = new Set(
  [...accessCases, ...answerCases, ...contentCases, ...fileCases, ...accessTests].map(({ title }) => title),
);

describe("on SQLite", async () => {
  const onFault = (error: unknown) => void faults.push(error);
  const { service, key } = await openService({ now: Date.now, onFault });
  let server: HttpServer;
  let target: Target;
  const judge = new OpenapiJudge(openapiDocument());
  beforeAll(async () => {
    server = await startHttp(service);
    target = { wire: judge.watch(service.handle), key, adminKey: ADMIN_KEY, indexesLate: false };
  });
  afterAll(async () => {
    await server.close();
    expect(judge.differences, "an exchange is not as openapi.json says").toEqual([]);
    expect(judge.judged).toBeGreaterThan(0);
    const missing = Object.keys(PROBLEM_CODES).filter((code) => !judge.codes.has(code));
    expect(missing, "a problem that no test has caused").toEqual([]);
  });
  for (const [i, test] of CONTRACT.entries()) {
    const isCarried = CARRIED.has(test.title);
    it(`${test.title}${isCarried ? ", over HTTP" : ""}`, () => {
      const wire = isCarried ? judge.watch(httpWire(server.url)) : target.wire;
      return runContractTest(test, { ...target, wire }, `h${i}`);
    });
  }

  it("answers internal_error, with an error behind it, in the form of every problem", async () => {
    const combine = () => {
      throw new Error("by the test");
    };
    const broken = await openService({ combine, onFault: () => undefined });
    const api = new Api(judge.watch(broken.service.handle), broken.key);
    const { id, lastChangeId } = (await api.post("/v1/files", { path: "/a.md", content: "a" })).ok(201);
    (await api.edit(id, lastChangeId, "b")).ok(200);
    (await api.edit(id, lastChangeId, "c")).problem("internal_error");
    await broken.service.close();
  });
});
