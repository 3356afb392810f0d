import type { Pace, SearchTurns } from "../../markdown/search/turns.ts";
import type { Access } from "../files/access.ts";
import type { z } from "zod";
import type { OperationName, Operations } from "../../contract/api/operations.ts";
import type { Answer } from "./answer.ts";
import type { KeyUses } from "../keys/key-uses.ts";
import type { WorkspaceRow } from "../store/rows.ts";
import type { Store } from "../store/store.ts";
import type { Tables } from "../store/tables.ts";

type IdPrefix = "doc_" | "dir_" | "chg_" | "key_" | "wsp_" | "req_";

/**
 * Combines a write on a stale base.
 * @param base the text of the base change
 * @param local the text that was sent
 * @param remote the live text
 * @returns the text to save, or null when the two cannot be combined
 */
export type Combine = (base: string, local: string, remote: string) => string | null;

/** What requests need of a store; within an import, it is the import's own transaction. */
export type RequestStore = Pick<Store, "read" | "write" | "holder" | "reserve" | "backup">;

/**
 * What the service gets from outside; with a seeded `random` and a fixed `now` it is deterministic.
 */
export type ServerContext = {
  readonly store: RequestStore;
  readonly cursorSecret: Buffer;
  readonly uses: KeyUses;
  readonly combine: Combine;
  /** `resolve`: a text whose links lead nowhere is refused. */
  readonly links: "any" | "resolve";
  /** All searches share the thread by it. */
  readonly turns: SearchTurns;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
};

/**
 * What works within one transaction gets: its tables, and no way to begin another, which would wait
 * for this one's end.
 */
export type Working = Omit<ServerContext, "store" | "turns"> & { readonly tables: Tables };

/** What the handler of an authenticated request gets. */
export type RequestContext = Working & {
  readonly workspace: WorkspaceRow;
  readonly access: Access;
  /** Row number of the key that the request was sent with; null: an administrator asks. */
  readonly key: number | null;
};

/** The output of an operation's schema; null where the operation takes nothing. */
type Read<Operation, Part extends string> = Operation extends { readonly [P in Part]: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : null;

/** One request, authenticated, routed and valid. */
export type Call<Name extends OperationName> = {
  readonly context: RequestContext;
  readonly id: Read<Operations[Name], "id">;
  readonly query: Read<Operations[Name], "query">;
  readonly body: Read<Operations[Name], "body">;
};

/**
 * The rest of a request that takes long: it continues after its first transaction, and
 * begins others.
 */
export type Continued = {
  readonly kind: "continues";
  readonly goOn: (store: Pick<RequestStore, "read">, pace: Pace) => Promise<Answer>;
};

// Digits and lower case without i, l, o, u: easy to read aloud, and no two ids differ only in case.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** 70 random bits; the ids of a table are also checked to be unique. */
const ID_CHARACTERS = 14;

export function workingIn(server: ServerContext, tables: Tables): Working {
  const { cursorSecret, uses, combine, links, now, random } = server;
  return { cursorSecret, uses, combine, links, now, random, tables };
}

export function newId(context: Pick<ServerContext, "random">, prefix: IdPrefix): string {
  let id: string = prefix;
  for (const byte of context.random(ID_CHARACTERS)) id += ALPHABET[byte & 31];
  return id;
}
