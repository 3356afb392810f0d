import { type Answer, done, isRefused, type Refused, refuse } from "./answer.ts";
import { hashKey } from "./authenticate.ts";
import { type ServerContext, newId } from "./context.ts";
import { placeAt } from "./kept-grants.ts";
import type { GrantRow, KeyRow, Level } from "./keys-table.ts";
import { limitOf, type RateLimit } from "./rate.ts";
import { Reviews } from "./reviews.ts";
import type { WorkspaceRow, WorkspaceState } from "./workspaces-table.ts";

/**
 * `on` is a folder or file id, or a path that begins with a slash; null is the whole workspace. A
 * grant on a path where nothing exists waits: what is created there gets it, if it gives less than
 * the place above.
 */
export type KeyGrant = { readonly on: string | null; readonly level: Level };

type KeyInfo = {
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  readonly grants: readonly KeyGrant[];
  readonly rateLimit: RateLimit | null;
  /** Milliseconds since the epoch; null: it does not expire. */
  readonly expiresAt: number | null;
};

/** A key that was just made: only now its text is shown. */
type NewKeyInfo = KeyInfo & { readonly key: string };

type WorkspaceInfo = { readonly id: string; readonly name: string; readonly state: WorkspaceState };

type KeyOptions = {
  readonly workspaceId: string;
  readonly grants: readonly KeyGrant[];
  readonly label?: string;
  readonly rateLimit?: RateLimit | null;
  readonly expiresAt?: number | null;
};

type KeyChanges = {
  readonly grants: readonly KeyGrant[] | undefined;
  readonly rateLimit: RateLimit | null | undefined;
};

const noWorkspace = () => refuse("not_found", "There is no such workspace.");
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
    return this.#server.store.workspaces.all().map(workspaceInfo);
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
    return workspace === undefined ? noWorkspace() : workspaceInfo(workspace);
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

  createKey(options: KeyOptions): NewKeyInfo | Refused {
    return this.#server.store.transact(
      () => makeKey(this.#server, options),
      (made) => !isRefused(made),
    );
  }

  setGrants(keyId: string, grants: readonly KeyGrant[]): KeyInfo | Refused {
    return this.changeKey(keyId, { grants, rateLimit: undefined });
  }

  /** Changes the members that are given; with a rate limit of null, the key has the service's. */
  changeKey(keyId: string, { grants, rateLimit }: KeyChanges): KeyInfo | Refused {
    const { store } = this.#server;
    const row = store.keys.byId(keyId);
    const workspace = row && store.workspaces.byId(row.workspaceId);
    if (row === undefined || workspace === undefined) return noKey();
    const wanted = grants === undefined ? null : readGrants(this.#server, workspace, grants);
    if (isRefused(wanted)) return wanted;
    store.transact(() => {
      if (wanted !== null) setGrants(this.#server, row.seq, workspace, wanted);
      if (rateLimit !== undefined) store.keys.setRate(row.seq, rateLimit?.requests ?? null, rateLimit?.seconds ?? null);
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

function makeKey(server: ServerContext, options: KeyOptions): NewKeyInfo | Refused {
  const { store } = server;
  const workspace = store.workspaces.byId(options.workspaceId);
  if (workspace === undefined) return noWorkspace();
  const grants = readGrants(server, workspace, options.grants);
  if (isRefused(grants)) return grants;
  const key = newKeyText(server);
  const row = {
    id: newId(server, "key_"),
    workspaceId: workspace.id,
    hash: hashKey(key),
    label: options.label ?? "",
    rateRequests: options.rateLimit?.requests ?? null,
    rateSeconds: options.rateLimit?.seconds ?? null,
    expiresAt: options.expiresAt ?? null,
    at: server.now(),
  };
  const seq = store.keys.insert(row);
  setGrants(server, seq, workspace, grants);
  return { ...keyInfo(server, { seq, ...row }), key };
}

/** 256 random bits; the prefix makes a leaked key recognisable. */
function newKeyText(server: ServerContext): string {
  return `mdm_${Buffer.from(server.random(32)).toString("base64url")}`;
}

function workspaceInfo({ id, name, state }: WorkspaceRow): WorkspaceInfo {
  return { id, name, state };
}

function keyInfo({ store }: ServerContext, row: KeyRow): KeyInfo {
  const grants = store.keys.grants(row.seq).flatMap(({ kind, target, level }): KeyGrant[] => {
    if (kind === "root") return [{ on: null, level }];
    const id = kind === "folder" ? store.folders.idOf(target) : store.files.bySeq(target)?.id;
    return id === undefined ? [] : [{ on: id, level }];
  });
  grants.push(...store.grants.keptOf(row.seq).map(({ path, level }): KeyGrant => ({ on: `/${path}`, level })));
  const { id, workspaceId, label, expiresAt } = row;
  return { id, workspaceId, label, grants, rateLimit: limitOf(row), expiresAt };
}

type WantedGrants = { readonly rows: readonly GrantRow[]; readonly paths: ReadonlyMap<string, Level> };

function readGrants(
  server: ServerContext,
  workspace: WorkspaceRow,
  grants: readonly KeyGrant[],
): WantedGrants | Refused {
  const rows: GrantRow[] = [];
  const paths = new Map<string, Level>();
  for (const { on, level } of grants) {
    const path = on?.startsWith("/") === true ? on.slice(1) : null;
    const place = path === null ? placeOf(server, workspace, on) : placeAt({ ...server, workspace }, path);
    if (place !== undefined) rows.push({ kind: place.kind, target: place.seq, level });
    else if (path !== null && !paths.has(path)) paths.set(path, level);
    else if (path === null) return refuse("not_found", `There is no file or folder ${on} in the workspace.`);
    else return refuse("invalid_request", "Two grants are on the same resource.");
  }
  const distinct = new Set(rows.map((row) => `${row.kind} ${row.target}`));
  return distinct.size === rows.length
    ? { rows, paths }
    : refuse("invalid_request", "Two grants are on the same resource.");
}

function placeOf(
  { store }: ServerContext,
  workspace: WorkspaceRow,
  id: string | null,
): { readonly kind: GrantRow["kind"]; readonly seq: number } | undefined {
  if (id === null) return { kind: "root", seq: 0 };
  const folder = store.folders.byId(workspace.seq, id);
  if (folder !== undefined) return { kind: "folder", seq: folder.seq };
  const file = store.files.byId(workspace.seq, id);
  return file && { kind: "file", seq: file.seq };
}

function setGrants(
  { store }: ServerContext,
  key: number,
  workspace: WorkspaceRow,
  { rows, paths }: WantedGrants,
): void {
  store.keys.setGrants(key, rows);
  for (const [path, level] of paths) store.grants.keep({ key, workspace: workspace.seq, path, level });
}

/** The result of an admin operation as an answer. */
export function answered(result: object | Refused | null, status: 200 | 201 = 200): Answer {
  if (result === null) return done(204);
  return isRefused(result) ? result : done(status, result);
}
