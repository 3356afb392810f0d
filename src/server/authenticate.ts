import { hash } from "node:crypto";
import type { WireHeaders } from "../contract/wire.ts";
import { Access } from "./access.ts";
import { type Refused, refuse } from "./answer.ts";
import type { RequestContext, ServerContext } from "./context.ts";
import type { Holders } from "./holders.ts";
import type { KeyRow } from "./keys-table.ts";

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

type Holder = ReturnType<Holders["byHash"]>;

function findHolder(server: ServerContext, headers: WireHeaders): Holder {
  const sent = sentKey(headers);
  return sent === null ? undefined : holderOf(server, hashKey(sent));
}

/** A key that has expired is none: what says so would say that it was one. */
export function holderOf(server: ServerContext, hash: Buffer): Holder {
  const holder = server.store.holders.byHash(hash);
  const expiresAt = holder?.key.expiresAt ?? null;
  return expiresAt !== null && expiresAt <= server.now() ? undefined : holder;
}

/** Why a key is not valid now, whatever its workspace: 401 or 429; null: it is. */
export function refusalOfKey(server: ServerContext, headers: WireHeaders, admit: Admit): Refused | null {
  const holder = findHolder(server, headers);
  return holder === undefined ? unauthenticated() : admit(holder.key);
}

export type Admit = (key: KeyRow) => Refused | null;

/**
 * @param admit the rate limit, which counts valid keys only, before anything else is read
 * @returns what the key may see, or why it may not now: 401, `workspace_not_found`, 429, 503
 */
export function authenticate(server: ServerContext, headers: WireHeaders, admit: Admit): RequestContext | Refused {
  return contextOf(server, findHolder(server, headers), admit);
}

/** @param holder undefined: no valid key was sent */
export function contextOf(server: ServerContext, holder: Holder, admit: Admit): RequestContext | Refused {
  if (holder === undefined) return unauthenticated();
  const { key, workspace, grants } = holder;
  if (workspace === undefined) return refuse("workspace_not_found", "No workspace matches the key.");
  const refused = admit(key);
  if (refused !== null) return refused;
  if (workspace.state !== "open") {
    const detail =
      workspace.state === "closed" ? "The workspace is closed for now." : "The workspace is being restored.";
    return refuse("service_unavailable", detail, [], { "retry-after": String(workspace.retryAfter) });
  }
  return { ...server, workspace, access: new Access(grants, server.store.folders) };
}
