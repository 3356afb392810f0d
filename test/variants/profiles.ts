import type { Variant } from "./variant.ts";

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
