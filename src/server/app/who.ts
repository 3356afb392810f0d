import { timingSafeEqual } from "node:crypto";
import { Access } from "../access.ts";
import { isRefused, type Refused, refuse } from "../answer.ts";
import { type Admit, contextOf, hashKey, holderOf } from "../authenticate.ts";
import type { RequestContext } from "../context.ts";
import type { Core } from "../dispatch.ts";

/**
 * Who is signed in. Of a key only the hash is kept, and each request looks the key up by it: so
 * revoking, expiry and changed grants count at once.
 */
export type Who = { readonly kind: "admin" } | { readonly kind: "key"; readonly hash: Buffer };

/** @returns null: this service knows no such key */
export function identify({ adminKey, server }: Core, key: string): Who | null {
  const hash = hashKey(key);
  if (adminKey !== null && timingSafeEqual(hash, hashKey(adminKey))) return { kind: "admin" };
  return holderOf(server, hash) === undefined ? null : { kind: "key", hash };
}

/** Whether the key that signed in is still valid. */
export function isKnown({ server }: Core, who: Who): boolean {
  return who.kind === "admin" || holderOf(server, who.hash) !== undefined;
}

/**
 * What `who` may see of a workspace, by the same grants as in the API.
 * @param admit applies a key's rate limit; an administrator has none
 */
export function contextFor(core: Core, who: Who, workspaceId: string, admit: Admit): RequestContext | Refused {
  if (who.kind === "admin") return contextOfAdmin(core, workspaceId);
  const context = contextOf(core.server, holderOf(core.server, who.hash), admit);
  if (isRefused(context) || context.workspace.id === workspaceId) return context;
  return noWorkspace();
}

/** An administrator sees everything, since they could make a key with full access anyway. */
function contextOfAdmin({ server }: Core, workspaceId: string): RequestContext | Refused {
  const workspace = server.store.workspaces.byId(workspaceId);
  if (workspace === undefined) return noWorkspace();
  const access = new Access([{ kind: "root", target: 0, level: "full" }], server.store.folders);
  return { ...server, workspace, access };
}

function noWorkspace(): Refused {
  return refuse("not_found", "There is no such workspace.");
}
