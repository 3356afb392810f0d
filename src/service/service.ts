import type { WireRequest, WireResponse } from "../contract/wire.ts";
import { BoundedMap } from "../common/bounded-map.ts";
import { once } from "../common/once.ts";
import { SearchScheduler } from "../markdown/search/scheduler.ts";
import { Admin } from "./admin/admin.ts";
import { combineByMerge } from "./files/files.ts";
import { ADMIT_ALL, type RateCheck } from "./requests/authenticate.ts";
import type { BodyFault } from "./requests/input.ts";
import { answerRequest, checkHead, makeRateCheck, type RequestHead, type ServiceCore } from "./requests/dispatch.ts";
import { EventHub } from "./events/hub.ts";
import { KeyUses, RateLimiter } from "./requests/rate.ts";
import { isDiskFull, type PoolFigures, type Store } from "./store/store.ts";
import type { ContentCombiner, ServerContext } from "./requests/context.ts";
import type { DatabaseFigures } from "./store/rows.ts";

export type ServiceOptions = {
  readonly store: Store;
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Source of random bytes for ids and secrets. With a seed, tests get the same ids each time. */
  readonly random: (bytes: number) => Uint8Array;
  readonly combine?: ContentCombiner;
  /** `resolve`: refuses new content with broken links. `any` (default): accepts all links. */
  readonly links?: ServerContext["links"] | undefined;
  /**
   * SHA-256 of the key for requests below `/admin`. Without this hash, such requests are answered
   * 401, but `service.admin` still works.
   */
  readonly adminKeyHash?: Buffer;
  /** Base URL for the `type` of a problem: `{docs_base}` in the contract. */
  readonly docsBase?: string | undefined;
  /**
   * Calls a function in the next turn of the event loop, after all other callbacks. A search waits
   * for such turns, so that other requests are answered during the search.
   */
  readonly atNextRound?: (begin: () => void) => void;
  /** Receives the error that caused an answer 500. The error contains no key and no content. */
  readonly onFault?: ((error: unknown, requestId: string) => void) | undefined;
};

/**
 * Answers a request. `fault`: reason why the transport could not read the body. `noted`: object
 * into which the service writes facts about the request.
 */
export type ServiceWire = (
  request: WireRequest,
  fault?: BodyFault | null,
  noted?: RequestNotes,
) => Promise<WireResponse>;

/** Facts about a request. The service sets `key` to the id of a key that it has checked. */
type RequestNotes = {
  key: string | null;
  /** Returns true if the client has disconnected and can get no answer. */
  readonly isGone: () => boolean;
};

const DAY_MS = 86_400_000;
/**
 * Number of changes that one step of pruning checks. With this number, a step takes about 5 ms, so
 * requests need not wait long.
 */
const PRUNE_PORTION = 200;
const DEFAULT_DOCS_BASE = "https://mdmirror.invalid/docs";
/**
 * LIMIT: number of keys whose workspace and grants are cached for a second, so that the cache takes
 * little memory.
 */
const MAX_CACHED_HOLDERS = 1_000;
/** A hash that no key has. A lookup of this hash tests whether the store answers. */
const UNKNOWN_KEY_HASH = Buffer.alloc(32);

export class Service {
  readonly admin: Admin;
  readonly streams: EventHub;
  readonly #store: Store;
  readonly core: ServiceCore;
  readonly #admitByRate: RateCheck;
  #onWrite: () => void = () => undefined;
  #served = 0;
  #prunedTo = 0;

  constructor({ store, now, random, combine = combineByMerge, ...options }: ServiceOptions) {
    const [uses, { links = "any" }] = [new KeyUses(), options];
    const turns = new SearchScheduler(options.atNextRound ?? ((begin) => void setImmediate(begin)));
    const serverContext = { store, cursorSecret: store.cursorSecret, uses, now, random, combine, links, turns };
    const rateLimiter = new RateLimiter(now);
    this.#store = store;
    this.admin = new Admin(serverContext);
    this.#admitByRate = makeRateCheck({ rates: rateLimiter, server: serverContext });
    this.core = {
      server: serverContext,
      admin: this.admin,
      adminKeyHash: options.adminKeyHash ?? null,
      rates: rateLimiter,
      recent: new BoundedMap(MAX_CACHED_HOLDERS),
      docsBase: options.docsBase ?? DEFAULT_DOCS_BASE,
      generation: store.generation,
      onFault: options.onFault ?? (() => undefined),
      served: (mayHaveWritten) => {
        this.#served++;
        if (mayHaveWritten) this.#onWrite();
      },
      isOpen: true,
    };
    this.streams = new EventHub(this.core, this.#admitByRate);
  }

  // `handle` and `answer` are fields and not methods, because a transport calls these functions
  // without the service object.
  readonly handle: ServiceWire = (request, fault = null, noted) => {
    const admit = noted === undefined ? this.#admitByRate : this.#noting(noted);
    return answerRequest(this.core, request, fault, { admit, isGone: noted?.isGone });
  };

  #noting(noted: RequestNotes): RateCheck {
    return (holder) => {
      noted.key = holder.key.id;
      return this.#admitByRate(holder);
    };
  }

