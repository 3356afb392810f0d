import { timingSafeEqual } from "node:crypto";
import { Access } from "../access.ts";
import { isRefused, type Refused, refuse } from "../answer.ts";
import { type Admit, contextOf, hashKey, holderOf } from "../authenticate.ts";
import type { RequestContext } from "../context.ts";
import type { Core } from "../dispatch.ts";

/**
 * Who is signed in to the pages. A key's text is not kept: its hash finds it at each request, so
 * that a key that was revoked, has expired, or has other grants, is that at once.
 */
export type Who = { readonly kind: "admin" } | { readonly kind: "key"; readonly hash: Buffer };

/** @returns null: it is no key of this service */
export function identify({ adminKey, server }: Core, key: string): Who | null {
  const hash = hashKey(key);
  if (adminKey !== null && timingSafeEqual(hash, hashKey(adminKey))) return { kind: "admin" };
  return holderOf(server, hash) === undefined ? null : { kind: "key", hash };
}

/** Whether who signed in may still be. */
export function isKnown({ server }: Core, who: Who): boolean {
  return who.kind === "admin" || holderOf(server, who.hash) !== undefined;
}

/**
 * What they may see of a workspace, by the same grants as the API has them.
 * @param admit the rate limit of a key; an administrator has none
 */
export function contextFor(core: Core, who: Who, workspaceId: string, admit: Admit): RequestContext | Refused {
  if (who.kind === "admin") return contextOfAdmin(core, workspaceId);
  const context = contextOf(core.server, holderOf(core.server, who.hash), admit);
  if (isRefused(context) || context.workspace.id === workspaceId) return context;
  return noWorkspace();
}

/** An administrator could make a key of Full access at any time. */
function contextOfAdmin({ server }: Core, workspaceId: string): RequestContext | Refused {
  const workspace = server.store.workspaces.byId(workspaceId);
  if (workspace === undefined) return noWorkspace();
  const access = new Access([{ kind: "root", target: 0, level: "full" }], server.store.folders);
  return { ...server, workspace, access };
}

function noWorkspace(): Refused {
  return refuse("not_found", "There is no such workspace.");
}
