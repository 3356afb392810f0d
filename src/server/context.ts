import type { Access } from "./access.ts";
import type { SentBody } from "./body.ts";
import type { Query } from "./query.ts";
import type { Store } from "./store.ts";
import type { WorkspaceRow } from "./workspaces-table.ts";

type IdPrefix = "doc_" | "dir_" | "chg_" | "key_" | "wsp_" | "req_";

/**
 * Combines a write on a stale base.
 * @param base the text of the base change
 * @param local the text that was sent
 * @param remote the live text
 * @returns the text to save, or null when the two cannot be combined
 */
export type Combine = (base: string, local: string, remote: string) => string | null;

/**
 * What the service gets from outside; with a seeded `random` and a fixed `now` it is deterministic.
 */
export type ServerContext = {
  readonly store: Store;
  readonly combine: Combine;
  /**
   * What a search indexes before it answers: all that was written, or one step of it if others
   * wait.
   */
  readonly searchCatchesUp: "all" | "a-step";
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
};

/** What the handler of an authenticated request gets. */
export type RequestContext = ServerContext & { readonly workspace: WorkspaceRow; readonly access: Access };

/** One request, authenticated and routed. */
export type Call = {
  readonly context: RequestContext;
  /** The last path segment where the route has an id, percent-decoded; else empty. */
  readonly id: string;
  readonly query: Query;
  readonly body: SentBody;
};

// Digits and lower case without i, l, o, u: easy to read aloud, and no two ids differ only in case.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** 70 random bits; the ids of a table are also checked to be unique. */
const ID_CHARACTERS = 14;

export function newId(context: Pick<ServerContext, "random">, prefix: IdPrefix): string {
  let id: string = prefix;
  for (const byte of context.random(ID_CHARACTERS)) id += ALPHABET[byte & 31];
  return id;
}
