import { type Answer, done, isRefused, type Refused, refuse } from "./answer.ts";
import { hashKey } from "./authenticate.ts";
import { type ServerContext, newId } from "./context.ts";
import { placeAt } from "./kept-grants.ts";
import type { GrantRow, KeyRow, Level, WorkspaceRow, WorkspaceState } from "./keys-table.ts";
import type { RateLimit } from "./rate.ts";
import { createReviews, type Reviews } from "./reviews.ts";

/**
 * `on` is a folder or file id, or a path that begins with a slash; null is the whole workspace. A
 * grant on a path where nothing stands waits: what comes to stand there gets it, where it gives
 * less than the place above.
 */
export type KeyGrant = { readonly on: string | null; readonly level: Level };

export type KeyInfo = {
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  readonly grants: readonly KeyGrant[];
  readonly rateLimit: RateLimit | null;
};

/** A key just made: the one time that its text is shown. */
export type NewKeyInfo = KeyInfo & { readonly key: string };

export type WorkspaceInfo = { readonly id: string; readonly name: string; readonly state: WorkspaceState };

export type KeyOptions = {
  readonly workspaceId: string;
  readonly grants: readonly KeyGrant[];
  readonly label?: string;
  readonly rateLimit?: RateLimit | null;
};

export type KeyChanges = {
  readonly grants: readonly KeyGrant[] | undefined;
  readonly rateLimit: RateLimit | null | undefined;
};

/** What the contract leaves to "the app". Also mounted under /admin. */
export type Admin = {
  readonly reviews: Reviews;
  workspaces(): WorkspaceInfo[];
  /** Makes a workspace and a first key with Full access to all of it. */
  createWorkspace(name: string): NewKeyInfo;
  /** @param retryAfter seconds, told with the 503 while the state is not `open` */
  setWorkspaceState(workspaceId: string, state: WorkspaceState, retryAfter?: number): WorkspaceInfo | Refused;
  /**
   * Removes the workspace and all its documents; its keys answer `workspace_not_found` from then
   * on.
   */
  removeWorkspace(workspaceId: string): Refused | null;
  keys(): KeyInfo[];
  createKey(options: KeyOptions): NewKeyInfo | Refused;
  setGrants(keyId: string, grants: readonly KeyGrant[]): KeyInfo | Refused;
  /** Changes what is given; a rate limit of null leaves the key that of the service. */
  changeKey(keyId: string, changes: KeyChanges): KeyInfo | Refused;
  removeKey(keyId: string): Refused | null;
};

const noWorkspace = () => refuse("not_found", "There is no such workspace.");
const noKey = () => refuse("not_found", "There is no such key.");
const always = () => true;

export function createAdmin(context: ServerContext): Admin {
  return { reviews: createReviews(context), ...workspaceAdmin(context), ...keyAdmin(context) };
}

type WorkspaceAdmin = Pick<Admin, "workspaces" | "createWorkspace" | "setWorkspaceState" | "removeWorkspace">;

function workspaceAdmin(context: ServerContext): WorkspaceAdmin {
  const { store } = context;
  return {
    workspaces: () => store.keys.workspaces().map(workspaceInfo),
    createWorkspace: (name) =>
      store.transact(() => {
        const id = newId(context, "wsp_");
        store.keys.addWorkspace(id, name);
        // Cannot be refused: the workspace is there, and the grant names nothing else.
        return makeKey(context, {
          workspaceId: id,
          label: "owner",
          grants: [{ on: null, level: "full" }],
        }) as NewKeyInfo;
      }, always),
    setWorkspaceState: (id, state, retryAfter = 5) => {
      store.keys.setState(id, state, retryAfter);
      const workspace = store.keys.workspace(id);
      return workspace === undefined ? noWorkspace() : workspaceInfo(workspace);
    },
    removeWorkspace: (id) => {
      const workspace = store.keys.workspace(id);
      if (workspace === undefined) return noWorkspace();
      store.transact(() => store.keys.removeWorkspace(workspace.seq), always);
      return null;
    },
  };
}

function keyAdmin(context: ServerContext): Pick<Admin, "keys" | "createKey" | "setGrants" | "changeKey" | "removeKey"> {
  const { store } = context;
  return {
    keys: () => store.keys.all().map((row) => keyInfo(context, row)),
    createKey: (options) =>
      store.transact(
        () => makeKey(context, options),
        (made) => !isRefused(made),
      ),
    setGrants: (keyId, grants) => changeKey(context, keyId, { grants, rateLimit: undefined }),
    changeKey: (keyId, changes) => changeKey(context, keyId, changes),
    removeKey: (keyId) => {
      const row = store.keys.byId(keyId);
      if (row === undefined) return noKey();
      store.transact(() => store.keys.remove(row.seq), always);
      return null;
    },
  };
}

function changeKey(context: ServerContext, keyId: string, { grants, rateLimit }: KeyChanges): KeyInfo | Refused {
  const { store } = context;
  const row = store.keys.byId(keyId);
  const workspace = row && store.keys.workspace(row.workspaceId);
  if (row === undefined || workspace === undefined) return noKey();
  const wanted = grants === undefined ? null : readGrants(context, workspace, grants);
  if (isRefused(wanted)) return wanted;
  store.transact(() => {
    if (wanted !== null) setGrants(context, row.seq, workspace, wanted);
    if (rateLimit !== undefined) store.keys.setRate(row.seq, rateLimit?.requests ?? null, rateLimit?.seconds ?? null);
  }, always);
  return keyInfo(context, store.keys.byId(keyId)!);
}

function makeKey(context: ServerContext, options: KeyOptions): NewKeyInfo | Refused {
  const { store } = context;
  const workspace = store.keys.workspace(options.workspaceId);
  if (workspace === undefined) return noWorkspace();
  const grants = readGrants(context, workspace, options.grants);
  if (isRefused(grants)) return grants;
  const key = newKeyText(context);
  const row = {
    id: newId(context, "key_"),
    workspaceId: workspace.id,
    hash: hashKey(key),
    label: options.label ?? "",
    rateRequests: options.rateLimit?.requests ?? null,
    rateSeconds: options.rateLimit?.seconds ?? null,
    at: context.now(),
  };
  const seq = store.keys.add(row);
  setGrants(context, seq, workspace, grants);
  return { ...keyInfo(context, { seq, ...row }), key };
}

/** 256 random bits, recognisable in a leak by its prefix. */
function newKeyText(context: ServerContext): string {
  return `mdm_${Buffer.from(context.random(32)).toString("base64url")}`;
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
  const limited = row.rateRequests !== null && row.rateSeconds !== null;
  const rateLimit = limited ? { requests: row.rateRequests!, seconds: row.rateSeconds! } : null;
  return { id: row.id, workspaceId: row.workspaceId, label: row.label, grants, rateLimit };
}

type WantedGrants = { readonly rows: readonly GrantRow[]; readonly paths: ReadonlyMap<string, Level> };

function readGrants(
  context: ServerContext,
  workspace: WorkspaceRow,
  grants: readonly KeyGrant[],
): WantedGrants | Refused {
  const rows: GrantRow[] = [];
  const paths = new Map<string, Level>();
  for (const { on, level } of grants) {
    const path = on?.startsWith("/") === true ? on.slice(1) : null;
    const place = path === null ? placeOf(context, workspace, on) : placeAt({ ...context, workspace }, path);
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

/** An admin operation's end as an answer. */
export function answered(result: object | Refused | null, status: 200 | 201 = 200): Answer {
  if (result === null) return done(204);
  return isRefused(result) ? result : done(status, result);
}
