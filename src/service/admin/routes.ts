import { timingSafeEqual } from "node:crypto";
import type { WireHeaders, WireRequest } from "../../contract/wire.ts";
import { type Admin, toAnswer } from "./admin.ts";
import { type Answer, makeDone, isRefused, type Refused, refuse } from "../requests/answer.ts";
import { hashKey, readSentKey, refuseUnauthenticated } from "../requests/authenticate.ts";
import type { BodyFault } from "../requests/body.ts";
import type { OutputOf } from "../requests/context.ts";
import { makeRouteFinder, splitRequestTarget } from "../requests/router.ts";
import { readInput } from "../requests/validate.ts";
import { ADMIN_OPERATIONS, type AdminOperation, type AdminOperationName, type AdminOperations } from "./operations.ts";

type AdminCall<Name extends AdminOperationName> = {
  readonly admin: Admin;
  readonly id: string;
  readonly query: OutputOf<AdminOperations[Name], "query">;
  readonly body: OutputOf<AdminOperations[Name], "body">;
};

const HANDLERS: { readonly [Name in AdminOperationName]: (call: AdminCall<Name>) => Promise<Answer> } = {
  listWorkspaces: async ({ admin }) => makeDone(200, { data: await admin.workspaces() }),
  createWorkspace: ({ admin, body }) => toAnswer(admin.createWorkspace(body.name), 201),
  setState: ({ admin, id, body }) => toAnswer(admin.setWorkspaceState(id, body.state, body.retryAfter)),
  removeWorkspace: ({ admin, id }) => toAnswer(admin.removeWorkspace(id)),
  listKeys: async ({ admin }) => makeDone(200, { data: await admin.keys() }),
  createKey: ({ admin, body }) => toAnswer(admin.createKey(body), 201),
  changeKey: ({ admin, id, body }) => toAnswer(admin.changeKey(id, body)),
  revokeKey: ({ admin, id }) => toAnswer(admin.removeKey(id)),
  listReviews: ({ admin, query: { cursor: after, ...page } }) => toAnswer(admin.reviews.page({ ...page, after })),
  showReview: ({ admin, id }) => toAnswer(admin.reviews.show(id)),
  acceptReview: ({ admin, id, body }) => toAnswer(admin.reviews.accept(id, body.content ?? null)),
  rejectReview: ({ admin, id }) => toAnswer(admin.reviews.reject(id)),
  readSettings: ({ admin }) => toAnswer(admin.settings()),
  changeSettings: ({ admin, body }) => toAnswer(admin.changeSettings(body)),
  takeBackup: ({ admin }) => toAnswer(admin.backup(), 201),
};

const findOperation = makeRouteFinder(
  (Object.keys(HANDLERS) as AdminOperationName[]).map((name) => [name, ADMIN_OPERATIONS[name]]),
);

/**
 * Checks the admin key of a request. Returns the refusal if the key is missing or wrong; otherwise
 * null.
 */
export function authenticateAdmin(adminKeyHash: Buffer | null, headers: WireHeaders): Refused | null {
  const keyText = readSentKey(headers);
  const isAdminKey = keyText !== null && adminKeyHash !== null && timingSafeEqual(hashKey(keyText), adminKeyHash);
  return isAdminKey ? null : refuseUnauthenticated();
}

type AdminCore = { readonly admin: Admin; readonly adminKeyHash: Buffer | null };

export async function routeAdmin(
  { admin, adminKeyHash }: AdminCore,
  request: WireRequest,
  fault: BodyFault | null,
): Promise<Answer> {
  const refusal = authenticateAdmin(adminKeyHash, request.headers);
  if (refusal !== null) return refusal;
  const { path, query } = splitRequestTarget(request.path);
  const route = findOperation(request.method, path);
  if (route === null) return refuse("not_found", "There is no such endpoint.");
  const operation: AdminOperation = ADMIN_OPERATIONS[route.value];
  const text = request.body ?? (operation.mayLackBody && fault === null ? "{}" : null);
  const input = readInput(operation, { id: route.id, query, body: { text, fault } });
  // The cast is safe, because the handler takes exactly the output of the operation's schemas.
  return isRefused(input) ? input : HANDLERS[route.value]({ ...input, admin } as never);
}
