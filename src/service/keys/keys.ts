import { type Refused, refuse } from "../requests/answer.ts";
import { hashKey } from "../requests/authenticate.ts";
import { newId, type TransactionContext } from "../requests/context.ts";
import type { KeyGrant, NewKey, SentKey } from "../admin/operations.ts";
import { findItemAt } from "../files/access.ts";
import { isDirId } from "../../contract/ids.ts";
import { readRateLimit } from "../requests/rate.ts";
import { type GrantRow, type KeyRow, type Level, ROOT, type WorkspaceRow } from "../store/rows.ts";

export type KeyInfo = Readonly<Omit<SentKey, "grants">> & { readonly grants: readonly KeyGrant[] };

/** A new key with its secret. The secret is shown only once. */
export type NewKeyInfo = KeyInfo & { readonly key: string };

export const refuseUnknownWorkspace = (): Refused => refuse("not_found", "There is no such workspace.");

export async function makeKey(transaction: TransactionContext, options: NewKey): Promise<NewKeyInfo | Refused> {
  const { tables } = transaction;
  const workspace = await tables.workspaces.byId(options.workspaceId);
  if (workspace === undefined) return refuseUnknownWorkspace();
  const key = makeSecret(transaction);
  const { label = "", rateLimit = null, expiresAt = null } = options;
  const [id, workspaceId, at] = [newId(transaction, "key_"), workspace.id, transaction.now()];
  const seq = await tables.keys.insert({ id, workspaceId, hash: hashKey(key), label, rateLimit, expiresAt, at });
  const refusal = await setGrants(transaction, seq, workspace, options.grants);
  if (refusal !== null) return refusal;
  return { ...(await readKeyInfo(transaction, id))!, key };
}

/**
 * Returns a secret of 256 random bits. The secret begins with a prefix, so that people recognise a
 * leaked key.
 */
function makeSecret({ random }: TransactionContext): string {
  return `mdm_${Buffer.from(random(32)).toString("base64url")}`;
}

export async function readKeyInfo(transaction: TransactionContext, id: string): Promise<KeyInfo | null> {
  const row = await transaction.tables.keys.byId(id);
  return row === undefined ? null : (await readKeyInfos(transaction, [row]))[0]!;
}

export async function readKeyInfos({ tables, uses }: TransactionContext, rows: readonly KeyRow[]): Promise<KeyInfo[]> {
  if (rows.length === 0) return [];
  const shownGrants = Map.groupBy(await tables.grants.shown(rows.map(({ seq }) => seq)), ({ key }) => key);
  return rows.map((row) => {
    const grants = shownGrants.get(row.seq) ?? [];
    const { id, workspaceId, label, expiresAt, at: createdAt } = row;
    return {
      id,
      workspaceId,
      label,
      grants: grants.map(({ on, level }) => ({ on, level })),
      grantPaths: grants.map(({ path }) => path),
      rateLimit: readRateLimit(row),
      expiresAt,
      createdAt,
      lastUsedAt: uses.lastOf(row),
    };
  });
}

const refuseSameTarget = (): Refused => refuse("invalid_request", "Two grants are on the same resource.");

/**
 * Replaces the grants of a key. First locks the folder tree of the workspace, so that no file or
 * folder of a grant is moved or removed meanwhile.
 * @returns a refusal if a grant is on no file or folder, or if two grants are on the same one
 */
export async function setGrants(
  transaction: TransactionContext,
  key: number,
  workspace: WorkspaceRow,
  grants: readonly KeyGrant[],
): Promise<Refused | null> {
  const { tables } = transaction;
  await tables.lockStructure(workspace.seq);
  const rows: GrantRow[] = [];
  const paths = new Map<string, Level>();
  for (const { on, level } of grants) {
    const path = on?.startsWith("/") === true ? on.slice(1) : null;
    const foundItem = await (path === null
      ? findTarget(transaction, workspace, on)
      : findItemAt({ ...transaction, workspace }, path));
    if (foundItem !== undefined) rows.push({ kind: foundItem.kind, target: foundItem.seq, level });
    else if (path !== null && !paths.has(path)) paths.set(path, level);
    else if (path === null) return refuse("not_found", `There is no file or folder ${on} in the workspace.`);
    else return refuseSameTarget();
  }
  const distinctTargets = new Set(rows.map((row) => `${row.kind} ${row.target}`));
  if (distinctTargets.size !== rows.length) return refuseSameTarget();
  await tables.grants.replace(key, rows);
  tables.outbox.noteAccess(key);
  for (const [path, level] of paths) await tables.grants.keep({ key, workspace: workspace.seq, path, level });
  return null;
}

async function findTarget(
  { tables }: TransactionContext,
  workspace: WorkspaceRow,
  id: string | null,
): Promise<{ readonly kind: GrantRow["kind"]; readonly seq: number } | undefined> {
  if (id === null) return { kind: "root", seq: ROOT };
  const kind = isDirId(id) ? "folder" : "file";
  const item = await (kind === "folder" ? tables.folders : tables.files).byId(workspace.seq, id);
  return item && { kind, seq: item.seq };
}
