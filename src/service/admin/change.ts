import type { Result } from "../../common/trouble.ts";
import type { AdminSession } from "./session.ts";
import { type KeyJson, readDone, readKey, readMadeKey, readPath, readWorkspace, type WorkspaceJson } from "./shapes.ts";

/** Changes by an administrator. Each is one request, which is done completely or not at all. */

/** A wanted grant. `path` has no trailing slash; `/` is the whole workspace. */
export type WantedGrant = { readonly path: string; readonly level: string };

export type KeyWishes = {
  readonly grants?: readonly WantedGrant[];
  readonly label?: string;
  /** Null if the key does not expire. */
  readonly expiresAt?: number | null;
  /** Null if the key has no limit of its own. */
  readonly rateLimit?: { readonly requests: number; readonly seconds: number } | null;
};

export type MadeKey = { readonly key: KeyJson; readonly text: string };

export function createKey(
  session: AdminSession,
  workspaceId: string,
  { rateLimit, expiresAt, ...wishes }: KeyWishes,
): Promise<Result<MadeKey>> {
  const given = { ...(rateLimit ? { rateLimit } : {}), ...(expiresAt ? { expiresAt } : {}) };
  return session.ask("POST", "/admin/keys", readMadeKey, { workspaceId, ...bodyOf(wishes), ...given });
}

export function changeKey(session: AdminSession, id: string, wishes: KeyWishes): Promise<Result<KeyJson>> {
  return session.ask("PATCH", `/admin/keys/${encodeURIComponent(id)}`, readKey, bodyOf(wishes));
}

export function revokeKey(session: AdminSession, id: string): Promise<Result<true>> {
  return session.ask("DELETE", `/admin/keys/${encodeURIComponent(id)}`, readDone);
}

/**
 * Creates a workspace.
 * @returns its first key, with Full access to the whole workspace
 */
export function createWorkspace(session: AdminSession, name: string): Promise<Result<MadeKey>> {
  return session.ask("POST", "/admin/workspaces", readMadeKey, { name });
}

export function setState(session: AdminSession, id: string, state: "open" | "closed"): Promise<Result<WorkspaceJson>> {
  return session.ask("PATCH", `/admin/workspaces/${encodeURIComponent(id)}`, readWorkspace, { state });
}

export function removeWorkspace(session: AdminSession, id: string): Promise<Result<true>> {
  return session.ask("DELETE", `/admin/workspaces/${encodeURIComponent(id)}`, readDone);
}

/**
 * Accepts or rejects a review.
 * @param content the content to make live; null for the content in review
 * @returns the path of the review's document
 */
export function settleReview(
  session: AdminSession,
  id: string,
  how: "accept" | "reject",
  content: string | null,
): Promise<Result<string>> {
  const path = `/admin/reviews/${encodeURIComponent(id)}/${how}`;
  return session.ask("POST", path, readPath, content === null ? undefined : { content });
}

function bodyOf({ grants, ...members }: KeyWishes): object {
  if (grants === undefined) return members;
  return { ...members, grants: grants.map(({ path, level }) => ({ on: path === "/" ? null : path, level })) };
}
