import type { StepPermit, SearchScheduler } from "../../markdown/search/scheduler.ts";
import type { Access } from "../files/access.ts";
import type { z } from "zod";
import type { OperationName, Operations } from "../../contract/api/operations.ts";
import { type Answer, isRefused } from "./answer.ts";
import type { KeyUses } from "./rate.ts";
import type { WorkspaceRow } from "../store/rows.ts";
import { isDiskFull, type Store } from "../store/store.ts";
import type { Tables } from "../store/tables.ts";

type IdPrefix = "doc_" | "dir_" | "chg_" | "key_" | "wsp_" | "req_";

/**
 * Combines the content of a write with the published content, if other changes were published after
 * the base of the write.
 * @param base content of the base change
 * @param local content that was sent
 * @param remote published content
 * @returns the content to save; null if `local` and `remote` cannot be combined
 */
export type ContentCombiner = (base: string, local: string, remote: string) => string | null;

/**
 * Dependencies of the service. With a seeded `random` and a fixed `now`, tests get the same answers
 * each time.
 */
export type ServerContext = {
  readonly store: Store;
  readonly cursorSecret: Buffer;
  readonly uses: KeyUses;
  readonly combine: ContentCombiner;
  /** `resolve`: content with broken links is refused. `any`: links are not checked. */
  readonly links: "any" | "resolve";
  readonly turns: SearchScheduler;
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: (bytes: number) => Uint8Array;
};

/**
 * Context of one transaction. The context contains no store, because a second transaction within
 * the first would wait forever.
 */
export type TransactionContext = Omit<ServerContext, "store" | "turns"> & { readonly tables: Tables };

export type RequestContext = TransactionContext & {
  readonly workspace: WorkspaceRow;
  readonly access: Access;
  /** Row number of the request's key; null for an administrator. */
  readonly key: number | null;
};

/** Type of the output of one schema of an operation; null if the operation has no such schema. */
export type OutputOf<Operation, Part extends string> = Operation extends {
  readonly [P in Part]: infer Schema extends z.ZodType;
}
  ? z.output<Schema>
  : null;

export type OperationCall<Name extends OperationName> = {
  readonly context: RequestContext;
  readonly id: OutputOf<Operations[Name], "id">;
  readonly query: OutputOf<Operations[Name], "query">;
  readonly body: OutputOf<Operations[Name], "body">;
};

/**
 * Second part of a long request, such as a search. This part runs after the transaction in which
 * the key was checked, and begins transactions of its own.
 */
export type ContinuedRequest = {
  readonly kind: "continues";
  readonly resume: (store: Pick<Store, "search">, pace: StepPermit) => Promise<Answer>;
};

// Characters of ids. The letters i, l, o and u, and upper case are missing, so that ids are easy to
// read aloud.
const ID_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/**
 * Number of characters of an id. These characters together have 70 random bits. The tables also
 * check that ids are unique.
 */
const ID_CHARACTERS = 14;

export function runRead<T>(server: ServerContext, work: (transaction: TransactionContext) => Promise<T>): Promise<T> {
  return server.store.read((tables) => work({ ...server, tables }));
}

/** Runs a write in a transaction. If the result is a refusal, rolls the transaction back. */
export function runWrite<T>(server: ServerContext, work: (transaction: TransactionContext) => Promise<T>): Promise<T> {
  return server.store.write(
    (tables) => work({ ...server, tables }),
    (result) => !isRefused(result),
  );
}

/**
 * Runs a write that removes something. If the disk is full, releases the reserved space and runs
 * the write again.
 */
export async function runDeletion<T>(
  server: ServerContext,
  work: (transaction: TransactionContext) => Promise<T>,
): Promise<T> {
  try {
    return await runWrite(server, work);
  } catch (error) {
    if (!isDiskFull(error) || server.store.reserve?.release() !== true) throw error;
    return runWrite(server, work);
  }
}

export function newId(context: Pick<ServerContext, "random">, prefix: IdPrefix): string {
  let id: string = prefix;
  for (const byte of context.random(ID_CHARACTERS)) id += ID_ALPHABET[byte & 31];
  return id;
}