  readonly isReady = async (): Promise<boolean> => {
    const { server, onFault, isOpen } = this.core;
    if (!isOpen) return false;
    try {
      await server.store.holder(UNKNOWN_KEY_HASH);
      return true;
    } catch (error) {
      onFault(error, "ready");
      return false;
    }
  };

  readonly admit = (head: RequestHead): Promise<WireResponse | null> => checkHead(this.core, head);

  readonly admitAdmin = (head: RequestHead): Promise<WireResponse | null> => checkHead(this.core, head, true);

  /**
   * Answers a request that another part of this program sends without HTTP. Unlike `handle`,
   * applies no rate limit.
   */
  readonly answer = (request: WireRequest, fault: BodyFault | null = null): Promise<WireResponse> =>
    answerRequest(this.core, request, fault, { admit: ADMIT_ALL });

  /**
   * Adds some recently written documents to the search index.
   * @param most `a-step`: documents for a few milliseconds of work; `all`: all documents that wait
   */
  async indexStep(most: "a-step" | "all" = "a-step"): Promise<"done" | "more"> {
    return this.core.isOpen ? this.#store.indexStep(most) : "done";
  }

  /**
   * Prunes the contents of old versions by the limits in the settings. Continues where the last
   * step ended, and takes a few milliseconds.
   * @returns `done` if all changes were checked
   */
  async pruneStep(): Promise<"done" | "more"> {
    if (!this.core.isOpen) return "done";
    const lastCheckedChange = await this.#store.write(async ({ settings, changes }) => {
      const { keepVersionsDays: days, keepVersions: keep } = await settings.get();
      if (days === null && keep === null) return null;
      const replacedBefore = days === null ? null : this.core.server.now() - days * DAY_MS;
      return changes.prune(this.#prunedTo, PRUNE_PORTION, { before: replacedBefore, keep });
    });
    this.#prunedTo = lastCheckedChange ?? 0;
    return lastCheckedChange === null ? "done" : "more";
  }

  /**
   * Saves the time of the last use of each key.
   * @throws if the disk is full; the next call then saves the unsaved times
   */
  async saveUses(): Promise<void> {
    if (this.core.isOpen) await this.core.server.uses.save(this.#store);
  }

  /** Reserves disk space for deletions again, if the service released this space. */
  reserveSpace(): void {
    if (this.core.isOpen) this.#store.reserve?.reserve();
  }

  /** Returns the bytes reserved for deletions; null if the database is not on a local disk. */
  reservedBytes(): number | null {
    return this.#store.reserve?.bytes() ?? null;
  }

  /**
   * Sets the only listener. The service calls the listener after each request that may have changed
   * stored data.
   */
  onWrite(listener: () => void): void {
    this.#onWrite = listener;
  }

  /**
   * Returns the number of requests answered since the start. If this number has grown between two
   * calls, the service is busy.
   */
  served(): number {
    return this.#served;
  }

  readonly figures = (): Promise<ServiceFigures> => readFigures(this.core, this.#store, this.streams.size);

  /** Answers new requests with 503. Resolves when all running requests are answered. */
  readonly close = once(async (): Promise<void> => {
    this.core.isOpen = false;
    await this.streams.close();
    try {
      // ORDER: the last uses of keys are saved before the store closes, because a closed store
      // cannot save. The save also waits for transactions that have already begun.
      await this.core.server.uses.save(this.#store);
    } catch (error) {
      // A full disk does not prevent closing: only the times of the last uses of keys are lost.
      if (!isDiskFull(error)) throw error;
    } finally {
      await this.#store.close();
    }
  });
}

export type ServiceFigures = {
  /** Figures of the database; null if the database did not answer, or is closed. */
  readonly database: DatabaseFigures | null;
  /** Figures of the connection pool; null if the store has no pool. */
  readonly pool: PoolFigures | null;
  /** Number of event listeners, without new listeners that still get missed events. */
  readonly listeners: number;
};

/**
 * Reads the figures of the service. Resolves even if the database does not answer, because an
 * operator then needs the other figures.
 */
export async function readFigures(
  { isOpen, onFault }: Pick<ServiceCore, "isOpen" | "onFault">,
  store: Pick<Store, "figures" | "pool">,
  listeners: number,
): Promise<ServiceFigures> {
  // ORDER: the figures of the pool are read before the database is queried. The query uses or waits
  // for a connection, and so would change the figures of the pool.
  const pool = store.pool?.() ?? null;
  try {
    return { database: isOpen ? await store.figures() : null, pool, listeners };
  } catch (error) {
    onFault(error, "metrics");
    return { database: null, pool, listeners };
  }
}
