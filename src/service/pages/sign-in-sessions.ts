/** Signs users in with a key. Accepts the sign-in form only from a page of this service. */

import { timingSafeEqual } from "node:crypto";
import { isLoopbackHost } from "../../common/loopback.ts";
import type { WireHeaders } from "../../contract/wire.ts";
import { Origins, type RequestRefusal, type ServedAddress } from "../../page/same-site.ts";
import { Browsers, type Session } from "../../page/sessions.ts";
import { Access } from "../files/access.ts";
import { refuseUnknownWorkspace } from "../keys/keys.ts";
import { isRefused, type Refused } from "../requests/answer.ts";
import { authenticate, hashKey, findHolder, type RateCheck } from "../requests/authenticate.ts";
import { TokenBuckets } from "../requests/rate.ts";
import type { RequestContext, TransactionContext } from "../requests/context.ts";
import type { ServiceCore, RequestHead } from "../requests/dispatch.ts";
import { ROOT } from "../store/rows.ts";
import { APP_ADDRESS } from "./addresses.ts";
import { makeErrorPage, type ShownPage } from "./answer.ts";

/** A signed-in user. `since`: time when the user signed in, in milliseconds since the epoch. */
export type SignedInUser = UserIdentity & { readonly since: number };

/**
 * LIMIT: number of browsers that are signed in, so that memory stays bounded. If another browser
 * signs in, the browser that was unused for longest is signed out.
 */
const MAX_SESSIONS = 256;
const MAX_IDLE_MS = 2 * 3_600_000;
const MAX_SESSION_MS = 24 * 3_600_000;

/**
 * LIMIT: number of wrong keys that one address may try without a wait, and number of further tries
 * per millisecond. The right key is always accepted, so that wrong keys from an address cannot lock
 * out other users of that address. Accepting the right key helps no attacker, because nobody can
 * guess a long random key.
 */
const WRONG_KEY_LIMIT = { most: 10, perMs: 1 / 6_000 } as const;
/** LIMIT: number of client addresses that are remembered, so that they do not fill the memory. */
const MAX_ADDRESSES = 1_000;

type SignInResult =
  | { readonly kind: "in"; readonly cookie: string }
  | { readonly kind: "wrong" }
  | { readonly kind: "wait"; readonly seconds: number };

export class SignInSessions {
  readonly #core: ServiceCore;
  readonly #origins: Origins;
  readonly #browsers: Browsers<SignedInUser>;
  readonly #wrong: TokenBuckets<string>;

  constructor(
    core: ServiceCore,
    { served, secret }: { readonly served: ServedAddress; readonly secret: () => string },
  ) {
    const { now } = core.server;
    this.#core = core;
    this.#origins = new Origins(served, { name: "mdmirror-service", path: APP_ADDRESS });
    this.#browsers = new Browsers({ now, secret }, this.#origins, { most: MAX_SESSIONS, idleMs: MAX_IDLE_MS });
    this.#wrong = new TokenBuckets(now, MAX_ADDRESSES);
  }

  /** Returns a refusal if a request may come from a page of another website; otherwise null. */
  refusal({ method, headers }: RequestHead): RequestRefusal | null {
    return this.#origins.refusal(method, headers);
  }

  async signIn(
    key: string,
    { headers, from }: { readonly headers: WireHeaders; readonly from: string },
  ): Promise<SignInResult> {
    const user = await identifyUser(this.#core, hashKey(key.trim()));
    if (user === null) {
      const waitMs = this.#wrong.take(this.#addressOf(headers, from), WRONG_KEY_LIMIT);
      return waitMs === null ? { kind: "wrong" } : { kind: "wait", seconds: Math.ceil(waitMs / 1_000) };
    }
    const signedInUser = { ...user, since: this.#core.server.now() };
    return { kind: "in", cookie: this.#browsers.signIn(signedInUser, headers["host"]) };
  }

  /**
   * Returns the session of a request. Returns null if the request has no session cookie, or if the
   * session has ended.
   */
  async sessionOf(headers: WireHeaders): Promise<Session<SignedInUser> | null> {
    const session = this.#browsers.sessionOf(headers, headers["x-refresh"] === undefined);
    if (session === null) return null;
    const { who } = session;
    if (this.#core.server.now() - who.since <= MAX_SESSION_MS && (await identifyUser(this.#core, who.hash)) !== null)
      return session;
    this.signOut(headers);
    return null;
  }

  /** Returns the value of the `Set-Cookie` header that removes the cookie. */
  signOut(headers: WireHeaders): string {
    return this.#browsers.signOut(headers);
  }

  /** Returns the client's address: behind a local proxy, the last one in `X-Forwarded-For`. */
  #addressOf({ host, ...headers }: WireHeaders, from: string): string {
    const forwardedAddresses =
      this.#origins.isProxied(host) && isLoopbackHost(from) ? headers["x-forwarded-for"] : undefined;
    return forwardedAddresses === undefined
      ? from
      : forwardedAddresses.slice(forwardedAddresses.lastIndexOf(",") + 1).trim();
  }
}

export function explainWait(seconds: number): ShownPage {
  const nextStep = `wait ${seconds} s; the key is in the file that mdmirror serve named, or that you were given`;
  return makeErrorPage(429, "too many wrong keys came from this address", nextStep, String(seconds));
}

/**
 * Identity of a signed-in user. Of a key, only the hash is kept. Each request looks up the key by
 * this hash, so an expired or revoked key is refused immediately. Changed grants also apply
 * immediately.
 */
export type UserIdentity = { readonly kind: "admin" | "key"; readonly hash: Buffer };

/** Returns the identity of the user who has the key with this hash; null for an unknown key. */
async function identifyUser({ adminKeyHash, server }: ServiceCore, hash: Buffer): Promise<UserIdentity | null> {
  if (adminKeyHash !== null && timingSafeEqual(hash, adminKeyHash)) return { kind: "admin", hash };
  const holder = await findHolder(server.store, hash, server.now());
  return holder === undefined ? null : { kind: "key", hash };
}

/**
 * Returns a context with the access of a user to a workspace. A key has the same access as through
 * the API.
 * @param admit applies the rate limit of the key; an administrator has no limit
 */
export async function makeUserContext(
  transaction: TransactionContext,
  who: UserIdentity,
  workspaceId: string,
  admit: RateCheck,
): Promise<RequestContext | Refused> {
  if (who.kind === "admin") return makeAdminContext(transaction, workspaceId);
  const context = authenticate(transaction, await findHolder(transaction.tables, who.hash, transaction.now()), admit);
  if (isRefused(context) || context.workspace.id === workspaceId) return context;
  return refuseUnknownWorkspace();
}

/** Returns a context with Full access for an administrator, who could make such a key anyway. */
async function makeAdminContext(
  transaction: TransactionContext,
  workspaceId: string,
): Promise<RequestContext | Refused> {
  const workspace = await transaction.tables.workspaces.byId(workspaceId);
  if (workspace === undefined) return refuseUnknownWorkspace();
  const access = new Access([{ kind: "root", target: ROOT, level: "full" }], transaction.tables.folders);
  return { ...transaction, workspace, access, key: null };
}
