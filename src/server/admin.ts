import { type Answer, done, isRefused, type Refused, refuse } from "./answer.ts";
import { type ServerContext, newId } from "./context.ts";
import {
  type KeyGrant,
  type KeyInfo,
  keyInfo,
  type KeyOptions,
  makeKey,
  type NewKeyInfo,
  noWorkspace,
  readGrants,
  setGrants,
} from "./keys.ts";
import type { KeyMembers, KeyRow } from "./keys-table.ts";
import type { RateLimit } from "./rate.ts";
import { Reviews } from "./reviews.ts";
import type { WorkspaceRow, WorkspaceState } from "./workspaces-table.ts";

type WorkspaceInfo = {
  readonly id: string;
  readonly name: string;
  readonly state: WorkspaceState;
  readonly documents: number;
  /** How many changes wait for review. */
  readonly inReview: number;
};

type KeysAsked = { readonly workspaceId: string | null; readonly from: number; readonly most: number };

/** What is not given stays. */
type KeyChanges = {
  readonly grants?: readonly KeyGrant[] | undefined;
  readonly rateLimit?: RateLimit | null | undefined;
  readonly label?: string | undefined;
  readonly expiresAt?: number | null | undefined;
};

const noKey = () => refuse("not_found", "There is no such key.");

/** The operations that the contract leaves to "the app". They are also served under /admin. */
export class Admin {
  readonly reviews: Reviews;
  readonly #server: ServerContext;

  constructor(server: ServerContext) {
    this.reviews = new Reviews(server);
    this.#server = server;
  }

  workspaces(): WorkspaceInfo[] {
    return this.#server.store.workspaces.all().map((row) => workspaceInfo(this.#server, row));
  }

  /** Makes a workspace and a first key with Full access to all of it. */
  createWorkspace(name: string): NewKeyInfo {
    const { store } = this.#server;
    return store.transact(() => {
      const workspaceId = newId(this.#server, "wsp_");
      store.workspaces.insert(workspaceId, name);
      // Cannot be refused: the workspace exists, and the grant names nothing else.
      return makeKey(this.#server, {
        workspaceId,
        label: "owner",
        grants: [{ on: null, level: "full" }],
      }) as NewKeyInfo;
    });
  }

  /** @param retryAfter seconds, sent with the 503 while the state is not `open` */
  setWorkspaceState(workspaceId: string, state: WorkspaceState, retryAfter = 5): WorkspaceInfo | Refused {
    const { workspaces } = this.#server.store;
    workspaces.setState(workspaceId, state, retryAfter);
    const workspace = workspaces.byId(workspaceId);
    return workspace === undefined ? noWorkspace() : workspaceInfo(this.#server, workspace);
  }

  /**
   * Removes the workspace and all its documents; its keys answer `workspace_not_found` from then
   * on.
   */
  removeWorkspace(workspaceId: string): Refused | null {
    const { store } = this.#server;
    const workspace = store.workspaces.byId(workspaceId);
    if (workspace === undefined) return noWorkspace();
    store.transact(() => store.workspaces.remove(workspace.seq));
    return null;
  }

  keys(): KeyInfo[] {
    return this.#server.store.keys.all().map((row) => keyInfo(this.#server, row));
  }

  /** @returns null: it is not there */
  key(keyId: string): KeyInfo | null {
    const row = this.#server.store.keys.byId(keyId);
    return row === undefined ? null : keyInfo(this.#server, row);
  }

  /** Some of them, in the order in which they were made. @param asked.workspaceId null: of all */
  keyPage({ workspaceId, from, most }: KeysAsked): KeyInfo[] | Refused {
    const { keys, workspaces } = this.#server.store;
    if (workspaceId !== null && workspaces.byId(workspaceId) === undefined) return noWorkspace();
    const rows = keys.all().filter((row) => workspaceId === null || row.workspaceId === workspaceId);
    return rows.slice(from, from + most).map((row) => keyInfo(this.#server, row));
  }

  createKey(options: KeyOptions): NewKeyInfo | Refused {
    return this.#server.store.transact(
      () => makeKey(this.#server, options),
      (made) => !isRefused(made),
    );
  }

  setGrants(keyId: string, grants: readonly KeyGrant[]): KeyInfo | Refused {
    return this.changeKey(keyId, { grants });
  }

  /** Changes the members that are given; with a rate limit of null, the key has the service's. */
  changeKey(keyId: string, { grants, ...members }: KeyChanges): KeyInfo | Refused {
    const { store } = this.#server;
    const row = store.keys.byId(keyId);
    const workspace = row && store.workspaces.byId(row.workspaceId);
    if (row === undefined || workspace === undefined) return noKey();
    const wanted = grants === undefined ? null : readGrants(this.#server, workspace, grants);
    if (isRefused(wanted)) return wanted;
    store.transact(() => {
      if (wanted !== null) setGrants(this.#server, row.seq, workspace, wanted);
      store.keys.change(row.seq, changedMembers(row, members));
    });
    return keyInfo(this.#server, store.keys.byId(keyId)!);
  }

  removeKey(keyId: string): Refused | null {
    const { store } = this.#server;
    const row = store.keys.byId(keyId);
    if (row === undefined) return noKey();
    store.transact(() => store.keys.remove(row.seq));
    return null;
  }
}

function changedMembers(row: KeyRow, { rateLimit, label, expiresAt }: Omit<KeyChanges, "grants">): KeyMembers {
  const { rateRequests, rateSeconds } = row;
  const rate =
    rateLimit === undefined
      ? { rateRequests, rateSeconds }
      : { rateRequests: rateLimit?.requests ?? null, rateSeconds: rateLimit?.seconds ?? null };
  return { ...rate, label: label ?? row.label, expiresAt: expiresAt === undefined ? row.expiresAt : expiresAt };
}

function workspaceInfo({ store }: ServerContext, { seq, id, name, state }: WorkspaceRow): WorkspaceInfo {
  return { id, name, state, documents: store.files.countOf(seq), inReview: store.changes.countInReview(seq) };
}

/** The result of an admin operation as an answer. */
export function answered(result: object | Refused | null, status: 200 | 201 = 200): Answer {
  if (result === null) return done(204);
  return isRefused(result) ? result : done(status, result);
}
