import type { WireRequest, WireResponse } from "../../src/contract/wire.ts";

/**
 * A variant of the service: another deployment may have made another choice where the contract says
 * nothing. Each switch lets the embedded service answer like such a deployment, so that tests of
 * the client can use it. (A service that never merges is no switch: use `combine: () => null`.)
 */
export type Variant = {
  /** Paths in answers have no leading slash. */
  readonly noLeadingSlashes?: boolean;
  /** PUT answers 200 with a file and its `content`, and 202 with the members of a file. */
  readonly flatEdits?: boolean;
  /** Answers have only documented members: PUT answers 200 with `content`, and 202 with `{}`. */
  readonly documentedMembersOnly?: boolean;
  /** An edit that does not merge is refused with 409 `edit_conflict`, and nothing is saved. */
  readonly conflictsRefused?: boolean;
  /** Ids are longer than the service's own. */
  readonly looseIds?: boolean;
  /** `path_prefix=/` is refused with 400. */
  readonly noTree?: boolean;
  /**
   * Search is at `/v1/search`, with `pattern` for a regex. Answers have `snippets` and `matches`,
   * and no content.
   */
  readonly firstSearch?: boolean;
  /** Every object in an answer has an undocumented member. */
  readonly unknownMembers?: boolean;
  /** PATCH and DELETE of a folder are refused with this status. */
  readonly noFolderPatchOrDelete?: 404 | 405;
  /** A renamed or moved file gets a new `lastChangeId`. */
  readonly changeIdMovesOnRename?: boolean;
  /** Maximum items of a page. The first page and some others are followed by an empty one. */
  readonly maxPageSize?: number;
  /** Saved content gets LF instead of CRLF, no BOM, a final newline, and NFC. */
  readonly normalise?: boolean;
  /** `parentId: null` is refused with 400. */
  readonly noMoveToRoot?: boolean;
  /** Creation by path is refused with 404 `folder_not_found` if a parent folder is missing. */
  readonly noCreateFolders?: boolean;
  /** The service sends no events: `/v1/events` answers 404. */
  readonly noEvents?: boolean;
  /** More characters that are not allowed in names. */
  readonly refusedCharacters?: string;
  /**
   * Other clients write while lists are read: one in this many lists of several pages misses an
   * item, or contains one twice.
   */
  readonly itemsMove?: number;
  /** Number of further requests until a search finds what was written. */
  readonly searchDelay?: number;
  /**
   * After `after` requests with a key, the next `refused` ones are refused with 401. Then the key
   * works again.
   */
  readonly keyExpires?: { readonly after: number; readonly refused: number };
  /**
   * Requests that a key may send without a pause, refilled evenly. More are refused with 429 and
   * `Retry-After`.
   */
  readonly rateLimit?: { readonly requests: number; readonly seconds: number };
  /**
   * Returns the fault of a request: it is lost before or after it was executed, or gets another
   * answer without being executed; null for none. Called for each request of a batch, whose answers
   * are lost together.
   * @param n number of the request, from 1
   */
  readonly fault?: (request: WireRequest, n: number) => Fault | null;
};

export type Fault = "drop-before" | "drop-after" | WireResponse;

/** State of a variant between requests. */
export type VariantState = {
  requests: number;
  /** Number of the last rename of each file that was renamed; restored with a backup. */
  readonly renames: Map<string, number>;
  /** Highest number of all renames; never restored. */
  lastRename?: number;
  /** Withdraws a change from review, for `conflictsRefused`. */
  readonly withdraw?: (changeId: string) => Promise<void>;
  /** Returns the time in ms, for `rateLimit`. */
  readonly now?: () => number;
  /** True if no other client writes, the key works and nothing is limited. */
  calm?: boolean;
  /** Number of lists that missed an item or contained one twice. */
  torn?: number;
};

/** Sends a request to the service itself, without the variant. */
export type Ask = (method: string, path: string, body?: object) => Promise<WireResponse>;

/**
 * Whole deployments by name, for tests with `--profile NAME`. `deployed` is the service as it is,
 * used by other clients at the same time. The client must work with all others too.
 */
export const PROFILES = {
  deployed: {
    maxPageSize: 3,
    itemsMove: 3,
    searchDelay: 10,
    noEvents: true,
    keyExpires: { after: 60, refused: 3 },
    rateLimit: { requests: 40, seconds: 2 },
  },
  /** The first version of the embedded service. */
  first: {
    noLeadingSlashes: true,
    flatEdits: true,
    conflictsRefused: true,
    looseIds: true,
    noTree: true,
    firstSearch: true,
    noEvents: true,
    refusedCharacters: "()\"'!#~",
  },
  /** A service that has only what the contract documents. */
  minimal: {
    documentedMembersOnly: true,
    noTree: true,
    noMoveToRoot: true,
    noCreateFolders: true,
    noFolderPatchOrDelete: 405,
    noEvents: true,
    conflictsRefused: true,
    refusedCharacters: "()\"'!#~=%^@+,",
  },
  /** A service that uses every freedom for contents, pages and change ids. */
  contrary: {
    noLeadingSlashes: true,
    unknownMembers: true,
    changeIdMovesOnRename: true,
    maxPageSize: 3,
    normalise: true,
    noTree: true,
  },
} as const satisfies Readonly<Record<string, Variant>>;

export type ProfileName = keyof typeof PROFILES;

/**
 * Returns the name as a profile's name.
 * @throws for an unknown name, with the known ones
 */
export function readProfile(name: string): ProfileName {
  if (Object.hasOwn(PROFILES, name)) return name as ProfileName;
  throw new Error(`there is no profile ${name}: ${Object.keys(PROFILES).join(", ")}`);
}
