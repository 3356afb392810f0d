import { isRefused, type Refused, refuse } from "./answer.ts";
import { hashKey } from "./authenticate.ts";
import { type ServerContext, newId } from "./context.ts";
import { placeAt } from "./kept-grants.ts";
import type { GrantRow, KeyRow, Level } from "./keys-table.ts";
import { shownPath } from "./present.ts";
import { limitOf, type RateLimit } from "./rate.ts";
import type { WorkspaceRow } from "./workspaces-table.ts";

/** Keys as the administration shows and makes them. */

/**
 * `on` is a folder or file id, or a path that begins with a slash; null is the whole workspace. A
 * grant on a path where nothing exists waits: what is created there gets it, if it gives less than
 * the place above.
 */
export type KeyGrant = { readonly on: string | null; readonly level: Level };

export type KeyInfo = {
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  /** In the form in which they can be sent again. */
  readonly grants: readonly KeyGrant[];
  /** Where each of them is now, in the same order; the whole workspace is `/`. */
  readonly grantPaths: readonly string[];
  readonly rateLimit: RateLimit | null;
  /** Milliseconds since the epoch; null: it does not expire. */
  readonly expiresAt: number | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Milliseconds since the epoch, to the minute after a crash; null: never. */
  readonly lastUsedAt: number | null;
};

/** A key that was just made: only now its text is shown. */
export type NewKeyInfo = KeyInfo & { readonly key: string };

export type KeyOptions = {
  readonly workspaceId: string;
  readonly grants: readonly KeyGrant[];
  readonly label?: string;
  readonly rateLimit?: RateLimit | null;
  readonly expiresAt?: number | null;
};

export const noWorkspace = (): Refused => refuse("not_found", "There is no such workspace.");

export function makeKey(server: ServerContext, options: KeyOptions): NewKeyInfo | Refused {
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
  return { ...keyInfo(server, { seq, ...row, lastUsedAt: null }), key };
}

/** 256 random bits; the prefix makes a leaked key recognisable. */
function newKeyText(server: ServerContext): string {
  return `mdm_${Buffer.from(server.random(32)).toString("base64url")}`;
}

type PlacedGrant = KeyGrant & { readonly path: string };

export function keyInfo({ store }: ServerContext, row: KeyRow): KeyInfo {
  const placed = store.keys.grants(row.seq).flatMap(({ kind, target, level }): PlacedGrant[] => {
    if (kind === "root") return [{ on: null, path: "/", level }];
    const place = kind === "folder" ? store.folders.bySeq(target) : store.files.bySeq(target);
    return place === undefined ? [] : [{ on: place.id, path: shownPath(place.path), level }];
  });
  for (const { path, level } of store.grants.keptOf(row.seq)) {
    placed.push({ on: shownPath(path), path: shownPath(path), level });
  }
  const { id, workspaceId, label, expiresAt, at: createdAt } = row;
  return {
    id,
    workspaceId,
    label,
    grants: placed.map(({ on, level }) => ({ on, level })),
    grantPaths: placed.map(({ path }) => path),
    rateLimit: limitOf(row),
    expiresAt,
    createdAt,
    lastUsedAt: store.keys.lastUsed(row),
  };
}

type WantedGrants = { readonly rows: readonly GrantRow[]; readonly paths: ReadonlyMap<string, Level> };

export function readGrants(
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

export function setGrants(
  { store }: ServerContext,
  key: number,
  workspace: WorkspaceRow,
  { rows, paths }: WantedGrants,
): void {
  store.keys.setGrants(key, rows);
  for (const [path, level] of paths) store.grants.keep({ key, workspace: workspace.seq, path, level });
}
