import type { Combine, ServerContext } from "./requests/context.ts";
import type { Store } from "./store/store.ts";

/** Dependencies and options of a service. */
export type ServiceOptions = {
  /** The service closes it. */
  readonly store: Store;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Source of ids, keys and the cursor secret: a seeded one makes the service deterministic. */
  readonly random: (bytes: number) => Uint8Array;
  readonly combine: Combine;
  /** Default `any`. */
  readonly links?: ServerContext["links"];
  /**
   * Key of `/admin` over HTTP; without it, `/admin` answers 401, and only `service.admin` works.
   */
  readonly adminKey?: string;
  /** SHA-256 of the admin key, if another process has its text. */
  readonly adminKeyHash?: Buffer;
  /** {docs_base} of the problem types. */
  readonly docsBase?: string;
  /**
   * Calls back in the next round of the event loop, after all others had a turn: searches wait for
   * it. Tests count the rounds.
   */
  readonly atNextRound?: (begin: () => void) => void;
  /** Called for each 500. The error may have SQL, never a key or content. */
  readonly onFault?: (error: unknown, requestId: string) => void;
};
