import { SEARCH_REGEX_PATH } from "../contract/routes.ts";
import type { WireRequest, WireResponse } from "../contract/wire.ts";
import { type Admin, createAdmin } from "./admin.ts";
import type { Admit } from "./authenticate.ts";
import type { BodyFault } from "./body.ts";
import type { Combine, ServerContext } from "./context.ts";
import type { DatabaseLocation } from "./database.ts";
import { answerRequest, type Core, judgeHead, type RequestHead } from "./dispatch.ts";
import { rateLimiter } from "./rate.ts";
import { loadRegexEngine } from "./search.ts";
import { STEP } from "./search-index.ts";
import type { Settings } from "./settings.ts";
import { openStore } from "./store.ts";

export type ServiceOptions = {
  readonly database: DatabaseLocation;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Ids, keys and the cursor secret come from here: a seeded one makes the service deterministic.
   */
  readonly random: (bytes: number) => Uint8Array;
  readonly combine: Combine;
  /** Default `all`; `a-step` where something else indexes, in steps (`indexInSteps`). */
  readonly searchCatchesUp?: ServerContext["searchCatchesUp"];
  /**
   * The key of `/admin` over the wire; without one, `/admin` answers 401 and only `service.admin`
   * remains.
   */
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

export type Service = {
  readonly handle: ServiceWire;
  /**
   * Judges a request by its headers: the answer where its body need not be read, else null. Takes
   * nothing from a rate limit.
   */
  admit(head: RequestHead): WireResponse | null;
  /**
   * `handle` without the promise and without a rate limit: the program's own requests (imports).
   */
  answer(request: WireRequest, fault?: BodyFault | null): WireResponse;
  readonly admin: Admin;
  /**
   * Runs many requests in one transaction (imports). Each refused one is still rolled back by
   * itself.
   */
  batch<T>(work: () => T): T;
  /**
   * Indexes for search some of what was written; a few milliseconds of work, or all that is left.
   */
  indexStep(): "done" | "more";
  indexAll(): void;
  /**
   * Prunes the texts of old versions, as far as the settings say: some milliseconds of work from
   * where the last step ended.
   * @returns `done` at the end of a round
   */
  pruneStep(): "done" | "more";
  /** Takes again the room that was given up when the disk was full. */
  holdReserve(): void;
  /** Bytes of the disk that are kept for deletions; null: there is no disk. */
  reserved(): number | null;
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
  const { now, random, combine, searchCatchesUp = "all" } = options;
  const context: ServerContext = { store: openStore(options.database, random), now, random, combine, searchCatchesUp };
  const { settings } = context.store;
  if (options.settings !== undefined) settings.change(options.settings);
  const core: Core = {
    context,
    admin: createAdmin(context),
    adminKey: options.adminKey ?? null,
    rates: rateLimiter(() => settings.get().rateLimit, now),
    docsBase: options.docsBase ?? DEFAULT_DOCS_BASE,
    onFault: options.onFault ?? (() => undefined),
    isOpen: true,
  };
  let served = 0;
  let onWrite: () => void = () => undefined;
  const answer = (request: WireRequest, fault: BodyFault | null, admit: Admit): WireResponse => {
    served++;
    const response = answerRequest(core, request, fault, admit);
    if (request.method !== "GET") onWrite();
    return response;
  };
  return {
    handle: async (request, fault = null) => {
      if (request.path.startsWith(SEARCH_REGEX_PATH)) await loadRegexEngine();
      return answer(request, fault, core.rates.take);
    },
    admit: (head) => judgeHead(core, head),
    answer: (request, fault = null) => answer(request, fault, EVERYBODY),
    admin: core.admin,
    batch: (work) => context.store.transact(work, () => true),
    ...chores(core),
    onWrite: (listener) => {
      onWrite = listener;
    },
    served: () => served,
    copy: () => context.store.copy(),
    close: () => {
      if (core.isOpen) context.store.close();
      core.isOpen = false;
    },
  };
}

const EVERYBODY: Admit = () => null;

/** What is done between requests. */
function chores(core: Core): Pick<Service, "indexStep" | "indexAll" | "pruneStep" | "holdReserve" | "reserved"> {
  const { store, now } = core.context;
  const always = () => true;
  let prunedTo = 0;
  const index = (most: number): "done" | "more" => {
    if (!core.isOpen || !store.search.isBehind()) return "done";
    return store.transactUnsynced(() => store.search.update(most));
  };
  return {
    indexStep: () => index(STEP),
    indexAll: () => void index(Number.MAX_SAFE_INTEGER),
    pruneStep: () => {
      const days = core.isOpen ? store.settings.get().keepVersionsDays : null;
      if (days === null) return "done";
      const before = now() - days * DAY_MS;
      const { next } = store.transact(() => store.changes.prune(prunedTo, PRUNE_PORTION, before), always);
      prunedTo = next ?? 0;
      return next === null ? "done" : "more";
    },
    holdReserve: () => {
      if (core.isOpen) store.reserve.hold();
    },
    reserved: () => store.reserve.bytes(),
  };
}
