import { ok, type Result } from "../../common/trouble.ts";
import { unreadable } from "./look.ts";
import type { AdminMethod, AdminSession } from "./session.ts";
import {
  type Read,
  readKey,
  readKeyText,
  readPath,
  readWorkspace,
  type KeyJson,
  type WorkspaceJson,
} from "./shapes.ts";

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

export async function createKey(
  session: AdminSession,
  workspaceId: string,
  { rateLimit, expiresAt, ...wishes }: KeyWishes,
): Promise<Result<MadeKey>> {
  const given = { ...(rateLimit ? { rateLimit } : {}), ...(expiresAt ? { expiresAt } : {}) };
  const answer = await session.ask("POST", "/admin/keys", { workspaceId, ...bodyOf(wishes), ...given });
  return madeKey(session, answer);
}

export function changeKey(session: AdminSession, id: string, wishes: KeyWishes): Promise<Result<KeyJson>> {
  return one(session, "PATCH", `/admin/keys/${encodeURIComponent(id)}`, readKey, bodyOf(wishes));
}

export function revokeKey(session: AdminSession, id: string): Promise<Result<null>> {
  return remove(session, `/admin/keys/${encodeURIComponent(id)}`);
}

/**
 * Creates a workspace.
 * @returns its first key, with Full access to the whole workspace
 */
export async function createWorkspace(session: AdminSession, name: string): Promise<Result<MadeKey>> {
  return madeKey(session, await session.ask("POST", "/admin/workspaces", { name }));
}

export function setState(session: AdminSession, id: string, state: "open" | "closed"): Promise<Result<WorkspaceJson>> {
  return one(session, "PATCH", `/admin/workspaces/${encodeURIComponent(id)}`, readWorkspace, { state });
}

export function removeWorkspace(session: AdminSession, id: string): Promise<Result<null>> {
  return remove(session, `/admin/workspaces/${encodeURIComponent(id)}`);
}

async function remove(session: AdminSession, path: string): Promise<Result<null>> {
  const answer = await session.ask("DELETE", path);
  return answer.kind === "trouble" ? answer : ok(null);
}

/**
 * Accepts or rejects a review.
 * @param content the content to make live; null for the content in review
 * @returns the path of the review's document
 */
export async function settleReview(
  session: AdminSession,
  id: string,
  how: "accept" | "reject",
  content: string | null,
): Promise<Result<string>> {
  const path = `/admin/reviews/${encodeURIComponent(id)}/${how}`;
  return one(session, "POST", path, readPath, content === null ? undefined : { content });
}

function bodyOf({ grants, ...members }: KeyWishes): object {
  if (grants === undefined) return members;
  return { ...members, grants: grants.map(({ path, level }) => ({ on: path === "/" ? null : path, level })) };
}

async function one<T>(
  session: AdminSession,
  method: AdminMethod,
  path: string,
  read: Read<T>,
  body?: object,
): Promise<Result<T>> {
  const answer = await session.ask(method, path, body);
  if (answer.kind === "trouble") return answer;
  const value = read(answer.value);
  return value === null ? unreadable(session) : ok(value);
}

function madeKey(session: AdminSession, answer: Result<unknown>): Result<MadeKey> {
  if (answer.kind === "trouble") return answer;
  const [key, text] = [readKey(answer.value), readKeyText(answer.value)];
  return key === null || text === null ? unreadable(session) : ok({ key, text });
}
