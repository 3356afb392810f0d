import { timingSafeEqual } from "node:crypto";
import type { WireHeaders, WireRequest } from "../../contract/wire.ts";
import { createKey, patchKey } from "./key-routes.ts";
import { patchSettings } from "./settings.ts";
import { type Admin, answered } from "./admin.ts";
import { type Answer, done, isRefused, type Refused, refuse, refuseFields } from "../requests/answer.ts";
import { hashKey, sentKey, unauthenticated } from "../requests/authenticate.ts";
import { type BodyFault, notOneOf, readBody, readName, type SentBody, STRING } from "../requests/body.ts";
import { readContent } from "../requests/input.ts";
import { type Query, readInteger, readQuery } from "../requests/query.ts";
import { MOST_REVIEWS } from "../reviews/reviews.ts";
import { matchPath, splitTarget } from "../requests/router.ts";

type AdminCore = { readonly admin: Admin; readonly adminKeyHash: Buffer | null };

type AdminCall = {
  readonly admin: Admin;
  readonly id: string;
  readonly query: Query;
  readonly body: SentBody;
};
type AdminEndpoint = {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly string[];
  readonly run: (call: AdminCall) => Promise<Answer>;
};

const STATES = ["open", "closed", "restoring"] as const;
const STATUSES = ["in_review", "accepted", "rejected"] as const;

/** ASSUMES: all of /admin, which the document leaves to "the app" (contract tests of the admin). */
const ENDPOINTS: readonly AdminEndpoint[] = [
  {
    method: "GET",
    path: "/admin/workspaces",
    parameters: [],
    run: async ({ admin }) => done(200, { data: await admin.workspaces() }),
  },
  { method: "POST", path: "/admin/workspaces", parameters: [], run: createWorkspace },
  { method: "PATCH", path: "/admin/workspaces/{id}", parameters: [], run: patchWorkspace },
  {
    method: "DELETE",
    path: "/admin/workspaces/{id}",
    parameters: [],
    run: ({ admin, id }) => answered(admin.removeWorkspace(id)),
  },
  {
    method: "GET",
    path: "/admin/keys",
    parameters: [],
    run: async ({ admin }) => done(200, { data: await admin.keys() }),
  },
  { method: "POST", path: "/admin/keys", parameters: [], run: ({ admin, body }) => createKey(admin, body) },
  {
    method: "PATCH",
    path: "/admin/keys/{id}",
    parameters: [],
    run: ({ admin, id, body }) => patchKey(admin, id, body),
  },
  { method: "DELETE", path: "/admin/keys/{id}", parameters: [], run: ({ admin, id }) => answered(admin.removeKey(id)) },
  {
    method: "GET",
    path: "/admin/settings",
    parameters: [],
    run: ({ admin }) => answered(admin.settings()),
  },
  {
    method: "PATCH",
    path: "/admin/settings",
    parameters: [],
    run: ({ admin, body }) => patchSettings(admin, body),
  },
  {
    method: "POST",
    path: "/admin/backup",
    parameters: [],
    run: ({ admin }) => answered(admin.backup(), 201),
  },
  { method: "GET", path: "/admin/reviews", parameters: ["workspaceId", "status", "limit", "cursor"], run: listReviews },
  {
    method: "GET",
    path: "/admin/reviews/{id}",
    parameters: [],
    run: ({ admin, id }) => answered(admin.reviews.show(id)),
  },
  {
    method: "POST",
    path: "/admin/reviews/{id}/accept",
    parameters: [],
    run: acceptReview,
  },
  {
    method: "POST",
    path: "/admin/reviews/{id}/reject",
    parameters: [],
    run: ({ admin, id }) => answered(admin.reviews.reject(id)),
  },
];

/** @returns the refusal of a request without the admin key */
export function authenticateAdmin(adminKeyHash: Buffer | null, headers: WireHeaders): Refused | null {
  const sent = sentKey(headers);
  const known = sent !== null && adminKeyHash !== null && timingSafeEqual(hashKey(sent), adminKeyHash);
  return known ? null : unauthenticated();
}

/** Answers a request below /admin, which only the admin key opens. */
export async function routeAdmin(
  { admin, adminKeyHash }: AdminCore,
  request: WireRequest,
  fault: BodyFault | null,
): Promise<Answer> {
  const stranger = authenticateAdmin(adminKeyHash, request.headers);
  if (stranger !== null) return stranger;
  const target = splitTarget(request.path);
  for (const endpoint of ENDPOINTS) {
    const values = endpoint.method === request.method ? matchPath(endpoint.path, target.path) : null;
    if (values === null) continue;
    const query = readQuery(target.query, endpoint.parameters);
    if (isRefused(query)) return query;
    return endpoint.run({ admin, id: values[0] ?? "", query, body: { text: request.body, fault } });
  }
  return refuse("not_found", "There is no such endpoint.");
}

async function createWorkspace({ admin, body }: AdminCall): Promise<Answer> {
  const members = readBody(body, { name: STRING });
  if (isRefused(members)) return members;
  const name = readName(members["name"] as string, "/name");
  return isRefused(name) ? name : answered(admin.createWorkspace(name), 201);
}

async function patchWorkspace({ admin, id, body }: AdminCall): Promise<Answer> {
  const members = readBody(body, { state: STRING, retryAfter: { type: "integer", required: false } });
  if (isRefused(members)) return members;
  const state = STATES.find((each) => each === members["state"]);
  if (state === undefined) return notOneOf("/state", STATES);
  const retryAfter = members["retryAfter"] as number | undefined;
  if (retryAfter !== undefined && (retryAfter < 0 || retryAfter > 86_400)) {
    return refuseFields([
      { code: "out_of_range", pointer: "/retryAfter", detail: "retryAfter must be 0 to 86400 seconds." },
    ]);
  }
  return answered(admin.setWorkspaceState(id, state, retryAfter));
}

/** With a body `{content}`, makes that text live instead of the one in review. */
async function acceptReview({ admin, id, body }: AdminCall): Promise<Answer> {
  if (body.text === null && body.fault === null) return answered(admin.reviews.accept(id));
  const members = readBody(body, { content: { type: "string", required: false } });
  if (isRefused(members)) return members;
  const sent = members["content"] as string | undefined;
  const content = sent === undefined ? null : readContent(sent);
  return isRefused(content) ? content : answered(admin.reviews.accept(id, content));
}

async function listReviews({ admin, query }: AdminCall): Promise<Answer> {
  const workspaceId = query.get("workspaceId");
  const status = STATUSES.find((each) => each === (query.get("status") ?? "in_review"));
  if (status === undefined) return notOneOf("/status", STATUSES);
  const limit = readInteger(query, "limit", { min: 1, max: MOST_REVIEWS, default: MOST_REVIEWS });
  if (isRefused(limit)) return limit;
  const after = readInteger(query, "cursor", { min: 0, max: Number.MAX_SAFE_INTEGER, default: 0 });
  return isRefused(after) ? after : answered(admin.reviews.page({ workspaceId, status, after, limit }));
}
