import { hash } from "node:crypto";
import { BoundedMap } from "../../common/bounded-map.ts";
import type { WireHeaders } from "../../contract/wire.ts";
import { Access } from "../files/access.ts";
import { isRefused, type Refused, refuse } from "./answer.ts";
import type { RequestContext, TransactionContext } from "./context.ts";
import type { KeyHolder, WorkspaceRow } from "../store/rows.ts";
import type { Tables } from "../store/tables.ts";

/**
 * LIMIT: number of keys whose hashes are cached, so that the cache takes little memory. Hashing a
 * key takes a tenth of the time of a GET.
 */
const MAX_HASHES = 256;
const cachedHashes = new BoundedMap<string, Buffer>(MAX_HASHES);

/** Hashes a key. One round of SHA-256 is enough, because keys are long random strings. */
export function hashKey(key: string): Buffer {
  const cachedHash = cachedHashes.get(key);
  if (cachedHash !== undefined) return cachedHash;
  const digest = hash("sha256", key, "buffer");
  cachedHashes.set(key, digest);
  return digest;
}

/**
 * Returns the key of a request, from either of the two headers for keys. Returns null if the
 * request has no key, or two different keys.
 * ASSUMES: two different keys in one request are not a valid key (contract test "takes the key from
 * either header").
 */
export function readSentKey(headers: WireHeaders): string | null {
  const bearerKey = /^Bearer +(\S+) *$/i.exec(headers["authorization"] ?? "")?.[1];
  const apiKey = headers["x-api-key"]?.trim();
  if (bearerKey !== undefined && apiKey !== undefined && bearerKey !== apiKey) return null;
  return bearerKey ?? (apiKey === "" ? undefined : apiKey) ?? null;
}

export function refuseUnauthenticated(): Refused {
  return refuse("unauthenticated", "The API key is missing or not valid.", [], { "www-authenticate": "Bearer" });
}

type KeySource = Pick<Tables, "holder">;

export function readSentHash(headers: WireHeaders): Buffer | null {
  const keyText = readSentKey(headers);
  return keyText === null ? null : hashKey(keyText);
}

/**
 * Returns the holder of a key. An expired key is treated like an unknown key, so that the answer
 * does not reveal that the key existed.
 * @param hash SHA-256 of the key that was sent; null if the request has no key
 * @param now milliseconds since the epoch; a shared database uses its own clock
 * @param file id of the file that the request reads next. A store may read this file in the same
 * round trip to the database
 */
export async function findHolder(
  known: KeySource,
  hash: Buffer | null,
  now: number,
  file?: string,
): Promise<KeyHolder | undefined> {
  const holder = hash === null ? undefined : await known.holder(hash, file);
  const expiresAt = holder?.key.expiresAt ?? null;
  return expiresAt !== null && expiresAt <= (holder?.at ?? now) ? undefined : holder;
}

/**
 * Returns the refusal if a key is not valid (401) or exceeds its rate limit (429); otherwise null.
 * Accepts a valid key even if its workspace is closed or removed.
 * @param holder undefined if the key is not valid
 */
export function refuseKey(holder: KeyHolder | undefined, admit: RateCheck): Refused | null {
  return holder === undefined ? refuseUnauthenticated() : admit(holder);
}

/** Counts a request of a key. Returns a refusal if the key exceeds its rate limit. */
export type RateCheck = (holder: KeyHolder) => Refused | null;

export const ADMIT_ALL: RateCheck = () => null;

/**
 * Returns a rate check that counts a request only once, even if the request runs several times. A
 * store may repeat a transaction, and a deletion is tried again if the disk is full.
 */
export function admitOnce(admit: RateCheck): RateCheck {
  let decision: { readonly refused: Refused | null } | null = null;
  return (holder) => {
    decision ??= { refused: admit(holder) };
    return decision.refused;
  };
}

/**
 * Returns a context with the access of a key. Refuses the request if the key is not valid or
 * exceeds its rate limit, or if its workspace is not open.
 */
export function authenticate(
  transaction: TransactionContext,
  holder: KeyHolder | undefined,
  admit: RateCheck,
): RequestContext | Refused {
  const reader = findReader(holder, admit);
  if (isRefused(reader)) return reader;
  const { workspace, grants, key } = reader;
  return { ...transaction, workspace, access: new Access(grants, transaction.tables.folders), key: key.seq };
}

export type KeyReader = KeyHolder & { readonly workspace: WorkspaceRow };

/**
 * Returns the holder of a key, or a refusal. The refusal is 401 if the key is not valid, 429 over
 * the rate limit, and 503 if the workspace is not open. If the workspace was removed, the refusal
 * is `workspace_not_found`.
 * @param holder undefined if the key is not valid
 * @param admit applies the rate limit, which counts only requests with a valid key
 */
export function findReader(holder: KeyHolder | undefined, admit: RateCheck): KeyReader | Refused {
  if (holder === undefined) return refuseUnauthenticated();
  const { workspace } = holder;
  if (workspace === undefined) return refuse("workspace_not_found", "The API key gives access to no workspace.");
  const refusal = admit(holder);
  if (refusal !== null) return refusal;
  if (workspace.state === "open") return { ...holder, workspace };
  const detail = workspace.state === "closed" ? "The workspace is closed for now." : "The workspace is being restored.";
  return refuse("service_unavailable", detail, [], { "retry-after": String(workspace.retryAfter) });
}
