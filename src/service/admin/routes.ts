import { timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { content, integerParameter } from "../../contract/api/fields.ts";
import type { WireHeaders, WireRequest } from "../../contract/wire.ts";
import { type Admin, answered } from "./admin.ts";
import { type Answer, done, isRefused, type Refused, refuse } from "../requests/answer.ts";
import { hashKey, sentKey, unauthenticated } from "../requests/authenticate.ts";
import type { BodyFault } from "../requests/body.ts";
import { MOST_REVIEWS } from "../reviews/reviews.ts";
import { matchPath } from "../requests/query.ts";
import { splitTarget } from "../requests/router.ts";
import { readSent } from "../requests/validate.ts";

/** Routes below `/admin`, each with the schemas of its input. */

/** LIMIT: characters of a label or of a workspace's name: both appear in lists. */
const name = z.string().max(200);
const rateLimit = z
  .strictObject({ requests: z.int(), seconds: z.int() })
  .refine(({ requests, seconds }) => requests >= 1 && seconds >= 1, {
    error: "requests and seconds must be 1 or more.",
    params: { code: "out_of_range" },
  });
const grants = z.array(z.strictObject({ on: z.string().nullable(), level: z.enum(["none", "read", "edit", "full"]) }));
/** Milliseconds since the epoch. */
const expiresAt = z.int();

const newKey = z.strictObject({
  workspaceId: z.string(),
  grants,
  label: name.default(""),
  rateLimit: rateLimit.exactOptional(),
  expiresAt: expiresAt.exactOptional(),
});

const keyChanges = z
  .strictObject({
    grants: grants.optional(),
    rateLimit: rateLimit.nullish(),
    label: name.optional(),
    expiresAt: expiresAt.nullish(),
  })
  .superRefine((changes, { addIssue }) => {
    if (Object.keys(changes).length > 0) return;
    const message = "grants, rateLimit, label or expiresAt must be sent.";
    addIssue({ code: "custom", path: ["grants"], message, params: { code: "required" } });
  });

/** Limits of the settings; the options of `serve` have the same limits. */
const settings = z.strictObject({
  rateLimit: rateLimit.nullable().exactOptional(),
  keepVersionsDays: z.int().min(0).max(36_500).nullable().exactOptional(),
  keepVersions: z.int().min(1).max(1_000_000).nullable().exactOptional(),
});

const reviewsAsked = z.strictObject({
  workspaceId: z.string().optional(),
  status: z.enum(["in_review", "accepted", "rejected"]).default("in_review"),
  limit: integerParameter({ min: 1, max: MOST_REVIEWS, default: MOST_REVIEWS }),
  cursor: integerParameter({ min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 }),
});

const workspaceState = z.strictObject({
  state: z.enum(["open", "closed", "restoring"]),
  retryAfter: z.int().min(0).max(86_400).optional(),
});

type Read<Schema> = Schema extends z.ZodType ? z.output<Schema> : null;

type Endpoint<Query, Body> = {
  readonly method: string;
  /** Pattern with `{id}` in place of the id. */
  readonly path: string;
  readonly query?: Query;
  readonly body?: Body;
  /** True if a request without a body counts as an empty object. */
  readonly mayLackBody?: true;
  readonly run: (call: {
    readonly admin: Admin;
    readonly id: string;
    readonly query: Read<Query>;
    readonly body: Read<Body>;
  }) => Promise<Answer>;
};

type AnyEndpoint = Endpoint<z.ZodObject | undefined, z.ZodType | undefined>;

function endpoint<Query extends z.ZodObject | undefined = undefined, Body extends z.ZodType | undefined = undefined>(
  declared: Endpoint<Query, Body>,
): AnyEndpoint {
  return declared as unknown as AnyEndpoint;
}

/**
 * ASSUMES: all routes below /admin. The API's document leaves them to "the app" (contract tests of
 * the admin).
 */
const WORKSPACES: readonly AnyEndpoint[] = [
  endpoint({
    method: "GET",
    path: "/admin/workspaces",
    run: async ({ admin }) => done(200, { data: await admin.workspaces() }),
  }),
  endpoint({
    method: "POST",
    path: "/admin/workspaces",
    body: z.strictObject({ name }),
    run: ({ admin, body }) => answered(admin.createWorkspace(body.name), 201),
  }),
  endpoint({
    method: "PATCH",
    path: "/admin/workspaces/{id}",
    body: workspaceState,
    run: ({ admin, id, body }) => answered(admin.setWorkspaceState(id, body.state, body.retryAfter)),
  }),
  endpoint({
    method: "DELETE",
    path: "/admin/workspaces/{id}",
    run: ({ admin, id }) => answered(admin.removeWorkspace(id)),
  }),
];

const KEYS: readonly AnyEndpoint[] = [
  endpoint({
    method: "GET",
    path: "/admin/keys",
    run: async ({ admin }) => done(200, { data: await admin.keys() }),
  }),
  endpoint({
    method: "POST",
    path: "/admin/keys",
    body: newKey,
    run: ({ admin, body }) => answered(admin.createKey(body), 201),
  }),
  endpoint({
    method: "PATCH",
    path: "/admin/keys/{id}",
    body: keyChanges,
    run: ({ admin, id, body }) => answered(admin.changeKey(id, body)),
  }),
  endpoint({
    method: "DELETE",
    path: "/admin/keys/{id}",
    run: ({ admin, id }) => answered(admin.removeKey(id)),
  }),
];

const REVIEWS: readonly AnyEndpoint[] = [
  endpoint({
    method: "GET",
    path: "/admin/reviews",
    query: reviewsAsked,
    run: ({ admin, query: { cursor: after, ...asked } }) => answered(admin.reviews.page({ ...asked, after })),
  }),
  endpoint({
    method: "GET",
    path: "/admin/reviews/{id}",
    run: ({ admin, id }) => answered(admin.reviews.show(id)),
  }),
  endpoint({
    method: "POST",
    path: "/admin/reviews/{id}/accept",
    // `content` is published in place of the content in review.
    body: z.strictObject({ content: content.optional() }),
    mayLackBody: true,
    run: ({ admin, id, body }) => answered(admin.reviews.accept(id, body.content ?? null)),
  }),
  endpoint({
    method: "POST",
    path: "/admin/reviews/{id}/reject",
    run: ({ admin, id }) => answered(admin.reviews.reject(id)),
  }),
];

/**
 * ASSUMES: the settings and their route (contract test "shows settings, and changes those that are
 * sent").
 */
const SERVICE: readonly AnyEndpoint[] = [
  endpoint({
    method: "GET",
    path: "/admin/settings",
    run: ({ admin }) => answered(admin.settings()),
  }),
  endpoint({
    method: "PATCH",
    path: "/admin/settings",
    body: settings,
    run: ({ admin, body }) => answered(admin.changeSettings(body)),
  }),
  endpoint({
    method: "POST",
    path: "/admin/backup",
    run: ({ admin }) => answered(admin.backup(), 201),
  }),
];

const ENDPOINTS = [...WORKSPACES, ...KEYS, ...REVIEWS, ...SERVICE];

/**
 * Checks the admin key of a request.
 * @returns the refusal of a request without the key
 */
export function authenticateAdmin(adminKeyHash: Buffer | null, headers: WireHeaders): Refused | null {
  const sent = sentKey(headers);
  const known = sent !== null && adminKeyHash !== null && timingSafeEqual(hashKey(sent), adminKeyHash);
  return known ? null : unauthenticated();
}

type AdminCore = { readonly admin: Admin; readonly adminKeyHash: Buffer | null };

/** Answers a request below /admin. Each such request needs the admin key. */
export async function routeAdmin(
  { admin, adminKeyHash }: AdminCore,
  request: WireRequest,
  fault: BodyFault | null,
): Promise<Answer> {
  const stranger = authenticateAdmin(adminKeyHash, request.headers);
  if (stranger !== null) return stranger;
  const { path, query } = splitTarget(request.path);
  for (const found of ENDPOINTS) {
    const values = found.method === request.method ? matchPath(found.path, path) : null;
    if (values === null) continue;
    const [id = ""] = values;
    const text = request.body ?? (found.mayLackBody && fault === null ? "{}" : null);
    const read = readSent(found, { id, query, body: { text, fault } });
    return isRefused(read) ? read : found.run({ ...read, admin });
  }
  return refuse("not_found", "There is no such endpoint.");
}
