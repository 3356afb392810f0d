import type { Variant } from "./variant.ts";

/**
 * Deployments as a whole, by name: what a proof runs with `--profile NAME`. `deployed` is the
 * service as it is, in the weather that others make there; the others are what the client must work
 * with too.
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
  /** The embedded service of the first version. */
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
  /** What the contract shows, and nothing more. */
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
  /** Whatever a deployment may do to texts, pages and change ids. */
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

/** @throws for a name that is none, with those that are */
export function readProfile(name: string): ProfileName {
  if (Object.hasOwn(PROFILES, name)) return name as ProfileName;
  throw new Error(`there is no profile ${name}: ${Object.keys(PROFILES).join(", ")}`);
}
