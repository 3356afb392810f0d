/**
 * Declares every operation of the API once. The service routes and validates requests by these
 * declarations. `openapi.json` is generated from the declarations, too.
 */

import { z } from "zod";
import {
  countCharacters,
  DEFAULT_PAGE_LIMIT,
  MAX_PAGE_LIMIT,
  MIN_PAGE_LIMIT,
  HYBRID_SEARCH_LIMITS,
  SEARCH_QUERY_CHARACTERS,
  REGEX_SEARCH_LIMITS,
  SEARCH_REGEX_PATTERN_CHARACTERS,
} from "../limits.ts";
import type { FieldCode, ProblemCode } from "../problem.ts";
import { EVENTS, FILES, FOLDERS, SEARCH_HYBRID_PATH, SEARCH_REGEX_PATH, VALIDATE_KEY } from "../resources.ts";
import {
  contentSchema,
  type FieldFault,
  fileNameSchema,
  filePathSchema,
  makeFlagParameter,
  folderNameSchema,
  folderPathSchema,
  makeIdSchema,
  makeIntegerParameter,
  makeStringSchema,
  pathPrefixSchema,
  type IntegerRange,
} from "./fields.ts";
import {
  fileWithContentSchema,
  fileSchema,
  folderSchema,
  changeInReviewSchema,
  editSchema,
  validKeySchema,
  makeListSchema,
  regexHitSchema,
  searchHitSchema,
} from "./resources.ts";

export type Operation = {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly summary: string;
  readonly id?: z.ZodType<string>;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** True if the operation is a POST that changes nothing. */
  readonly reads?: true;
  /** Schema of the body of each successful answer, by HTTP status; null for no body. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  /** Error codes that this operation may answer, in addition to `COMMON_PROBLEMS`. */
  readonly problems: readonly ProblemCode[];
};

export const COMMON_PROBLEMS: readonly ProblemCode[] = [
  "unauthenticated",
  "workspace_not_found",
  "invalid_request",
  "rate_limited",
  "internal_error",
  "service_unavailable",
];

const SELECTORS = ["path", "path_prefix", "parent_id"] as const;

function makeListQuery(path: typeof filePathSchema, folderId: ReturnType<typeof makeIdSchema>) {
  const parameters = z.strictObject({
    limit: makeIntegerParameter({ min: MIN_PAGE_LIMIT, max: MAX_PAGE_LIMIT, default: DEFAULT_PAGE_LIMIT }),
    cursor: z.string().optional(),
    path: path.optional(),
    path_prefix: pathPrefixSchema.optional(),
    parent_id: folderId.optional(),
  });
  return parameters.superRefine((query, { addIssue }) => {
    const sentSelectors = SELECTORS.filter((name) => query[name] !== undefined);
    const addFault = (name: string, message: string) =>
      addIssue({ code: "custom", path: [name], message, params: { code: "mutually_exclusive" satisfies FieldCode } });
    if (sentSelectors.length > 1)
      for (const name of sentSelectors) addFault(name, `At most one of ${SELECTORS.join(", ")} may be sent.`);
    if (query.path !== undefined && query.cursor !== undefined)
      addFault("cursor", "A path names one item: it takes no cursor.");
  });
}

function makeSearchBody(range: IntegerRange, judge: (query: string) => FieldFault | null) {
  return z.strictObject({
    query: makeStringSchema(judge).meta({ minLength: 1, maxLength: SEARCH_QUERY_CHARACTERS }),
    limit: z.int().min(range.min).max(range.max).default(range.default),
    includeSources: z.boolean().default(true),
    path_prefix: pathPrefixSchema.optional(),
  });
}

/**
 * ASSUMES: a query that contains only white space is refused (contract test "refuses a blank
 * query").
 */
function findQueryFault(query: string): FieldFault | null {
  if (query.trim() === "") return { code: "invalid_format", detail: "The query is blank." };
  return findLengthFault(query, SEARCH_QUERY_CHARACTERS);
}

function findPatternFault(pattern: string): FieldFault | null {
  if (pattern === "") return { code: "invalid_format", detail: "The pattern is empty." };
  if (/[\n\r]/.test(pattern)) return { code: "invalid_format", detail: "The pattern has more than one line." };
  return findLengthFault(pattern, SEARCH_REGEX_PATTERN_CHARACTERS);
}

function findLengthFault(query: string, limit: number): FieldFault | null {
  const length = countCharacters(query);
  return length > limit
    ? { code: "too_long", detail: `The query has ${length} characters; the limit is ${limit}.` }
    : null;
}

const [fileId, folderId, changeId] = [makeIdSchema("doc_"), makeIdSchema("dir_"), makeIdSchema("chg_")];
const parentId = folderId.nullable();

/**
 * ORDER: the operations in `openapi.json` have the same order: reads first, then writes of files,
 * then writes of folders.
 */
