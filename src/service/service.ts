import { SEARCH_REGEX_PATH } from "../contract/routes.ts";
import type { WireRequest, WireResponse } from "../contract/wire.ts";
import { type Admin, createAdmin } from "./admin.ts";
import { authenticateAdmin, routeAdmin } from "./admin-routes.ts";
import { type Answer, isRefused, type Refused, refuse, toWire } from "./answer.ts";
import { authenticate } from "./authenticate.ts";
import { type BodyFault, refuseRequest } from "./body.ts";
import { type Combine, type Ground, newId } from "./context.ts";
import type { DatabaseLocation } from "./database.ts";
import { rateLimiter } from "./rate.ts";
import { isDiskFull } from "./reserve.ts";
import { route, splitTarget } from "./router.ts";
import { loadRegexEngine } from "./search.ts";
import { STEP } from "./search-index.ts";
import type { Settings } from "./settings.ts";
import { openStore } from "./store.ts";

export type ServiceOptions = {
  readonly database: DatabaseLocation;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Ids, keys and the cursor secret come from here: a seeded one makes the service deterministic. */
  readonly random: (bytes: number) => Uint8Array;
  readonly combine: Combine;
  /** Default `all`; `a-step` where something else indexes, in steps (`indexInSteps`). */
  readonly searchCatchesUp?: Ground["searchCatchesUp"];
  /** The key of `/admin` over the wire; without one, `/admin` answers 401 and only `service.admin` remains. */
  readonly adminKey?: string;
  /** Replaces what is kept of these. */
  readonly settings?: Partial<Settings>;
  /** {docs_base} of the problem types. */
  readonly docsBase?: string;
  /** Told of what became a 500. The error may hold SQL, never a key or a text. */
  readonly onFault?: (error: unknown, requestId: string) => void;
};

/** A `Wire` that a transport can also tell why a body could not be handed over. */
export type ServiceWire = (request: WireRequest, fault?: BodyFault | null) => Promise<WireResponse>;

/** A request before its body. */
export type RequestHead = Omit<WireRequest, "body">;

export type Service = {
  readonly handle: ServiceWire;
  /** Judges a request by its headers: the answer where its body need not be read, else null. Takes nothing from a rate limit. */
  admit(head: RequestHead): WireResponse | null;
  /** `handle` without the promise. */
  answer(request: WireRequest, fault?: BodyFault | null): WireResponse;
  readonly admin: Admin;
  /** Runs many requests in one transaction (imports). Each refused one is still rolled back by itself. */
  batch<T>(work: () => T): T;
  /** Indexes for search some of what was written; a few milliseconds of work, or all that is left. */
  indexStep(): "done" | "more";
  indexAll(): void;
  /**
   * Prunes the texts of old versions, as far as the settings say: some milliseconds of work from where the last step ended.
   * @returns `done` at the end of a round
   */
  pruneStep(): "done" | "more";
  /** Takes again the room that was given up when the disk was full. */
  holdReserve(): void;
  /** Calls back after each request that may have written. One listener. */
  onWrite(listener: () => void): void;
  /** Requests answered till now: who asks twice knows whether the service was busy. */
  served(): number;
  /** A backup of everything: what a service opened on `{ copy }` goes on from. */
  copy(): Uint8Array;
  /** From here on every request is answered 503. */
  close(): void;
};

const DAY_MS = 86_400_000;
/** Changes that a step of pruning looks at, some 5 ms. */
const PRUNE_PORTION = 200;
const DEFAULT_DOCS_BASE = "https://mdmirror.invalid/docs";

/**
 * The file and folder service, apart from any transport.
 * @throws when the database cannot be opened (see `openDatabase`)
 */
