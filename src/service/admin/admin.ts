import { type Answer, DELETED_ANSWER, isRefused, makeDone, refuse, type Refused } from "../requests/answer.ts";
import { newId, type OutputOf, runDeletion, runRead, runWrite, type ServerContext } from "../requests/context.ts";
import {
  type KeyInfo,
  makeKey,
  type NewKeyInfo,
  readKeyInfo,
  readKeyInfos,
  refuseUnknownWorkspace,
  setGrants,
} from "../keys/keys.ts";
import {
  ADMIN_OPERATIONS,
  type AdminOperation,
  type AdminOperationName,
  type AdminOperations,
  type KeyChanges,
  type NewKey,
} from "./operations.ts";
import { readRateLimit } from "../requests/rate.ts";
import { Reviews } from "../reviews/reviews.ts";
import type { FinishedBackup } from "../store/store.ts";
import type { CountedWorkspace, Settings, WorkspaceState } from "../store/rows.ts";
import { timingSafeEqual } from "node:crypto";
import type { WireHeaders, WireRequest } from "../../contract/wire.ts";
import { hashKey, readSentKey, refuseUnauthenticated } from "../requests/authenticate.ts";
import { type BodyFault, readInput } from "../requests/input.ts";
import { makeRouteFinder, splitRequestTarget } from "../requests/router.ts";

type KeyPageRequest = { readonly workspaceId: string | null; readonly from: number; readonly most: number };

const refuseUnknownKey = () => refuse("not_found", "There is no such key.");

/**
 * Operations for administrators. The contract does not contain these operations, whose paths over
 * HTTP begin with `/admin`.
 */
export class Admin {
  readonly reviews: Reviews;
  readonly #server: ServerContext;

  constructor(server: ServerContext) {
    this.reviews = new Reviews(server);
    this.#server = server;
  }

  workspaces(): Promise<CountedWorkspace[]> {
    return runRead(this.#server, ({ tables }) => tables.workspaces.counted());
  }

  createWorkspace(name: string): Promise<NewKeyInfo> {
    return runWrite(this.#server, async (transaction) => {
      const workspaceId = newId(transaction, "wsp_");
      await transaction.tables.workspaces.insert(workspaceId, name);
      // Creating the key cannot fail: the workspace exists, and the only grant is on the root,
      // which always exists.
      const grants = [{ on: null, level: "full" }] as const;
      return (await makeKey(transaction, { workspaceId, label: "owner", grants })) as NewKeyInfo;
    });
  }

  /**
   * @param retryAfter seconds for the Retry-After header of each 503 while the state is not `open`
   */
  setWorkspaceState(workspaceId: string, state: WorkspaceState, retryAfter = 5): Promise<CountedWorkspace | Refused> {
    return runWrite(this.#server, async ({ tables: { workspaces } }) => {
      await workspaces.setState(workspaceId, state, retryAfter);
      const [workspace] = await workspaces.counted(workspaceId);
      return workspace ?? refuseUnknownWorkspace();
    });
  }

  /**
   * Removes a workspace with its documents. Requests with the keys of the workspace are then
   * answered `workspace_not_found`.
   */
  removeWorkspace(workspaceId: string): Promise<Refused | null> {
    return runDeletion(this.#server, async ({ tables }) => {
      const workspace = await tables.workspaces.byId(workspaceId);
      if (workspace === undefined) return refuseUnknownWorkspace();
      await tables.lockStructure(workspace.seq);
      await tables.workspaces.remove(workspace.seq);
      return null;
    });
  }

  keys(): Promise<KeyInfo[]> {
    return runRead(this.#server, async (transaction) => {
      return readKeyInfos(transaction, await transaction.tables.keys.page(null, 0, Number.MAX_SAFE_INTEGER));
    });
  }

  key(keyId: string): Promise<KeyInfo | null> {
    return runRead(this.#server, (transaction) => readKeyInfo(transaction, keyId));
  }

  /** Returns keys in the order of creation. `workspaceId`: null for all workspaces. */
  keyPage({ workspaceId, from, most }: KeyPageRequest): Promise<KeyInfo[] | Refused> {
    return runRead(this.#server, async (transaction) => {
      const { keys, workspaces } = transaction.tables;
      if (workspaceId !== null && (await workspaces.byId(workspaceId)) === undefined) return refuseUnknownWorkspace();
      return readKeyInfos(transaction, await keys.page(workspaceId, from, most));
    });
  }

  createKey(options: NewKey): Promise<NewKeyInfo | Refused> {
    return runWrite(this.#server, (transaction) => makeKey(transaction, options));
  }

  /**
   * Changes a key. Properties that are absent in the changes stay unchanged. With `rateLimit:
   * null`, the rate limit of the service applies to the key.
   */
  changeKey(keyId: string, { grants, ...members }: KeyChanges): Promise<KeyInfo | Refused> {
    return runWrite(this.#server, async (transaction) => {
      const { keys, workspaces } = transaction.tables;
      const keyRow = await keys.byId(keyId);
      const workspace = keyRow && (await workspaces.byId(keyRow.workspaceId));
      if (keyRow === undefined || workspace === undefined) return refuseUnknownKey();
      if (grants !== undefined) {
        const refusal = await setGrants(transaction, keyRow.seq, workspace, grants);
        if (refusal !== null) return refusal;
      }
      const { label, expiresAt } = keyRow;
      await keys.change(keyRow.seq, { label, rateLimit: readRateLimit(keyRow), expiresAt, ...members });
      return (await readKeyInfo(transaction, keyId))!;
    });
  }

  removeKey(keyId: string): Promise<Refused | null> {
    return runDeletion(this.#server, async ({ tables: { keys } }) => {
      const row = await keys.byId(keyId);
      if (row === undefined) return refuseUnknownKey();
      await keys.remove(row.seq);
      return null;
    });
  }

  settings(): Promise<Settings> {
    return runRead(this.#server, ({ tables }) => tables.settings.get());
  }

  /** Changes only the given settings. The new values apply from the next request on. */
  changeSettings(changed: Partial<Settings>): Promise<Settings> {
    return runWrite(this.#server, ({ tables }) => tables.settings.change(changed));
  }

  async backup(): Promise<FinishedBackup | Refused> {
    const backup = await this.#server.store.backup?.();
    return (
      backup ??
      refuse("not_found", "A PostgreSQL database is not one file: copy it with mdmirror serve backup --database URL.")
    );
  }
}

async function toAnswer(operation: Promise<object | null>, status: 200 | 201 = 200): Promise<Answer> {
  const body = await operation;
  if (body === null) return DELETED_ANSWER;
  return isRefused(body) ? body : makeDone(status, body);
}

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

/** Checks the admin key of a request. Returns a refusal if the key is missing or wrong. */
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
  // The type cast is safe: each handler takes exactly what the schemas of its operation return.
  return isRefused(input) ? input : HANDLERS[route.value]({ ...input, admin } as never);
}