export const OPERATIONS = {
  listFiles: {
    method: "GET",
    path: FILES,
    summary: "List files without their content",
    query: makeListQuery(filePathSchema, folderId),
    answers: { 200: makeListSchema(fileSchema) },
    problems: ["invalid_cursor", "invalid_id", "type_mismatch"],
  },
  readFile: {
    method: "GET",
    path: `${FILES}/{id}`,
    summary: "Read a file with its content",
    id: fileId,
    answers: { 200: fileWithContentSchema },
    problems: ["invalid_id", "file_not_found"],
  },
  /**
   * ASSUMES: the list of folders has the same parameters and pages as the list of files (contract
   * tests for lists of folders).
   */
  listFolders: {
    method: "GET",
    path: FOLDERS,
    summary: "List folders",
    query: makeListQuery(folderPathSchema, folderId),
    answers: { 200: makeListSchema(folderSchema) },
    problems: ["invalid_cursor", "invalid_id", "type_mismatch", "folder_not_found"],
  },
  readFolder: {
    method: "GET",
    path: `${FOLDERS}/{id}`,
    summary: "Read a folder",
    id: folderId,
    answers: { 200: folderSchema },
    problems: ["invalid_id", "folder_not_found"],
  },
  /**
   * ASSUMES: the body must contain every field, `content` may be empty, and `parentId: null` is the
   * root (contract tests "names each bad field", "creates an empty file", "creates a file in the
   * root by parentId null").
   */
  createFile: {
    method: "POST",
    path: FILES,
    summary: "Create a file",
    body: z.union([
      z.strictObject({ path: filePathSchema, content: contentSchema }),
      z.strictObject({ parentId, name: fileNameSchema, content: contentSchema }),
    ]),
    answers: { 201: fileSchema },
    problems: [
      "forbidden",
      "invalid_id",
      "folder_not_found",
      "path_already_exists",
      "type_mismatch",
      "content_too_large",
    ],
  },
  patchFile: {
    method: "PATCH",
    path: `${FILES}/{id}`,
    summary: "Rename, move or protect a file",
    id: fileId,
    body: z.union([
      z.strictObject({ name: fileNameSchema }),
      z.strictObject({ parentId }),
      z.strictObject({ protected: z.boolean() }),
    ]),
    answers: { 200: fileSchema },
    problems: ["invalid_id", "forbidden", "file_not_found", "folder_not_found", "path_already_exists"],
  },
  putContent: {
    method: "PUT",
    path: `${FILES}/{id}/content`,
    summary: "Replace the content of a file",
    id: fileId,
    body: z.strictObject({ baseChangeId: changeId, content: contentSchema }),
    answers: { 200: editSchema, 202: changeInReviewSchema },
    problems: ["invalid_id", "invalid_base_change", "forbidden", "file_not_found", "content_too_large"],
  },
  deleteFile: {
    method: "DELETE",
    path: `${FILES}/{id}`,
    summary: "Delete a file and its history",
    id: fileId,
    answers: { 204: null },
    problems: ["invalid_id", "forbidden", "file_not_found", "changes_in_review", "file_protected"],
  },
  createFolder: {
    method: "POST",
    path: FOLDERS,
    summary: "Create a folder",
    body: z.union([z.strictObject({ path: folderPathSchema }), z.strictObject({ parentId, name: folderNameSchema })]),
    answers: { 201: folderSchema },
    problems: ["forbidden", "invalid_id", "folder_not_found", "path_already_exists", "type_mismatch"],
  },
  patchFolder: {
    method: "PATCH",
    path: `${FOLDERS}/{id}`,
    summary: "Rename or move a folder",
    id: folderId,
    body: z.union([z.strictObject({ name: folderNameSchema }), z.strictObject({ parentId })]),
    answers: { 200: folderSchema },
    problems: ["invalid_id", "forbidden", "folder_not_found", "path_already_exists"],
  },
  deleteFolder: {
    method: "DELETE",
    path: `${FOLDERS}/{id}`,
    summary: "Delete a folder",
    id: folderId,
    query: z.strictObject({ recursive: makeFlagParameter() }),
    answers: { 204: null },
    problems: [
      "invalid_id",
      "forbidden",
      "folder_not_found",
      "folder_not_empty",
      "changes_in_review",
      "file_protected",
    ],
  },
  /**
   * ASSUMES: both searches accept the field `path_prefix` (contract tests "searches below a prefix
   * alone: search", "searches below a prefix alone: regex search").
   */
  searchHybrid: {
    method: "POST",
    path: SEARCH_HYBRID_PATH,
    summary: "Search files by words and meaning",
    reads: true,
    body: makeSearchBody(HYBRID_SEARCH_LIMITS, findQueryFault),
    answers: { 200: makeListSchema(searchHitSchema) },
    problems: ["type_mismatch"],
  },
  searchRegex: {
    method: "POST",
    path: SEARCH_REGEX_PATH,
    summary: "Search files by a regular expression",
    reads: true,
    body: makeSearchBody(REGEX_SEARCH_LIMITS, findPatternFault),
    answers: { 200: makeListSchema(regexHitSchema) },
    problems: ["type_mismatch", "search_too_costly"],
  },
  streamEvents: {
    method: "GET",
    path: EVENTS,
    summary: "Listen to hints at what changed (text/event-stream)",
    answers: { 200: z.string() },
    problems: ["not_found"],
  },
  /**
   * ASSUMES: the answer for a valid key contains `valid: true` (contract test "says whether a key
   * is good").
   */
  validateKey: {
    method: "POST",
    path: VALIDATE_KEY,
    summary: "Say whether a key is good",
    reads: true,
    body: z.strictObject({}),
    answers: { 200: validKeySchema },
    problems: [],
  },
} as const satisfies Record<string, Operation>;

export type Operations = typeof OPERATIONS;
export type OperationName = keyof Operations;
