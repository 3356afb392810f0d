import { hash } from "node:crypto";
import type { WireHeaders } from "../../contract/wire.ts";
import { Access } from "../files/access.ts";
import { isRefused, type Refused, refuse } from "./answer.ts";
import type { RequestContext, ServerContext, Working } from "./context.ts";
import { KeyHashes } from "../keys/key-hashes.ts";
import type { Holder, WorkspaceRow } from "../store/rows.ts";
import type { Tables } from "../store/tables.ts";

/** Keys are long random strings, so one round of SHA-256 is enough to store them safely. */
export function hashKey(key: string): Buffer {
  return hash("sha256", key, "buffer");
}

/**
 * The key of a request, from either header.
 * ASSUMES: two keys that differ are no valid key (contract test "takes the key from either
 * header").
 * @returns null without exactly one key
 */
export function sentKey(headers: WireHeaders): string | null {
  const bearer = /^Bearer +(\S+) *$/i.exec(headers["authorization"] ?? "")?.[1];
  const plain = headers["x-api-key"]?.trim();
  if (bearer !== undefined && plain !== undefined && bearer !== plain) return null;
  return bearer ?? (plain === "" ? undefined : plain) ?? null;
}

export function unauthenticated(): Refused {
  return refuse("unauthenticated", "The API key is missing or not valid.", [], { "www-authenticate": "Bearer" });
}

/** Where keys are looked up: a store, or the tables of a transaction. */
type Known = Pick<Tables, "holder">;

const KEY_HASHES = new KeyHashes(hashKey);

/** @returns SHA-256 of the key of a request; null without exactly one */
export function sentHash(headers: WireHeaders): Buffer | null {
  const sent = sentKey(headers);
  return sent === null ? null : KEY_HASHES.hashOf(sent);
}

async function findHolder(known: Known, hash: Buffer | null, now: number): Promise<Holder | undefined> {
  return hash === null ? undefined : await holderOf(known, hash, now);
}

/**
 * A key that has expired is none: what says so would say that it was one.
 * @param now milliseconds since the epoch; a database that many share has its own
 */
export async function holderOf(known: Known, hash: Buffer, now: number): Promise<Holder | undefined> {
  const holder = await known.holder(hash);
  const expiresAt = holder?.key.expiresAt ?? null;
  return expiresAt !== null && expiresAt <= (holder?.at ?? now) ? undefined : holder;
}

/**
 * Why a key is not valid now, whatever its workspace: 401 or 429; null: it is.
 * @param hash SHA-256 of the key that was sent, or null
 */
export async function refusalOfKey(
  { store, now }: Pick<ServerContext, "store" | "now">,
  hash: Buffer | null,
  admit: Admit,
): Promise<Refused | null> {
  const holder = await findHolder(store, hash, now());
  return holder === undefined ? unauthenticated() : admit(holder);
}

export type Admit = (holder: Holder) => Refused | null;

/** A store may run its work again, and a deletion is tried again: a request counts once. */
export function admitOnce(admit: Admit): Admit {
  let judged: { readonly refused: Refused | null } | null = null;
  return (holder) => {
    judged ??= { refused: admit(holder) };
    return judged.refused;
  };
}

/**
 * @param hash SHA-256 of the key that was sent, or null
 * @param admit the rate limit, which counts valid keys only, before anything else is read
 * @returns what the key may see, or why it may not now: 401, `workspace_not_found`, 429, 503
 */
export async function authenticate(
  working: Working,
  hash: Buffer | null,
  admit: Admit,
): Promise<RequestContext | Refused> {
  return contextOf(working, await findHolder(working.tables, hash, working.now()), admit);
}

/** @param holder undefined: no valid key was sent */
export function contextOf(working: Working, holder: Holder | undefined, admit: Admit): RequestContext | Refused {
  if (holder === undefined) return unauthenticated();
  const workspace = workspaceOf(holder, admit);
  if (isRefused(workspace)) return workspace;
  return { ...working, workspace, access: new Access(holder.grants, working.tables.folders), key: holder.key.seq };
}

/** As `authenticate`, of a request whose body is not read yet. */
export async function refusalOfRequest(
  { store, now }: Pick<ServerContext, "store" | "now">,
  hash: Buffer | null,
  admit: Admit,
): Promise<Refused | null> {
  const holder = await findHolder(store, hash, now());
  if (holder === undefined) return unauthenticated();
  const workspace = workspaceOf(holder, admit);
  return isRefused(workspace) ? workspace : null;
}

/**
 * Whose key it is, or why it may not be used now.
 * @param hash SHA-256 of the key; null: none was sent
 */
export async function readerOf(
  known: Known,
  hash: Buffer | null,
  now: number,
  admit: Admit,
): Promise<(Holder & { readonly workspace: WorkspaceRow }) | Refused> {
  const holder = await findHolder(known, hash, now);
  if (holder === undefined) return unauthenticated();
  const workspace = workspaceOf(holder, admit);
  return isRefused(workspace) ? workspace : { ...holder, workspace };
}

/** Counts a request of the key, if that has a workspace. */
function workspaceOf(holder: Holder, admit: Admit): WorkspaceRow | Refused {
  const { workspace } = holder;
  if (workspace === undefined) return refuse("workspace_not_found", "No workspace matches the key.");
  const refused = admit(holder);
  if (refused !== null) return refused;
  if (workspace.state === "open") return workspace;
  const detail = workspace.state === "closed" ? "The workspace is closed for now." : "The workspace is being restored.";
  return refuse("service_unavailable", detail, [], { "retry-after": String(workspace.retryAfter) });
}
