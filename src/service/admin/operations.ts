/**
 * Declares the operations below `/admin` once, for the service and for the commands of
 * administrators. The answer to a command may come from a service of another version, or from
 * another program. So the commands check the form of each answer.
 */

import { z } from "zod";
import { contentSchema, makeIntegerParameter } from "../../contract/api/fields.ts";

export type AdminOperation = {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** True if a request without a body counts as a request with an empty object. */
  readonly mayLackBody?: true;
  readonly answer: z.ZodType;
};

/**
 * LIMIT: number of characters in the label of a key or the name of a workspace, so that a row of a
 * list stays short.
 */
export const MAX_LABEL_CHARACTERS = 200;
const nameSchema = z.string().max(MAX_LABEL_CHARACTERS);
const rateLimitSchema = z
  .strictObject({ requests: z.int32(), seconds: z.int32() })
  .refine(({ requests, seconds }) => requests >= 1 && seconds >= 1, {
    error: "requests and seconds must be 1 or more.",
    params: { code: "out_of_range" },
  });
const grantsSchema = z
  .array(z.strictObject({ on: z.string().nullable(), level: z.enum(["none", "read", "edit", "full"]) }))
  .readonly();
/** The latest time that a `Date` can hold, in milliseconds since the epoch. */
const MAX_TIME_MS = 8_640_000_000_000_000;

/** `expiresAt`: milliseconds since the epoch; null if the key never expires. */
const keyLimitFields = {
  rateLimit: rateLimitSchema.nullable().exactOptional(),
  expiresAt: z.int().min(0).max(MAX_TIME_MS).nullable().exactOptional(),
};

const newKeySchema = z.strictObject({
  ...keyLimitFields,
  workspaceId: z.string(),
  grants: grantsSchema,
  label: nameSchema.default(""),
});

const keyChangesSchema = z
  .strictObject({ ...keyLimitFields, grants: grantsSchema.exactOptional(), label: nameSchema.exactOptional() })
  .superRefine((changes, { addIssue }) => {
    if (Object.keys(changes).length > 0) return;
    const message = "grants, rateLimit, label or expiresAt must be sent.";
    addIssue({ code: "custom", path: ["grants"], message, params: { code: "required" } });
  });

/**
 * Permitted values of the settings. Options of `serve` with the same names have the same permitted
 * values.
 */
const settingsSchema = z.strictObject({
  rateLimit: rateLimitSchema.nullable().exactOptional(),
  keepVersionsDays: z.int().min(0).max(36_500).nullable().exactOptional(),
  keepVersions: z.int().min(1).max(1_000_000).nullable().exactOptional(),
});

/** LIMIT: number of reviews on one page of the list, so that an answer stays small. */
export const MAX_REVIEWS = 1_000;

const reviewsQuerySchema = z.strictObject({
  workspaceId: z.string().optional(),
  status: z.enum(["in_review", "accepted", "rejected"]).default("in_review"),
  limit: makeIntegerParameter({ min: 1, max: MAX_REVIEWS, default: MAX_REVIEWS }),
  cursor: makeIntegerParameter({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }),
});

const workspaceStateSchema = z.strictObject({
  state: z.enum(["open", "closed", "restoring"]),
  retryAfter: z.int().min(0).max(86_400).optional(),
});

const workspaceSchema = z.object({
  id: z.string(),
  name: z.string(),
  state: z.string(),
  documents: z.number(),
  inReview: z.number(),
});

const grantSchema = z.object({ on: z.unknown(), level: z.string() });

const keySchema = z
  .object({
    id: z.string(),
    workspaceId: z.string(),
    label: z.string(),
    grants: z.array(grantSchema),
    // Current path of each grant, in the order of the grants; `/` for the whole workspace.
    grantPaths: z.array(z.string()),
    rateLimit: z.object({ requests: z.number(), seconds: z.number() }).nullable(),
    // Times in milliseconds since the epoch; null for never. After a crash, the time of the last
    // use may be one minute too early.
    expiresAt: z.number().nullable(),
    createdAt: z.number(),
    lastUsedAt: z.number().nullable(),
  })
  .refine(({ grants, grantPaths }) => grants.length === grantPaths.length)
  .transform(({ grants, grantPaths, ...members }) => ({
    ...members,
    grants: grants.map(makeGrantTransform(grantPaths)),
  }));

/**
 * Returns a function that adds the fields `path` and `waits` to a grant. `waits` is true if nothing
 * exists at the path of the grant yet. A file or folder that is created at the path later gets this
 * grant only if the grant gives less access than the parent folder.
 */
