import { z } from "zod";
import { EVENT_STREAM } from "../events.ts";
import { PROBLEM_CODES, type ProblemCode } from "../problem.ts";
import { EVENTS } from "../resources.ts";
import { COMMON_PROBLEMS, OPERATIONS, type Operation } from "./operations.ts";
import { problemSchema } from "./resources.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

export const OPENAPI_PATH = "/openapi.json";

export function openapiDocument(): JsonSchema {
  const schemas: Record<string, unknown> = {};
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [operationId, operation] of Object.entries<Operation>(OPERATIONS)) {
    const { path, method } = operation;
    const description = describeOperation(operation, (schema, io) => makeJsonSchema(schema, io, schemas));
    paths[path] = { ...paths[path], [method.toLowerCase()]: { operationId, ...description } };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "File and Folder Service",
      version: "1",
      description: "A workspace of Markdown files in folders. The API key implies the workspace.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    security: [{ bearer: [] }, { apiKey: [] }],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
      },
      headers: {
        RequestId: { required: true, schema: { type: "string" } },
        RetryAfter: { description: "Seconds", schema: { type: "integer", minimum: 0 } },
      },
      schemas,
    },
  };
}

type JsonSchemaMaker = (schema: z.ZodType, io: "input" | "output") => JsonSchema;

function describeOperation(operation: Operation, jsonOf: JsonSchemaMaker): JsonSchema {
  const { summary, body, answers } = operation;
  const successAnswers = Object.entries(answers).map(([status, schema]) => {
    const contentType = operation.path === EVENTS ? EVENT_STREAM : "application/json";
    const content = schema === null ? {} : { content: { [contentType]: { schema: jsonOf(schema, "output") } } };
    return [status, { description: SUCCESS_STATUS[status] ?? "Done", headers: REQUEST_ID, ...content }];
  });
  const content = body === undefined ? null : { "application/json": { schema: jsonOf(body, "input") } };
  return {
    summary,
    parameters: describeParameters(operation, jsonOf),
    ...(content === null ? {} : { requestBody: { required: true, content } }),
    responses: {
      ...Object.fromEntries(successAnswers),
      ...describeProblems(operation, jsonOf(problemSchema, "output")),
    },
  };
}

const SUCCESS_STATUS: Readonly<Record<string, string>> = {
  200: "Done",
  201: "Created",
  202: "The change is in review; the live file is unchanged",
  204: "Deleted",
};

const REQUEST_ID = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };
const RETRY_HEADERS = { ...REQUEST_ID, "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
const RETRIABLE_STATUSES: readonly number[] = [429, 503];

function describeParameters({ path, id, query }: Operation, jsonOf: JsonSchemaMaker): JsonSchema[] {
  const parameters: JsonSchema[] = [];
  if (id !== undefined) parameters.push({ name: "id", in: "path", required: true, schema: jsonOf(id, "input") });
  for (const [name, schema] of Object.entries(query?.shape ?? {})) {
    parameters.push({ name, in: "query", required: false, schema: jsonOf(schema as z.ZodType, "input") });
  }
  if (path === EVENTS) parameters.push({ name: "Last-Event-ID", in: "header", schema: { type: "string" } });
  return parameters;
}

function describeProblems({ problems }: Operation, schema: JsonSchema): JsonSchema {
  const codes = [...new Set<ProblemCode>([...COMMON_PROBLEMS, ...problems])];
  const byStatus = Map.groupBy(codes, (code) => PROBLEM_CODES[code].status);
  const answers = [...byStatus].map(([status, found]) => {
    const problemSchema = { allOf: [schema, { properties: { code: { enum: found } } }] };
    const content = { "application/problem+json": { schema: problemSchema } };
    return [
      String(status),
      {
        description: found.join(", "),
        headers: RETRIABLE_STATUSES.includes(status) ? RETRY_HEADERS : REQUEST_ID,
        content,
      },
    ];
  });
  return Object.fromEntries(answers);
}

/**
 * Corrects the schemas of zod. Adds defaults that zod omits if a function parses the value, and
 * removes bounds that zod adds.
 */
const completeSchema: NonNullable<z.core.ToJSONSchemaParams["override"]> = ({ zodSchema, jsonSchema }) => {
  const { def } = zodSchema._zod;
  if (def.type === "default") jsonSchema.default = def.defaultValue;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
};

/** Returns the JSON Schema of a zod schema. Schemas with an id are put into `schemas`. */
function makeJsonSchema(schema: z.ZodType, io: "input" | "output", schemas: Record<string, unknown>): JsonSchema {
  const schemaText = JSON.stringify(z.toJSONSchema(schema, { io, override: completeSchema }));
  const movedSchema = JSON.parse(schemaText.replaceAll("#/$defs/", "#/components/schemas/")) as JsonSchema & {
    readonly $defs?: JsonSchema;
  };
  const { $schema: _, $defs = {}, ...json } = movedSchema;
  Object.assign(schemas, $defs);
  const { id, ...named } = json as { readonly id?: string };
  if (id === undefined) return json;
  schemas[id] = named;
  return { $ref: `#/components/schemas/${id}` };
}
