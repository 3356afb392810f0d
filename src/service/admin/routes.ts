/** Answers requests below `/admin`. */

import { timingSafeEqual } from "node:crypto";
import type { WireHeaders, WireRequest } from "../../contract/wire.ts";
import { type Admin, answered } from "./admin.ts";
import { type Answer, done, isRefused, type Refused, refuse } from "../requests/answer.ts";
import { hashKey, sentKey, unauthenticated } from "../requests/authenticate.ts";
import type { BodyFault } from "../requests/body.ts";
import type { ReadPart } from "../requests/context.ts";
import { routeTable, splitRequestTarget } from "../requests/router.ts";
import { readSent } from "../requests/validate.ts";
import { ADMIN_OPERATIONS, type AdminOperation, type AdminOperationName, type AdminOperations } from "./operations.ts";

type AdminCall<Name extends AdminOperationName> = {
  readonly admin: Admin;
  readonly id: string;
  readonly query: ReadPart<AdminOperations[Name], "query">;
  readonly body: ReadPart<AdminOperations[Name], "body">;
};

const HANDLERS: { readonly [Name in AdminOperationName]: (call: AdminCall<Name>) => Promise<Answer> } = {
  listWorkspaces: async ({ admin }) => done(200, { data: await admin.workspaces() }),
  createWorkspace: ({ admin, body }) => answered(admin.createWorkspace(body.name), 201),
  setState: ({ admin, id, body }) => answered(admin.setWorkspaceState(id, body.state, body.retryAfter)),
  removeWorkspace: ({ admin, id }) => answered(admin.removeWorkspace(id)),
  listKeys: async ({ admin }) => done(200, { data: await admin.keys() }),
  createKey: ({ admin, body }) => answered(admin.createKey(body), 201),
  changeKey: ({ admin, id, body }) => answered(admin.changeKey(id, body)),
  revokeKey: ({ admin, id }) => answered(admin.removeKey(id)),
  listReviews: ({ admin, query: { cursor: after, ...page } }) => answered(admin.reviews.page({ ...page, after })),
  showReview: ({ admin, id }) => answered(admin.reviews.show(id)),
  acceptReview: ({ admin, id, body }) => answered(admin.reviews.accept(id, body.content ?? null)),
  rejectReview: ({ admin, id }) => answered(admin.reviews.reject(id)),
  readSettings: ({ admin }) => answered(admin.settings()),
  changeSettings: ({ admin, body }) => answered(admin.changeSettings(body)),
  takeBackup: ({ admin }) => answered(admin.backup(), 201),
};

const findOperation = routeTable(
  (Object.keys(HANDLERS) as AdminOperationName[]).map((name) => [name, ADMIN_OPERATIONS[name]]),
);

/**
 * Checks that a request has the admin key.
 * @returns the refusal of a request without the key; null if the key is right
 */
export function authenticateAdmin(adminKeyHash: Buffer | null, headers: WireHeaders): Refused | null {
  const sent = sentKey(headers);
  const known = sent !== null && adminKeyHash !== null && timingSafeEqual(hashKey(sent), adminKeyHash);
  return known ? null : unauthenticated();
}

type AdminCore = { readonly admin: Admin; readonly adminKeyHash: Buffer | null };

/** Answers a request below `/admin`. Each such request needs the admin key. */
export async function routeAdmin(
  { admin, adminKeyHash }: AdminCore,
  request: WireRequest,
  fault: BodyFault | null,
): Promise<Answer> {
  const stranger = authenticateAdmin(adminKeyHash, request.headers);
  if (stranger !== null) return stranger;
  const { path, query } = splitRequestTarget(request.path);
  const found = findOperation(request.method, path);
  if (found === null) return refuse("not_found", "There is no such endpoint.");
  const operation: AdminOperation = ADMIN_OPERATIONS[found.value];
  const text = request.body ?? (operation.mayLackBody && fault === null ? "{}" : null);
  const read = readSent(operation, { id: found.id, query, body: { text, fault } });
  // The cast is safe, because the handler takes exactly the output of the operation's schemas.
  return isRefused(read) ? read : HANDLERS[found.value]({ ...read, admin } as never);
}
