import { timingSafeEqual } from "node:crypto";
import { Access } from "../files/access.ts";
import { noWorkspace } from "../keys/keys.ts";
import { isRefused, type Refused } from "../requests/answer.ts";
import { type RateCheck, authenticate, hashKey, holderOf } from "../requests/authenticate.ts";
import type { RequestContext, Working } from "../requests/context.ts";
import type { Core } from "../requests/dispatch.ts";
import { ROOT } from "../store/rows.ts";

/**
 * Identity of a signed-in user. Only the hash of a key is kept, and each request looks the key up
 * by its hash. So revoking, expiry and changed grants take effect immediately.
 */
export type Who = { readonly kind: "admin" } | { readonly kind: "key"; readonly hash: Buffer };

/**
 * Returns the user to whom a key belongs.
 * @returns null if this service has no such key
 */
export async function identify({ adminKeyHash, server }: Core, key: string): Promise<Who | null> {
  const hash = hashKey(key);
  if (adminKeyHash !== null && timingSafeEqual(hash, adminKeyHash)) return { kind: "admin" };
  const holder = await holderOf(server.store, hash, server.now());
  return holder === undefined ? null : { kind: "key", hash };
}

/** Returns true if the key that signed in is still valid. */
export async function isKnown({ server }: Core, who: Who): Promise<boolean> {
  return who.kind === "admin" || (await holderOf(server.store, who.hash, server.now())) !== undefined;
}

/**
 * Returns a context with the access of `who` to a workspace, by the same grants as in the API.
 * @param admit applies a key's rate limit; an administrator has none
 */
export async function contextFor(
  working: Working,
  who: Who,
  workspaceId: string,
  admit: RateCheck,
): Promise<RequestContext | Refused> {
  if (who.kind === "admin") return contextOfAdmin(working, workspaceId);
  const context = authenticate(working, await holderOf(working.tables, who.hash, working.now()), admit);
  if (isRefused(context) || context.workspace.id === workspaceId) return context;
  return noWorkspace();
}

/** Returns a context with full access for an administrator, who could also create such a key. */
async function contextOfAdmin(working: Working, workspaceId: string): Promise<RequestContext | Refused> {
  const workspace = await working.tables.workspaces.byId(workspaceId);
  if (workspace === undefined) return noWorkspace();
  const access = new Access([{ kind: "root", target: ROOT, level: "full" }], working.tables.folders);
  return { ...working, workspace, access, key: null };
}
