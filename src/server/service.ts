import { SEARCH_REGEX_PATH } from "../contract/routes.ts";
import type { WireRequest, WireResponse } from "../contract/wire.ts";
import { Admin } from "./admin.ts";
import type { Admit } from "./authenticate.ts";
import type { BodyFault } from "./body.ts";
import type { Combine, ServerContext } from "./context.ts";
import type { DatabaseLocation } from "./database.ts";
import { admitByRate, answerRequest, type Core, judgeAdminHead, judgeHead, type RequestHead } from "./dispatch.ts";
import { RateLimiter } from "./rate.ts";
import { isDiskFull } from "./reserve.ts";
import { loadRegexEngine } from "./search.ts";
import { STEP } from "./search-index.ts";
import type { Settings } from "./settings.ts";
import { Store } from "./store.ts";

export type ServiceOptions = {
  readonly database: DatabaseLocation;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Source of ids, keys and the cursor secret: a seeded one makes the service deterministic. */
  readonly random: (bytes: number) => Uint8Array;
  readonly combine: Combine;
  /** Default `all`; `a-step` where something else indexes in steps (`indexInSteps`). */
  readonly searchCatchesUp?: ServerContext["searchCatchesUp"];
  /**
   * The key of `/admin` over the wire; without one, `/admin` answers 401, and only `service.admin`
   * works.
   */
  readonly adminKey?: string;
  /** Replaces the stored values of these settings. */
  readonly settings?: Partial<Settings>;
  /** {docs_base} of the problem types. */
  readonly docsBase?: string;
  /** Called for each 500. The error may hold SQL, never a key or a text. */
  readonly onFault?: (error: unknown, requestId: string) => void;
};

/** A `Wire` that a transport can also tell why it could not pass a body on. */
export type ServiceWire = (request: WireRequest, fault?: BodyFault | null) => Promise<WireResponse>;

const DAY_MS = 86_400_000;
/** How many changes a step of pruning looks at, some 5 ms. */
const PRUNE_PORTION = 200;
const DEFAULT_DOCS_BASE = "https://mdmirror.invalid/docs";
const EVERYBODY: Admit = () => null;

/** The file and folder service, independent of any transport. */
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
    this.#admitByRate = admitByRate({ rates, server });
    this.#core = {
      server,
      admin: this.admin,
      adminKey: options.adminKey ?? null,
      rates,
      docsBase: options.docsBase ?? DEFAULT_DOCS_BASE,
      onFault: options.onFault ?? (() => undefined),
      served: (mayHaveWritten) => {
        this.#served++;
        if (mayHaveWritten) this.#onWrite();
      },
      isOpen: true,
    };
  }

  // Fields, not methods, because a transport gets them without the service.
  readonly handle: ServiceWire = async (request, fault = null) => {
    if (request.path.startsWith(SEARCH_REGEX_PATH)) await loadRegexEngine();
    return this.#answer(request, fault, this.#admitByRate);
  };

  /**
   * Judges a request by its headers: the answer if its body need not be read, else null. It does
   * not count for a rate limit.
   */
  readonly admit = (head: RequestHead): WireResponse | null => judgeHead(this.#core, head);

  /** `admit` of a door that leads to `/admin` alone. */
  readonly admitAdmin = (head: RequestHead): WireResponse | null => judgeAdminHead(this.#core, head);

  /** For the pages, which are rendered in this process. */
  get core(): Core {
    return this.#core;
  }

  /** `handle` without promise and rate limit, for requests of the program itself (imports). */
  readonly answer = (request: WireRequest, fault: BodyFault | null = null): WireResponse =>
    this.#answer(request, fault, EVERYBODY);

  #answer(request: WireRequest, fault: BodyFault | null, admit: Admit): WireResponse {
    const response = answerRequest(this.#core, request, fault, admit);
    this.#core.served(request.method !== "GET");
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
   * Indexes some of what was written for search: a few milliseconds of work, or all that is left.
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
   * Prunes the texts of old versions, as the settings say: some milliseconds of work, from where
   * the last step ended.
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

  /** Saves when each key was last used. @throws when the disk is full: it is saved another time */
  saveUses(): void {
    const store = this.#store;
    if (!this.#core.isOpen || !store.keys.hasUnsavedUses()) return;
    store.transactUnsynced(() => store.keys.saveUses());
    store.keys.forgetUses();
  }

  /** Reserves again the space that was released when the disk was full. */
  holdReserve(): void {
    if (this.#core.isOpen) this.#store.reserve.hold();
  }

  /** Bytes of the disk that are reserved for deletions; null: there is no disk. */
  reserved(): number | null {
    return this.#store.reserve.bytes();
  }

  /** Sets the one listener that is called after each request that may have written. */
  onWrite(listener: () => void): void {
    this.#onWrite = listener;
  }

  /** How many requests were answered; asking twice shows whether the service was busy. */
  served(): number {
    return this.#served;
  }

  /** What an operator watches: documents of all workspaces, and what is to be indexed. */
  readonly figures = (): { readonly documents: number; readonly indexing: number } =>
    this.#core.isOpen ? this.#store.figures() : { documents: 0, indexing: 0 };

  /** A backup of everything, which a service opened on `{ copy }` continues. */
  copy(): Uint8Array {
    return this.#store.copy();
  }

  /** From now on every request is answered 503. */
  close(): void {
    if (!this.#core.isOpen) return;
    try {
      this.saveUses();
    } catch (error) {
      // A full disk is no reason to stay open: only the last uses of keys are lost.
      if (!isDiskFull(error)) throw error;
    } finally {
      this.#core.isOpen = false;
      this.#store.close();
    }
  }

  get #store(): Store {
    return this.#core.server.store;
  }
}

/** @throws when the database cannot be opened (see `openDatabase`) */
export function createService(options: ServiceOptions): Service {
  return new Service(options);
}
