import type { WireRequest, WireResponse } from "../contract/wire.ts";
import { BoundedMap } from "../common/bounded-map.ts";
import { once } from "../common/once.ts";
import { SearchScheduler } from "../markdown/search/scheduler.ts";
import { Admin } from "./admin/admin.ts";
import { combineByMerge } from "./files/combine.ts";
import { type RateCheck, hashKey } from "./requests/authenticate.ts";
import type { BodyFault } from "./requests/body.ts";
import { makeRateCheck, answerRequest, type ServiceCore, checkHead, type RequestHead } from "./requests/dispatch.ts";
import { EventHub } from "./events/hub.ts";
import { readFigures, type ServiceFigures } from "./figures.ts";
import { RateLimiter } from "./requests/rate.ts";
import { KeyUses } from "./keys/key-uses.ts";
import { isDiskFull, type Store } from "./store/store.ts";
import type { CombineContents, ServerContext } from "./requests/context.ts";

export type ServiceOptions = {
  readonly store: Store;
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Source of random bytes for ids and secrets. A seed makes the service deterministic. */
  readonly random: (bytes: number) => Uint8Array;
  readonly combine?: CombineContents;
  /** `resolve` refuses new content with broken links; `any` (the default) accepts all links. */
  readonly links?: ServerContext["links"] | undefined;
  /** Key for `/admin` over HTTP. Without it, `/admin` answers 401; `service.admin` works. */
  readonly adminKey?: string;
  /** SHA-256 of the admin key, for a process that does not have the key itself. */
  readonly adminKeyHash?: Buffer;
  /** Base URL for the `type` of a problem: `{docs_base}` in the contract. */
  readonly docsBase?: string | undefined;
  /**
   * Calls a function in the next round of the event loop, after all other callbacks. Each search
   * waits for such a round, so that other requests are answered.
   */
  readonly atNextRound?: (begin: () => void) => void;
  /** Receives the error of each answer 500. The error may contain SQL, but no key or content. */
  readonly onFault?: ((error: unknown, requestId: string) => void) | undefined;
};

/**
 * `fault`: why the transport could not read the body. `noted`: receives facts about the request.
 */
export type ServiceWire = (
  request: WireRequest,
  fault?: BodyFault | null,
  noted?: RequestNotes,
) => Promise<WireResponse>;

/** Facts about a request. The service sets `key` to the key's id once the key is known as valid. */
type RequestNotes = {
  key: string | null;
  /** Returns true if the client has disconnected, so that nobody waits for the answer. */
  readonly isGone: () => boolean;
};

const DAY_MS = 86_400_000;
/** Number of changes that one pruning step reads, so that a step takes about 5 ms. */
const PRUNE_PORTION = 200;
const DEFAULT_DOCS_BASE = "https://mdmirror.invalid/docs";
/** LIMIT: keys whose workspace and grants are cached for a second, to keep the cache small. */
const MAX_CACHED_HOLDERS = 1_000;
const ADMIT_ALL: RateCheck = () => null;
/** Hash of no key: looking for this hash only tests whether the store answers. */
const UNKNOWN_KEY_HASH = Buffer.alloc(32);

export class Service {
  readonly admin: Admin;
  readonly streams: EventHub;
  readonly #store: Store;
  readonly #core: ServiceCore;
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
    this.#core = {
      server: serverContext,
      admin: this.admin,
      adminKeyHash: options.adminKeyHash ?? (options.adminKey === undefined ? null : hashKey(options.adminKey)),
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
    this.streams = new EventHub(this.#core, this.#admitByRate);
  }

  // The functions are fields, because a transport calls them without the service object.
  readonly handle: ServiceWire = (request, fault = null, noted) => {
    const admit = noted === undefined ? this.#admitByRate : this.#noting(noted);
    return answerRequest(this.#core, request, fault, { admit, isGone: noted?.isGone });
  };

  #noting(noted: RequestNotes): RateCheck {
    return (holder) => {
      noted.key = holder.key.id;
      return this.#admitByRate(holder);
    };
  }

  readonly isReady = async (): Promise<boolean> => {
    const { server, onFault, isOpen } = this.#core;
    if (!isOpen) return false;
    try {
      await server.store.holder(UNKNOWN_KEY_HASH);
      return true;
    } catch (error) {
      onFault(error, "ready");
      return false;
    }
  };

  readonly admit = (head: RequestHead): Promise<WireResponse | null> => checkHead(this.#core, head);

  readonly admitAdmin = (head: RequestHead): Promise<WireResponse | null> => checkHead(this.#core, head, true);

  get core(): ServiceCore {
    return this.#core;
  }

  /** Answers requests that the program itself makes: as `handle` does, but without a rate limit. */
  readonly answer = (request: WireRequest, fault: BodyFault | null = null): Promise<WireResponse> =>
    answerRequest(this.#core, request, fault, { admit: ADMIT_ALL });

  /**
   * Adds some recently written documents to the search index.
   * @param most `a-step`: a few milliseconds of work; `all`: all documents that wait
   */
  async indexStep(most: "a-step" | "all" = "a-step"): Promise<"done" | "more"> {
    return this.#core.isOpen ? this.#store.indexStep(most) : "done";
  }

  /**
   * Deletes contents of old versions, as the settings say. Continues where the last step ended, and
   * takes some milliseconds.
   * @returns `done` if all changes were checked
   */
  async pruneStep(): Promise<"done" | "more"> {
    if (!this.#core.isOpen) return "done";
    const prunedUpTo = await this.#store.write(async ({ settings, changes }) => {
      const { keepVersionsDays: days, keepVersions: keep } = await settings.get();
      if (days === null && keep === null) return null;
      const replacedBefore = days === null ? null : this.#core.server.now() - days * DAY_MS;
      return changes.prune(this.#prunedTo, PRUNE_PORTION, { before: replacedBefore, keep });
    });
    this.#prunedTo = prunedUpTo ?? 0;
    return prunedUpTo === null ? "done" : "more";
  }

  /**
   * Saves the time of the last use of each key.
   * @throws if the disk is full; the next call then saves the same times
   */
  async saveUses(): Promise<void> {
    if (this.#core.isOpen) await this.#core.server.uses.save(this.#store);
  }

  /** Reserves disk space for deletions again, after a full disk made the service release it. */
  holdReserve(): void {
    if (this.#core.isOpen) this.#store.reserve?.reserve();
  }

  /** Returns the bytes of disk that are reserved for deletions; null without a local disk. */
  reserved(): number | null {
    return this.#store.reserve?.bytes() ?? null;
  }

  /** Replaces the listener that the service calls after each request that may have written. */
  onWrite(listener: () => void): void {
    this.#onWrite = listener;
  }

  /** Returns the number of answered requests, by which a caller sees if the service is busy. */
  served(): number {
    return this.#served;
  }

  readonly figures = (): Promise<ServiceFigures> => readFigures(this.#core, this.#store, this.streams.size);

  /** Refuses new requests with 503. Resolves once running requests are answered. */
  readonly close = once(async (): Promise<void> => {
    this.#core.isOpen = false;
    await this.streams.close();
    try {
      // ORDER: before the store closes. This write waits for transactions that have begun.
      await this.#core.server.uses.save(this.#store);
    } catch (error) {
      // The service closes even if the disk is full: only the last uses of keys are lost.
      if (!isDiskFull(error)) throw error;
    } finally {
      await this.#store.close();
    }
  });
}

export function createService(options: ServiceOptions): Service {
  return new Service(options);
}
