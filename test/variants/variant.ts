import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";

/**
 * Other deployments: where the contract is silent, another service may have chosen differently.
 * Each switch makes the embedded service answer as such a one would, so that a client can be proven
 * against it.
 * (Stale bases that are never combined are no switch here: give the service `combine: () => null`.)
 */
export type Variant = {
  /** Paths are answered without a leading slash. */
  readonly noLeadingSlashes?: boolean;
  /** PUT answers 200 with a File that holds `content`, and 202 with a File's members. */
  readonly flatEdits?: boolean;
  /**
   * Answers carry the members alone that the contract shows: PUT answers 200 with `content`, and
   * 202 with `{}`.
   */
  readonly documentedMembersOnly?: boolean;
  /** An edit that cannot be combined is answered 409 `edit_conflict`, and nothing is saved. */
  readonly conflictsRefused?: boolean;
  /** Ids are longer than they should be. */
  readonly looseIds?: boolean;
  /** `path_prefix=/` is answered 400. */
  readonly noTree?: boolean;
  /** Search at `/v1/search`, a regex by `pattern`; `snippets` and `matches`, and no content. */
  readonly firstSearch?: boolean;
  /** Every object of an answer carries a member that no document names. */
  readonly unknownMembers?: boolean;
  /** PATCH and DELETE on a folder, answered by this status. */
  readonly noFolderPatchOrDelete?: 404 | 405;
  /** A rename or move of a file gives it a new `lastChangeId`. */
  readonly changeIdMovesOnRename?: boolean;
  /**
   * Pages hold at most so many items, and the first, and some others, are followed by an empty one.
   */
  readonly maxPageSize?: number;
  /** On save: CRLF to LF, no BOM, a final newline, NFC. */
  readonly normalise?: boolean;
  /** `parentId: null` is answered 400. */
  readonly noMoveToRoot?: boolean;
  /** Create by path answers 404 `folder_not_found` where a parent is missing. */
  readonly noCreateFolders?: boolean;
  /** It tells nobody of its changes: `/v1/events` is answered 404. */
  readonly noEvents?: boolean;
  /** More characters that names may not hold. */
  readonly refusedCharacters?: string;
  /**
   * Others write while lists are read: of so many lists of several pages one misses an item that
   * is there, or shows one twice.
   */
  readonly itemsMove?: number;
  /** A search finds what was written when so many more requests have come. */
  readonly searchDelay?: number;
  /** After so many requests of a key the next ones are refused with 401; then it is good again. */
  readonly keyExpires?: { readonly after: number; readonly refused: number };
  /** So many requests a key at once, refilled evenly; beyond, 429 with `Retry-After`. */
  readonly rateLimit?: { readonly requests: number; readonly seconds: number };
  /**
   * Asked for each request of a batch, whose answers are lost together.
   * @param n the number of the request, from 1
   * @returns what befalls it: lost before or after it was executed, answered by something else
   * unexecuted, or nothing
   */
  readonly fault?: (request: WireRequest, n: number) => Fault | null;
};

export type Fault = "drop-before" | "drop-after" | WireResponse;

/** What a variant remembers between requests. */
export type VariantState = {
  requests: number;
  /** By file, the rename that its change id tells of; goes back with a backup. */
  readonly renames: Map<string, number>;
  /** The newest of all renames; never goes back. */
  lastRename?: number;
  /** Takes a change out of review again, as `conflictsRefused` needs it. */
  readonly withdraw?: (changeId: string) => Promise<void>;
  /** Milliseconds, as `rateLimit` needs them. */
  readonly now?: () => number;
  /** Nobody else writes, the key is good, and nothing is limited. */
  calm?: boolean;
  /** How many lists missed an item, or showed one twice. */
  torn?: number;
};

/** One exchange with the service below, outside the variant. */
export type Ask = (method: string, path: string, body?: object) => Promise<WireResponse>;
