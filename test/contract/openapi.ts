import { Ajv2020 } from "ajv/dist/2020.js";
import type { Wire } from "./suite/fetch-wire.ts";
import { type JsonObject, member } from "../../src/contract/json.ts";
import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";

/**
 * Compares exchanges with an OpenAPI document, by a validator of JSON Schema that knows nothing of
 * the schemas' source.
 */
export class OpenapiJudge {
  readonly #document: JsonObject;
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false });
  readonly #differences: string[] = [];
  #judged = 0;

  constructor(document: JsonObject) {
    this.#document = document;
    this.#ajv.addSchema(document, "openapi");
  }

  /** The exchanges that were compared with an operation. */
  get judged(): number {
    return this.#judged;
  }

  get differences(): readonly string[] {
    return this.#differences;
  }

  /** Judges every exchange with an operation of the document. */
  watch(wire: Wire): Wire {
    return async (request) => {
      const response = await wire(request);
      this.#judge(request, response);
      return response;
    };
  }

  #judge({ method, path, body }: WireRequest, { status, headers, body: answer }: WireResponse): void {
    const found = this.#operationOf(method, path.split("?", 1)[0]!);
    if (found === null) return;
    this.#judged++;
    const { operation, at } = found;
    const where = `${method} ${path} ${status}`;
    const described = at.concat("responses", String(status));
    const response = valueAt(this.#document, described);
    if (response === undefined) return void this.#differences.push(`${where}: the status is not described`);
    const type = headers["content-type"]?.split(";")[0];
    if (type !== undefined && !this.#isValid(described.concat("content", type, "schema"), JSON.parse(answer))) {
      this.#differences.push(`${where}: ${type} ${this.#ajv.errorsText()}`);
    }
    const schema = at.concat("requestBody", "content", "application/json", "schema");
    if (status < 300 && operation["requestBody"] !== undefined && !this.#isValid(schema, JSON.parse(body ?? "null"))) {
      this.#differences.push(`${where}: the body was taken: ${this.#ajv.errorsText()}`);
    }
  }

  #operationOf(method: string, path: string): { readonly operation: JsonObject; readonly at: string[] } | null {
    const paths = this.#document["paths"] as Readonly<Record<string, JsonObject>>;
    const isOf = (pattern: string) => new RegExp(`^${pattern.replace("{id}", "[^/]+")}$`).test(path);
    const pattern = Object.keys(paths).find(isOf);
    const operation = pattern === undefined ? undefined : member(paths[pattern]!, method.toLowerCase());
    if (operation === undefined) return null;
    return { operation: operation as JsonObject, at: ["paths", pattern!, method.toLowerCase()] };
  }

  #isValid(at: readonly string[], value: unknown): boolean {
    if (valueAt(this.#document, at) === undefined) return false;
    const pointer = at.map((name) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    return this.#ajv.validate(`openapi#/${pointer}`, value);
  }
}

function valueAt(document: JsonObject, at: readonly string[]): unknown {
  return at.reduce<unknown>((value, name) => (value === undefined ? value : (value as JsonObject)[name]), document);
}
