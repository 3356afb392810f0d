import { SEARCH_REGEX_PATH } from "../contract/routes.ts";
import type { WireRequest, WireResponse } from "../contract/wire.ts";
import { Admin } from "./admin.ts";
import type { Admit } from "./authenticate.ts";
import type { BodyFault } from "./body.ts";
import type { Combine, ServerContext } from "./context.ts";
import type { DatabaseLocation } from "./database.ts";
import { answerRequest, type Core, judgeHead, type RequestHead } from "./dispatch.ts";
import { RateLimiter } from "./rate.ts";
import { loadRegexEngine } from "./search.ts";
import { STEP } from "./search-index.ts";
import type { Settings } from "./settings.ts";
import { Store } from "./store.ts";

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

const DAY_MS = 86_400_000;
/** Changes that a step of pruning looks at, some 5 ms. */
const PRUNE_PORTION = 200;
const DEFAULT_DOCS_BASE = "https://mdmirror.invalid/docs";
const EVERYBODY: Admit = () => null;

/** The file and folder service, apart from any transport. */
export class Service {
  readonly admin: Admin;
  readonly #core: Core;
  readonly #admitByRate: Admit;
  #onWrite: () => void = () => undefined;
  #served = 0;
  #prunedTo = 0;

  /** @throws when the database cannot be opened (see `openDatabase`) */
  constructor(options: ServiceOptions) {
    const { now, random, combine, searchCatchesUp = "all" } = options;
    const store = new Store(options.database, random);
    if (options.settings !== undefined) store.settings.change(options.settings);
    const server = { store, now, random, combine, searchCatchesUp };
    const rates = new RateLimiter(() => store.settings.get().rateLimit, now);
    this.admin = new Admin(server);
    this.#admitByRate = (key) => rates.take(key);
    this.#core = {
      server,
      admin: this.admin,
      adminKey: options.adminKey ?? null,
      rates,
      docsBase: options.docsBase ?? DEFAULT_DOCS_BASE,
      onFault: options.onFault ?? (() => undefined),
      isOpen: true,
    };
  }

  // Fields, not methods: a transport is given them apart from the service.
  readonly handle: ServiceWire = async (request, fault = null) => {
    if (request.path.startsWith(SEARCH_REGEX_PATH)) await loadRegexEngine();
    return this.#answer(request, fault, this.#admitByRate);
  };

  /**
   * Judges a request by its headers: the answer where its body need not be read, else null. Takes
   * nothing from a rate limit.
   */
  readonly admit = (head: RequestHead): WireResponse | null => judgeHead(this.#core, head);

  /**
   * `handle` without the promise and without a rate limit: the program's own requests (imports).
   */
  readonly answer = (request: WireRequest, fault: BodyFault | null = null): WireResponse =>
    this.#answer(request, fault, EVERYBODY);

  #answer(request: WireRequest, fault: BodyFault | null, admit: Admit): WireResponse {
    this.#served++;
    const response = answerRequest(this.#core, request, fault, admit);
    if (request.method !== "GET") this.#onWrite();
    return response;
  }

  /**
   * Runs many requests in one transaction (imports). Each refused one is still rolled back by
   * itself.
   */
  batch<T>(work: () => T): T {
    return this.#store.transact(work);
  }

  /**
   * Indexes for search some of what was written; a few milliseconds of work, or all that is left.
   */
  indexStep(): "done" | "more" {
    return this.#index(STEP);
  }

  indexAll(): void {
    this.#index(Number.MAX_SAFE_INTEGER);
  }

  #index(most: number): "done" | "more" {
    const { search } = this.#store;
    if (!this.#core.isOpen || !search.isUnfinished()) return "done";
    return this.#store.transactUnsynced(() => search.update(most));
  }

  /**
   * Prunes the texts of old versions, as far as the settings say: some milliseconds of work from
   * where the last step ended.
   * @returns `done` at the end of a round
   */
  pruneStep(): "done" | "more" {
    const store = this.#store;
    const days = this.#core.isOpen ? store.settings.get().keepVersionsDays : null;
    if (days === null) return "done";
    const before = this.#core.server.now() - days * DAY_MS;
    const { next } = store.transact(() => store.changes.prune(this.#prunedTo, PRUNE_PORTION, before));
    this.#prunedTo = next ?? 0;
    return next === null ? "done" : "more";
  }

  /** Takes again the room that was given up when the disk was full. */
  holdReserve(): void {
    if (this.#core.isOpen) this.#store.reserve.hold();
  }

  /** Bytes of the disk that are kept for deletions; null: there is no disk. */
  reserved(): number | null {
    return this.#store.reserve.bytes();
  }

  /** Calls back after each request that may have written. One listener. */
  onWrite(listener: () => void): void {
    this.#onWrite = listener;
  }

  /** Requests answered till now: who asks twice knows whether the service was busy. */
  served(): number {
    return this.#served;
  }

  /** A backup of everything: what a service opened on `{ copy }` goes on from. */
  copy(): Uint8Array {
    return this.#store.copy();
  }

  /** From here on every request is answered 503. */
  close(): void {
    if (this.#core.isOpen) this.#store.close();
    this.#core.isOpen = false;
  }

  get #store(): Store {
    return this.#core.server.store;
  }
}

/** @throws when the database cannot be opened (see `openDatabase`) */
export function createService(options: ServiceOptions): Service {
  return new Service(options);
}
