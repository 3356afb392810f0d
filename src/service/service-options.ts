import type { Combine, ServerContext } from "./requests/context.ts";
import type { Store } from "./store/store.ts";

/** What a service is made of. */
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
   * The key of `/admin` over the wire; without one, `/admin` answers 401, and only `service.admin`
   * works.
   */
  readonly adminKey?: string;
  /** SHA-256 of it, where another process has its text. */
  readonly adminKeyHash?: Buffer;
  /** {docs_base} of the problem types. */
  readonly docsBase?: string;
  /**
   * Calls back in the next round of the event loop, when all others have had a turn: searches wait
   * for that. Tests count the rounds.
   */
  readonly atNextRound?: (begin: () => void) => void;
  /** Called for each 500. The error may hold SQL, never a key or a text. */
  readonly onFault?: (error: unknown, requestId: string) => void;
};
