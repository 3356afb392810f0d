import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { Api, type Exchange } from "../../src/conformance/world.ts";
import { type JsonObject, member } from "../../src/contract/json.ts";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessCases, answerCases } from "../../src/conformance/access-cases.ts";
import { contentCases } from "../../src/conformance/content-cases.ts";
import { fileCases } from "../../src/conformance/file-cases.ts";
import { PROBLEM_CODES } from "../../src/contract/problem.ts";
import { type HttpServer, startHttp } from "../../src/service/http/server.ts";
import { openapiDocument } from "../../src/contract/api/openapi.ts";
import { ADMIN_KEY, openService } from "../service/fixture.ts";
import { accessTests } from "./suite/access-tests.ts";
import { CONTRACT } from "./suite/all.ts";
import { httpWire } from "./suite/http-wire.ts";
import { runContractTest, type Target } from "./suite/world.ts";

/**
 * Compares requests and answers with an OpenAPI document, by a validator of JSON Schema that is
 * independent of the code from which the document was made.
 */
class OpenapiJudge {
  readonly #document: JsonObject;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #differences: string[] = [];
  readonly #codes = new Set<string>();
  #judged = 0;

  constructor(document: JsonObject) {
    this.#document = document;
    this.#ajv.addSchema(document, "openapi");
  }

  /** Number of exchanges that were compared with an operation. */
  get judged(): number {
    return this.#judged;
  }

  /** Error codes of the problems that matched their schema. */
  get codes(): ReadonlySet<string> {
    return this.#codes;
  }

  get differences(): readonly string[] {
    return this.#differences;
  }

  /** Returns a wire that checks every exchange with an operation of the document. */
  watch(wire: Exchange): Exchange {
    return async (request) => {
      const response = await wire(request);
      this.#judge(request, response);
      return response;
    };
  }

  #judge({ method, path, body }: WireRequest, { status, headers, body: answer }: WireResponse): void {
    const where = `${method} ${path} ${status}`;
    const type = headers["content-type"]?.split(";")[0];
    if (type === "application/problem+json") this.#judgeProblem(JSON.parse(answer), where);
    const found = this.#operationOf(method, path.split("?", 1)[0]!);
    if (found === null) return;
    this.#judged++;
    const { operation, at } = found;
    const described = at.concat("responses", String(status));
    const response = valueAt(this.#document, described);
    if (response === undefined) return void this.#differences.push(`${where}: the status is not described`);
    const wrong = type && this.#faultOf(described.concat("content", type, "schema"), JSON.parse(answer));
    if (wrong) this.#differences.push(`${where}: ${type} ${wrong}`);
    if (status >= 300 || operation["requestBody"] === undefined) return;
    const schema = at.concat("requestBody", "content", "application/json", "schema");
    const taken = this.#faultOf(schema, JSON.parse(body ?? "null"));
    if (taken !== null) this.#differences.push(`${where}: the body was taken: ${taken}`);
  }

  /** Checks a problem, also for a path that the document does not describe. */
  #judgeProblem(problem: JsonObject, where: string): void {
    const wrong = this.#faultOf(["components", "schemas", "Problem"], problem);
    if (wrong !== null) this.#differences.push(`${where}: problem: ${wrong}`);
    else this.#codes.add(String(problem["code"]));
  }

  #operationOf(method: string, path: string): { readonly operation: JsonObject; readonly at: string[] } | null {
    const paths = this.#document["paths"] as Readonly<Record<string, JsonObject>>;
    const isOf = (pattern: string) => new RegExp(`^${pattern.replace("{id}", "[^/]+")}$`).test(path);
    const pattern = Object.keys(paths).find(isOf);
    const operation = pattern === undefined ? undefined : member(paths[pattern]!, method.toLowerCase());
    if (operation === undefined) return null;
    return { operation: operation as JsonObject, at: ["paths", pattern!, method.toLowerCase()] };
  }

  /** Returns why a value does not match a schema; null if it matches. */
  #faultOf(at: readonly string[], value: unknown): string | null {
    const pointer = at.map((name) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    const validator = this.#validators.get(pointer) ?? this.#ajv.getSchema(`openapi#/${pointer}`);
    if (validator === undefined) return "it is not described";
    this.#validators.set(pointer, validator);
    return validator(value) === true ? null : this.#ajv.errorsText(validator.errors);
  }
}

function valueAt(document: JsonObject, at: readonly string[]): unknown {
  return at.reduce<unknown>((value, name) => (value === undefined ? value : (value as JsonObject)[name]), document);
}

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
