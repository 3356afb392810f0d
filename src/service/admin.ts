import { type Answer, done, isRefused, type Refused, refuse } from "./answer.ts";
import { hashKey } from "./authenticate.ts";
import { type Ground, newId } from "./context.ts";
import type { GrantRow, KeyRow, Level, WorkspaceRow, WorkspaceState } from "./keys-table.ts";
import type { RateLimit } from "./rate.ts";
import { createReviews, type Reviews } from "./reviews.ts";

/** `on` is a folder or file id; null is the whole workspace. */
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

/** What API.md leaves to "the app". Also mounted under /admin. */
export type Admin = {
  readonly reviews: Reviews;
  workspaces(): WorkspaceInfo[];
  /** Makes a workspace and a first key with Full access to all of it. */
  createWorkspace(name: string): NewKeyInfo;
  /** @param retryAfter seconds, told with the 503 while the state is not `open` */
  setWorkspaceState(workspaceId: string, state: WorkspaceState, retryAfter?: number): WorkspaceInfo | Refused;
  /** Removes the workspace and all its documents; its keys answer `workspace_not_found` from then on. */
  removeWorkspace(workspaceId: string): Refused | null;
  keys(): KeyInfo[];
  createKey(options: KeyOptions): NewKeyInfo | Refused;
  setGrants(keyId: string, grants: readonly KeyGrant[]): KeyInfo | Refused;
  removeKey(keyId: string): Refused | null;
};

const noWorkspace = () => refuse("not_found", "There is no such workspace.");
const noKey = () => refuse("not_found", "There is no such key.");
const always = () => true;

export function createAdmin(ground: Ground): Admin {
  return { reviews: createReviews(ground), ...workspaceAdmin(ground), ...keyAdmin(ground) };
}

type WorkspaceAdmin = Pick<Admin, "workspaces" | "createWorkspace" | "setWorkspaceState" | "removeWorkspace">;

function workspaceAdmin(ground: Ground): WorkspaceAdmin {
  const { store } = ground;
  return {
    workspaces: () => store.keys.workspaces().map(workspaceInfo),
    createWorkspace: (name) =>
      store.transact(() => {
        const id = newId(ground, "wsp_");
        store.keys.addWorkspace(id, name);
        // Cannot be refused: the workspace is there, and the grant names nothing else.
        return makeKey(ground, {
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

function keyAdmin(ground: Ground): Pick<Admin, "keys" | "createKey" | "setGrants" | "removeKey"> {
  const { store } = ground;
  return {
    keys: () => store.keys.all().map((row) => keyInfo(ground, row)),
    createKey: (options) =>
      store.transact(
        () => makeKey(ground, options),
        (made) => !isRefused(made),
      ),
    setGrants: (keyId, grants) => {
      const row = store.keys.byId(keyId);
      const workspace = row && store.keys.workspace(row.workspaceId);
      if (row === undefined || workspace === undefined) return noKey();
      const rows = grantRows(ground, workspace, grants);
      if (isRefused(rows)) return rows;
      store.transact(() => store.keys.setGrants(row.seq, rows), always);
      return keyInfo(ground, row);
    },
    removeKey: (keyId) => {
      const row = store.keys.byId(keyId);
      if (row === undefined) return noKey();
      store.transact(() => store.keys.remove(row.seq), always);
      return null;
    },
  };
}

function makeKey(ground: Ground, options: KeyOptions): NewKeyInfo | Refused {
  const { store } = ground;
  const workspace = store.keys.workspace(options.workspaceId);
  if (workspace === undefined) return noWorkspace();
  const grants = grantRows(ground, workspace, options.grants);
  if (isRefused(grants)) return grants;
  const key = newKeyText(ground);
  const row = {
    id: newId(ground, "key_"),
    workspaceId: workspace.id,
    hash: hashKey(key),
    label: options.label ?? "",
    rateRequests: options.rateLimit?.requests ?? null,
    rateSeconds: options.rateLimit?.seconds ?? null,
    at: ground.now(),
  };
  const seq = store.keys.add(row);
  store.keys.setGrants(seq, grants);
  return { ...keyInfo(ground, { seq, ...row }), key };
}

/** 256 random bits, recognisable in a leak by its prefix. */
function newKeyText(ground: Ground): string {
  return `mdm_${Buffer.from(ground.random(32)).toString("base64url")}`;
}

function workspaceInfo({ id, name, state }: WorkspaceRow): WorkspaceInfo {
  return { id, name, state };
}

function keyInfo({ store }: Ground, row: KeyRow): KeyInfo {
  const grants = store.keys.grants(row.seq).flatMap(({ kind, target, level }): KeyGrant[] => {
    if (kind === "root") return [{ on: null, level }];
    const id = kind === "folder" ? store.folders.idOf(target) : store.files.bySeq(target)?.id;
    return id === undefined ? [] : [{ on: id, level }];
  });
  const limited = row.rateRequests !== null && row.rateSeconds !== null;
  const rateLimit = limited ? { requests: row.rateRequests!, seconds: row.rateSeconds! } : null;
  return { id: row.id, workspaceId: row.workspaceId, label: row.label, grants, rateLimit };
}

function grantRows({ store }: Ground, workspace: WorkspaceRow, grants: readonly KeyGrant[]): GrantRow[] | Refused {
  const rows: GrantRow[] = [];
  for (const { on, level } of grants) {
    const folder = on === null ? undefined : store.folders.byId(workspace.seq, on);
    const file = on === null || folder ? undefined : store.files.byId(workspace.seq, on);
    if (on === null) rows.push({ kind: "root", target: 0, level });
    else if (folder) rows.push({ kind: "folder", target: folder.seq, level });
    else if (file) rows.push({ kind: "file", target: file.seq, level });
    else return refuse("not_found", `There is no file or folder ${on} in the workspace.`);
  }
  const distinct = new Set(rows.map((row) => `${row.kind} ${row.target}`));
  return distinct.size === rows.length ? rows : refuse("invalid_request", "Two grants are on the same resource.");
}

/** An admin operation's end as an answer. */
export function answered(result: object | Refused | null, status: 200 | 201 = 200): Answer {
  if (result === null) return done(204);
  return isRefused(result) ? result : done(status, result);
}
