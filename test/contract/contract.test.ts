import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessCases, answerCases } from "../../src/conformance/access-cases.ts";
import { contentCases } from "../../src/conformance/content-cases.ts";
import { fileCases } from "../../src/conformance/file-cases.ts";
import { combineByMerge } from "../../src/service/files/combine.ts";
import { type HttpServer, startHttp } from "../../src/service/http/server.ts";
import { createService, type Service } from "../../src/service/service.ts";
import { openSqlite } from "../../src/service/store/sqlite/store.ts";
import { openapiDocument } from "../../src/contract/api/openapi.ts";
import { OpenapiJudge } from "./openapi.ts";
import { accessTests } from "./suite/access-tests.ts";
import { CONTRACT } from "./suite/all.ts";
import { fetchStream } from "./suite/event-stream.ts";
import { eventTests } from "./suite/event-tests.ts";
import { httpWire } from "./suite/http-wire.ts";
import { runContractTest } from "./suite/run.ts";
import type { Target } from "./suite/world.ts";

const ADMIN_KEY = "mdm_admin_of-the-contract-tests";

/** Chance from a seed, so that a failure can be repeated. */
function seeded(seed: string): (bytes: number) => Uint8Array {
  let n = 0;
  return (bytes) => createHash("shake256", { outputLength: bytes }).update(`${seed} ${n++}`).digest();
}

const faults: unknown[] = [];
afterAll(() => expect(faults, "something became a 500").toEqual([]));

async function openService(): Promise<{ service: Service; key: string }> {
  const random = seeded("contract");
  const service = createService({
    store: openSqlite(":memory:", { random, commits: "together" }),
    now: Date.now,
    random,
    combine: combineByMerge,
    adminKey: ADMIN_KEY,
    onFault: (error) => faults.push(error),
  });
  return { service, key: (await service.admin.createWorkspace("contract")).key };
}

/** Tests of what HTTP carries: headers, bodies of any form and length, streams. */
const CARRIED: ReadonlySet<string> = new Set(
  [...accessCases, ...answerCases, ...contentCases, ...fileCases, ...accessTests, ...eventTests].map(
    ({ title }) => title,
  ),
);

describe("on SQLite", async () => {
  const { service, key } = await openService();
  let server: HttpServer;
  let target: Target;
  const judge = new OpenapiJudge(openapiDocument());
  beforeAll(async () => {
    server = await startHttp(service);
    const [wire, stream] = [judge.watch(service.handle), fetchStream(server.url)];
    target = { wire, stream, key, adminKey: ADMIN_KEY, indexesLate: false };
  });
  afterAll(async () => {
    await server.close();
    expect(judge.differences, "an exchange is not as openapi.json says").toEqual([]);
    expect(judge.judged).toBeGreaterThan(0);
  });
  for (const [i, test] of CONTRACT.entries()) {
    const isCarried = CARRIED.has(test.title);
    it(`${test.title}${isCarried ? ", over HTTP" : ""}`, () => {
      const wire = isCarried ? judge.watch(httpWire(server.url)) : target.wire;
      return runContractTest(test, { ...target, wire }, `h${i}`);
    });
  }
});