export function createService(options: ServiceOptions): Service {
  const { now, random, combine } = options;
  const ground: Ground = {
    store: openStore(options.database, random),
    now,
    random,
    combine,
    searchCatchesUp: options.searchCatchesUp ?? "all",
  };
  const admin = createAdmin(ground);
  const rates = rateLimiter(() => ground.store.settings.get().rateLimit, now);
  if (options.settings !== undefined) ground.store.settings.change(options.settings);
  const adminKey = options.adminKey ?? null;
  const docsBase = options.docsBase ?? DEFAULT_DOCS_BASE;
  let open = true;
  let served = 0;
  let prunedTo = 0;
  let onWrite: () => void = () => undefined;

  const dispatch = (request: WireRequest, fault: BodyFault | null): Answer => {
    if (!open) return closing();
    const refused = refuseRequest(fault);
    if (refused !== null) return refused;
    if (isAdminPath(request.path)) return routeAdmin({ ground, admin, adminKey }, request, fault);
    const context = authenticate(ground, request.headers, rates.take);
    return isRefused(context) ? context : route(context, request, fault);
  };
  const judge = ({ path, headers }: RequestHead): Refused | null => {
    if (!open) return closing();
    if (isAdminPath(path)) return authenticateAdmin(adminKey, headers);
    const context = authenticate(ground, headers, rates.peek);
    return isRefused(context) ? context : null;
  };

  /** Runs a part of a request; what it throws becomes a 500. @param work null is no answer yet */
  const answering = (work: (requestId: string) => Answer | null): WireResponse | null => {
    const requestId = newId(ground, "req_");
    try {
      const answer = work(requestId);
      return answer === null ? null : toWire(answer, requestId, docsBase);
    } catch (error) {
      options.onFault?.(error, requestId);
      const failed = refuse("internal_error", "The service failed; inspect the live state before a retry.");
      return toWire(failed, requestId, docsBase);
    }
  };
  const dispatchOrMakeRoom = (request: WireRequest, fault: BodyFault | null, requestId: string): Answer => {
    try {
      return dispatch(request, fault);
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      if (request.method === "DELETE" && ground.store.reserve.release())
        return dispatchOrMakeRoom(request, fault, requestId);
      options.onFault?.(error, requestId);
      const detail = "The disk of the service is full: nothing was saved. Reading and deleting go on.";
      return refuse("service_unavailable", detail, [], { "retry-after": "60" });
    }
  };
  const answer = (request: WireRequest, fault: BodyFault | null = null): WireResponse => {
    served++;
    const response = answering((requestId) => dispatchOrMakeRoom(request, fault, requestId))!;
    if (request.method !== "GET") onWrite();
    return response;
  };

  const index = (most: number): "done" | "more" => {
    if (!open || !ground.store.search.isBehind()) return "done";
    return ground.store.transact(
      () => ground.store.search.update(most),
      () => true,
    );
  };

  return {
    handle: async (request, fault) => {
      if (request.path.startsWith(SEARCH_REGEX_PATH)) await loadRegexEngine();
      return answer(request, fault);
    },
    admit: (head) => answering(() => judge(head)),
    answer,
    admin,
    batch: (work) => ground.store.transact(work, () => true),
    indexStep: () => index(STEP),
    indexAll: () => void index(Number.MAX_SAFE_INTEGER),
    pruneStep: () => {
      const days = ground.store.settings.get().keepVersionsDays;
      if (!open || days === null) return "done";
      const before = now() - days * DAY_MS;
      const { next } = ground.store.transact(
        () => ground.store.changes.prune(prunedTo, PRUNE_PORTION, before),
        () => true,
      );
      prunedTo = next ?? 0;
      return next === null ? "done" : "more";
    },
    holdReserve: () => {
      if (open) ground.store.reserve.hold();
    },
    onWrite: (listener) => {
      onWrite = listener;
    },
    served: () => served,
    copy: () => ground.store.copy(),
    close: () => {
      if (open) ground.store.close();
      open = false;
    },
  };
}

function isAdminPath(target: string): boolean {
  const { path } = splitTarget(target);
  return path === "/admin" || path.startsWith("/admin/");
}

function closing(): Refused {
  return refuse("service_unavailable", "The service is being closed.", [], { "retry-after": "5" });
}
