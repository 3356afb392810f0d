import { timingSafeEqual } from "node:crypto";
import type { WireHeaders, WireRequest } from "../../contract/wire.ts";
import { type Admin, answered } from "./admin.ts";
import { type Answer, done, isRefused, type Refused, refuse, refuseFields } from "../requests/answer.ts";
import { hashKey, sentKey, unauthenticated } from "../requests/authenticate.ts";
import { type BodyFault, notOneOf, readBody, readName, type SentBody, STRING, memberErrors } from "../requests/body.ts";
import { readContent } from "../requests/input.ts";
import { type Query, readInteger, readQuery } from "../requests/query.ts";
import { MOST_REVIEWS } from "../reviews/reviews.ts";
import { matchPath, splitTarget } from "../requests/router.ts";
import { isJsonObject, type JsonObject } from "../../contract/json.ts";
import type { KeyGrant } from "../keys/keys.ts";
import type { RateLimit, Settings } from "../store/rows.ts";

const MEMBERS = {
  rateLimit: { type: "object-or-null", required: false },
  keepVersionsDays: { type: "integer-or-null", required: false },
  keepVersions: { type: "integer-or-null", required: false },
} as const;
/** Limits of settings, which the options of `serve` have, too. */
const RANGES = { keepVersionsDays: [0, 36_500], keepVersions: [1, 1_000_000] } as const;

/**
 * PATCH /admin/settings: changes the members that are sent, from the next request on.
 * ASSUMES: the settings and their route (contract test "shows settings, and changes those that are
 * sent").
 */
async function patchSettings(admin: Admin, body: SentBody): Promise<Answer> {
  const members = readBody(body, MEMBERS);
  if (isRefused(members)) return members;
  const wrong = (["keepVersionsDays", "keepVersions"] as const).find((name) => !isInRange(members, name));
  if (wrong !== undefined) {
    const detail = `${wrong} must be ${RANGES[wrong].join(" to ")}, or null.`;
    return refuseFields([{ code: "out_of_range", pointer: `/${wrong}`, detail }]);
  }
  const sent = members["rateLimit"] as JsonObject | null | undefined;
  const rateLimit = readRate(sent ?? undefined);
  if (isRefused(rateLimit)) return rateLimit;
  const changed: Partial<Settings> = {
    ...(sent === undefined ? {} : { rateLimit }),
    ...pick(members, "keepVersionsDays"),
    ...pick(members, "keepVersions"),
  };
  return answered(admin.changeSettings(changed));
}

type Retention = keyof typeof RANGES;

function isInRange(members: JsonObject, name: Retention): boolean {
  const sent = members[name];
  return typeof sent !== "number" || (sent >= RANGES[name][0] && sent <= RANGES[name][1]);
}

/** What was not sent stays. */
function pick(members: JsonObject, name: Retention): Partial<Settings> {
  return Object.hasOwn(members, name) ? { [name]: members[name] as number | null } : {};
}

/** Reads a member `rateLimit`; null without one. */
function readRate(sent: JsonObject | undefined): RateLimit | null | Refused {
  if (sent === undefined) return null;
  const member = { type: "integer", required: true } as const;
  const errors = memberErrors(sent, { requests: member, seconds: member }, "/rateLimit");
  if (errors.length > 0) return refuseFields(errors);
  const { requests, seconds } = sent as RateLimit;
  if (requests >= 1 && seconds >= 1) return { requests, seconds };
  return refuseFields([
    { code: "out_of_range", pointer: "/rateLimit", detail: "requests and seconds must be 1 or more." },
  ]);
}

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

/** `POST /admin/keys` and `PATCH /admin/keys/{id}`. */

const LEVELS = ["none", "read", "edit", "full"] as const;

const KEY_MEMBERS = {
  workspaceId: STRING,
  grants: { type: "array", required: true },
  label: { type: "string", required: false },
  rateLimit: { type: "object", required: false },
  expiresAt: { type: "integer", required: false },
} as const;

async function createKey(admin: Admin, body: SentBody): Promise<Answer> {
  const members = readBody(body, KEY_MEMBERS);
  if (isRefused(members)) return members;
  const grants = readGrants(members["grants"] as readonly unknown[]);
  if (isRefused(grants)) return grants;
  const rateLimit = readRate(members["rateLimit"] as JsonObject | undefined);
  if (isRefused(rateLimit)) return rateLimit;
  const label = readName((members["label"] as string | undefined) ?? "", "/label");
  if (isRefused(label)) return label;
  const workspaceId = members["workspaceId"] as string;
  const expiresAt = (members["expiresAt"] as number | undefined) ?? null;
  return answered(admin.createKey({ workspaceId, grants, label, rateLimit, expiresAt }), 201);
}

const KEY_CHANGES = {
  grants: { type: "array", required: false },
  rateLimit: { type: "object-or-null", required: false },
  label: { type: "string", required: false },
  expiresAt: { type: "integer-or-null", required: false },
} as const;

async function patchKey(admin: Admin, id: string, body: SentBody): Promise<Answer> {
  const members = readBody(body, KEY_CHANGES);
  if (isRefused(members)) return members;
  if (Object.keys(members).length === 0) {
    const detail = "grants, rateLimit, label or expiresAt must be sent.";
    return refuseFields([{ code: "required", pointer: "/grants", detail }]);
  }
  const grants = members["grants"] === undefined ? undefined : readGrants(members["grants"] as readonly unknown[]);
  if (isRefused(grants)) return grants;
  const sent = members["rateLimit"] as JsonObject | null | undefined;
  const rateLimit = sent === undefined ? undefined : readRate(sent ?? undefined);
  if (isRefused(rateLimit)) return rateLimit;
  const name = members["label"] as string | undefined;
  const label = name === undefined ? undefined : readName(name, "/label");
  if (isRefused(label)) return label;
  const expiresAt = members["expiresAt"] as number | null | undefined;
  return answered(admin.changeKey(id, { grants, rateLimit, label, expiresAt }));
}

const GRANT_MEMBERS = { on: { type: "string-or-null", required: true }, level: STRING } as const;

function readGrants(sent: readonly unknown[]): KeyGrant[] | Refused {
  const grants: KeyGrant[] = [];
  for (const [i, each] of sent.entries()) {
    if (!isJsonObject(each))
      return refuseFields([{ code: "wrong_type", pointer: `/grants/${i}`, detail: "A grant is an object." }]);
    const errors = memberErrors(each, GRANT_MEMBERS, `/grants/${i}`);
    if (errors.length > 0) return refuseFields(errors);
    const level = LEVELS.find((known) => known === each["level"]);
    if (level === undefined) return notOneOf(`/grants/${i}/level`, LEVELS);
    grants.push({ on: each["on"] as string | null, level });
  }
  return grants;
}
