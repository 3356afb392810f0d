/** Schemas of the answers of the service. Clients may use only fields that the contract lists. */

import { z } from "zod";
import type { ChangeId, DirId, DocId } from "../ids.ts";
import { MAX_FIELD_ERRORS, PROBLEM_CODES } from "../problem.ts";
import { type FileResource, type FolderResource, REVIEW_REASONS } from "../resources.ts";

const docIdSchema = z.string().regex(/^doc_[a-z0-9]+$/) as unknown as z.ZodType<DocId>;
const dirIdSchema = z.string().regex(/^dir_[a-z0-9]+$/) as unknown as z.ZodType<DirId>;
const changeIdSchema = z.string().regex(/^chg_[a-z0-9]+$/) as unknown as z.ZodType<ChangeId>;

/** Schemas for all fields of a resource. The service may add other fields. */
type FieldSchemas<Resource> = { readonly [Name in keyof Resource]: z.ZodType<Resource[Name]> } & Record<
  string,
  z.ZodType
>;

const absolutePathSchema = z.string().regex(/^\//);

/**
 * ASSUMES: for an item in the root, `parentId` is null and `parentPath` is `/` (contract test
 * "shows the parents of a file and of a folder").
 */
const placeFields = { parentId: dirIdSchema.nullable(), parentPath: absolutePathSchema };

const fileFields = {
  object: z.literal("file"),
  id: docIdSchema,
  path: z.string().regex(/^\/.*\.md$/),
  ...placeFields,
  protected: z.boolean(),
  lastChangeId: changeIdSchema,
} satisfies FieldSchemas<FileResource>;

export const fileSchema = z.strictObject(fileFields).meta({ id: "File" });
export const fileWithContentSchema = z
  .strictObject({ ...fileFields, content: z.string() })
  .meta({ id: "FileWithContent" });

const folderFields = {
  object: z.literal("folder"),
  id: dirIdSchema,
  path: absolutePathSchema,
  ...placeFields,
  name: z.string(),
} satisfies FieldSchemas<FolderResource>;

export const folderSchema = z.strictObject(folderFields).meta({ id: "Folder" });

/** Answer 200 to a PUT. `content`: the content that is published after the PUT. */
export const editSchema = z
  .strictObject({ object: z.literal("edit"), file: fileSchema, content: z.string() })
  .meta({ id: "EditFileResponse" });

export const changeInReviewSchema = z
  .strictObject({
    object: z.literal("change"),
    id: changeIdSchema,
    status: z.literal("in_review"),
    reason: z.enum(REVIEW_REASONS),
    fileIds: z.array(docIdSchema),
  })
  .meta({ id: "ChangeInReview" });

export function makeListSchema<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    object: z.literal("list"),
    url: z.string(),
    data: z.array(item),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable(),
  });
}

/**
 * Start and end of a match in the `text` of a source, counted in code points from 0. The end is the
 * position after the match.
 */
const rangeSchema = z.array(z.int().min(0)).length(2) as unknown as z.ZodType<readonly [number, number]>;
const lineFields = {
  fileId: docIdSchema,
  line: z.int().min(1),
  text: z.string(),
  ranges: z.array(rangeSchema).readonly(),
};

/**
 * ASSUMES: a search returns each document as a File with its `content` and two more fields
 * (contract test "marks what matched in its sources"):
 * - `sources`: up to three lines that match, or parts of long lines. `line` is counted from 1.
 *   Absent if `includeSources` is false.
 * - `score`: greater is better. Only scores of the same answer can be compared.
 */
export const searchHitSchema = z
  .strictObject({
    ...fileFields,
    content: z.string(),
    score: z.number(),
    sources: z.array(z.strictObject({ object: z.literal("snippet"), ...lineFields })).optional(),
  })
  .meta({ id: "SearchHit" });

/**
 * ASSUMES: a regex search returns one entry in `sources` for each line with a match. `line` and
 * `column` are counted from 1; `text` is the whole line (contract test "gives line and column of
 * each match").
 */
export const regexHitSchema = z
  .strictObject({
    ...fileFields,
    content: z.string(),
    sources: z.array(z.strictObject({ object: z.literal("match"), ...lineFields, column: z.int().min(1) })).optional(),
  })
  .meta({ id: "RegexHit" });

export const validKeySchema = z.strictObject({ object: z.literal("api_key"), valid: z.literal(true) });

const fieldErrorSchema = z.strictObject({ code: z.string(), pointer: absolutePathSchema, detail: z.string() });

export const problemSchema = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.enum(Object.keys(PROBLEM_CODES)),
    detail: z.string(),
    requestId: z.string(),
    errors: z.array(fieldErrorSchema).min(1).max(MAX_FIELD_ERRORS).optional(),
  })
  .meta({ id: "Problem" });

export type AnsweredFile = z.output<typeof fileSchema>;
export type AnsweredContent = z.output<typeof fileWithContentSchema>;
export type AnsweredFolder = z.output<typeof folderSchema>;
export type Edit = z.output<typeof editSchema>;
export type ChangeInReview = z.output<typeof changeInReviewSchema>;
export type Problem = z.output<typeof problemSchema>;
export type List = z.output<ReturnType<typeof makeListSchema<z.ZodUnknown>>>;
export type SearchHit = z.output<typeof searchHitSchema>;
export type RegexHit = z.output<typeof regexHitSchema>;
