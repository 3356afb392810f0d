/** Creates keys, and returns them in the form for administrators. */

import { isRefused, type Refused, refuse } from "../requests/answer.ts";
import { hashKey } from "../requests/authenticate.ts";
import { newId, type Working } from "../requests/context.ts";
import type { KeyGrant, NewKey } from "../admin/operations.ts";
import { placeAt } from "./kept-grants.ts";
import { shownPath } from "../files/present.ts";
import { limitOf } from "../requests/rate.ts";
import {
  type GrantRow,
  type KeyRow,
  type Level,
  type RateLimit,
  ROOT,
  type ShownGrant,
  type WorkspaceRow,
} from "../store/rows.ts";

export type KeyInfo = {
  readonly id: string;
  readonly workspaceId: string;
  readonly label: string;
  /** Grants, in the form of a request. */
  readonly grants: readonly KeyGrant[];
  /** Current path of each grant, in the same order; the whole workspace is `/`. */
  readonly grantPaths: readonly string[];
  readonly rateLimit: RateLimit | null;
  /** Expiry in milliseconds since the epoch; null if the key does not expire. */
  readonly expiresAt: number | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Last use in milliseconds since the epoch, exact to the minute after a crash; null: never. */
  readonly lastUsedAt: number | null;
};

/** A new key, with its secret, which is shown only once. */
export type NewKeyInfo = KeyInfo & { readonly key: string };

export const noWorkspace = (): Refused => refuse("not_found", "There is no such workspace.");

export async function makeKey(working: Working, options: NewKey): Promise<NewKeyInfo | Refused> {
  const { tables } = working;
  const workspace = await tables.workspaces.byId(options.workspaceId);
  if (workspace === undefined) return noWorkspace();
  const grants = await readGrants(working, workspace, options.grants);
  if (isRefused(grants)) return grants;
  const key = newKeyText(working);
  const row = {
    id: newId(working, "key_"),
    workspaceId: workspace.id,
    hash: hashKey(key),
    label: options.label ?? "",
    rateRequests: options.rateLimit?.requests ?? null,
    rateSeconds: options.rateLimit?.seconds ?? null,
    expiresAt: options.expiresAt ?? null,
    at: working.now(),
  };
  const seq = await tables.keys.insert(row);
  await setGrants(working, seq, workspace, grants);
  const [info] = await keyInfos(working, [{ seq, ...row, lastUsedAt: null }]);
  return { ...info!, key };
}

/** Returns a new key: 256 random bits. The prefix makes a leaked key recognisable. */
function newKeyText({ random }: Working): string {
  return `mdm_${Buffer.from(random(32)).toString("base64url")}`;
}

/** Returns keys in the form that administrators see, in the same order. */
export async function keyInfos({ tables, uses }: Working, rows: readonly KeyRow[]): Promise<KeyInfo[]> {
  if (rows.length === 0) return [];
  const shown = Map.groupBy(await tables.grants.shown(rows.map(({ seq }) => seq)), ({ key }) => key);
  return rows.map((row) => {
    const grants = shown.get(row.seq) ?? [];
    const { id, workspaceId, label, expiresAt, at: createdAt } = row;
    return {
      id,
      workspaceId,
      label,
      grants: grants.map(({ on, level }) => ({ on: shownTarget(on), level })),
      grantPaths: grants.map(({ path }) => shownPath(path)),
      rateLimit: limitOf(row),
      expiresAt,
      createdAt,
      lastUsedAt: uses.lastOf(row),
    };
  });
}

function shownTarget(on: ShownGrant["on"]): string | null {
  if (on === null) return null;
  return "id" in on ? on.id : shownPath(on.keptPath);
}

type WantedGrants = { readonly rows: readonly GrantRow[]; readonly paths: ReadonlyMap<string, Level> };

/**
 * Reads the grants of a request. Locks the structure of the workspace, because grants depend on the
 * places of files and folders.
 */
export async function readGrants(
  working: Working,
  workspace: WorkspaceRow,
  grants: readonly KeyGrant[],
): Promise<WantedGrants | Refused> {
  await working.tables.lockStructure(workspace.seq);
  const rows: GrantRow[] = [];
  const paths = new Map<string, Level>();
  for (const { on, level } of grants) {
    const path = on?.startsWith("/") === true ? on.slice(1) : null;
    const place = await (path === null ? placeOf(working, workspace, on) : placeAt({ ...working, workspace }, path));
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

async function placeOf(
  { tables }: Working,
  workspace: WorkspaceRow,
  id: string | null,
): Promise<{ readonly kind: GrantRow["kind"]; readonly seq: number } | undefined> {
  if (id === null) return { kind: "root", seq: ROOT };
  const folder = await tables.folders.byId(workspace.seq, id);
  if (folder !== undefined) return { kind: "folder", seq: folder.seq };
  const file = await tables.files.byId(workspace.seq, id);
  return file && { kind: "file", seq: file.seq };
}

export async function setGrants(
  { tables }: Working,
  key: number,
  workspace: WorkspaceRow,
  { rows, paths }: WantedGrants,
): Promise<void> {
  await tables.grants.replace(key, rows);
  for (const [path, level] of paths) await tables.grants.keep({ key, workspace: workspace.seq, path, level });
}