const makeGrantTransform = (paths: readonly string[]) => (parsed: z.output<typeof grantSchema>, index: number) => ({
  path: paths[index]!,
  level: parsed.level,
  waits: typeof parsed.on === "string" && parsed.on.startsWith("/"),
});

const newKeyAnswerSchema = z
  .intersection(keySchema, z.object({ key: z.string() }))
  .transform(({ key: text, ...made }) => ({ key: made, text }));

const reviewSchema = z.object({
  id: z.string(),
  workspaceId: z.string(),
  path: z.string(),
  status: z.string(),
  reason: z.string(),
  at: z.number(),
});

/**
 * A review with three contents. `content`: the content in review. `baseContent`: the content with
 * which the edit began; null if that content was pruned.
 */
const shownReviewSchema = reviewSchema.extend({
  content: z.string(),
  baseContent: z.string().nullable(),
  liveContent: z.string(),
});

const decidedReviewSchema = z.object({ path: z.string() });
/** Schema of an answer whose body is not checked. */
const ignoredSchema = z.unknown();

/**
 * Returns the schema for a page of a list. The schema refuses an empty page that has a cursor: a
 * command that follows such cursors might never end.
 */
function makePageSchema<Item extends z.ZodType>(item: Item) {
  return z
    .object({ data: z.array(item), nextCursor: z.string().nullish().catch(null) })
    .refine(({ data, nextCursor }) => nextCursor == null || data.length > 0);
}

/**
 * ASSUMES: the API permits the routes below `/admin`, although the API does not define these
 * routes. The contract tests test all of these routes.
 */
export const ADMIN_OPERATIONS = {
  listWorkspaces: { method: "GET", path: "/admin/workspaces", answer: makePageSchema(workspaceSchema) },
  createWorkspace: {
    method: "POST",
    path: "/admin/workspaces",
    body: z.strictObject({ name: nameSchema }),
    answer: newKeyAnswerSchema,
  },
  setState: { method: "PATCH", path: "/admin/workspaces/{id}", body: workspaceStateSchema, answer: workspaceSchema },
  removeWorkspace: { method: "DELETE", path: "/admin/workspaces/{id}", answer: ignoredSchema },
  listKeys: { method: "GET", path: "/admin/keys", answer: makePageSchema(keySchema) },
  createKey: { method: "POST", path: "/admin/keys", body: newKeySchema, answer: newKeyAnswerSchema },
  changeKey: { method: "PATCH", path: "/admin/keys/{id}", body: keyChangesSchema, answer: keySchema },
  revokeKey: { method: "DELETE", path: "/admin/keys/{id}", answer: ignoredSchema },
  listReviews: {
    method: "GET",
    path: "/admin/reviews",
    query: reviewsQuerySchema,
    answer: makePageSchema(reviewSchema),
  },
  showReview: { method: "GET", path: "/admin/reviews/{id}", answer: shownReviewSchema },
  acceptReview: {
    method: "POST",
    path: "/admin/reviews/{id}/accept",
    // `content`: content to publish instead of the content in review.
    body: z.strictObject({ content: contentSchema.optional() }),
    mayLackBody: true,
    answer: decidedReviewSchema,
  },
  rejectReview: { method: "POST", path: "/admin/reviews/{id}/reject", answer: decidedReviewSchema },
  /**
   * ASSUMES: `/admin/settings` reads and changes settings with these names. The API does not define
   * this path (contract test "shows settings, and changes those that are sent").
   */
  readSettings: { method: "GET", path: "/admin/settings", answer: ignoredSchema },
  changeSettings: { method: "PATCH", path: "/admin/settings", body: settingsSchema, answer: ignoredSchema },
  takeBackup: { method: "POST", path: "/admin/backup", answer: ignoredSchema },
} as const satisfies Record<string, AdminOperation>;

export type AdminOperations = typeof ADMIN_OPERATIONS;
export type AdminOperationName = keyof AdminOperations;

export type WorkspaceJson = z.output<typeof workspaceSchema>;
export type KeyJson = z.output<typeof keySchema>;
export type SentKey = z.input<typeof keySchema>;
export type MadeKey = z.output<typeof newKeyAnswerSchema>;
export type ReviewJson = z.output<typeof reviewSchema>;
export type ShownReviewJson = z.output<typeof shownReviewSchema>;
/**
 * A grant of a key. `on`: id of a file or folder, a path that begins with a slash, or null for the
 * whole workspace.
 */
export type KeyGrant = z.output<typeof grantsSchema>[number];
export type NewKey = z.input<typeof newKeySchema>;
/** Changes of a key. A property of the key stays unchanged if it is missing in the changes. */
export type KeyChanges = z.output<typeof keyChangesSchema>;
