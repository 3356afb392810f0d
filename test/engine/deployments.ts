import { MANY_RUNS } from "../property.ts";
import type { Deployment } from "../simulator/rig.ts";
import { PROFILES } from "../variants/profiles.ts";

/** All profiles, and single traits whose effect another trait of the profiles would hide. */
const ALL: readonly (readonly [string, Deployment])[] = [
  ...Object.entries(PROFILES).map(([name, profile]) => [`the profile ${name}`, profile] as const),
  ["no such route for folders", { noFolderPatchOrDelete: 404 }],
  [
    "change ids that move on rename, unknown members, no move to the root",
    { changeIdMovesOnRename: true, unknownMembers: true, noMoveToRoot: true },
  ],
  [
    "pages of two, and empty ones, no leading slashes, bare answers",
    { maxPageSize: 2, noLeadingSlashes: true, documentedMembersOnly: true },
  ],
  [
    "names folded, and more characters refused in them",
    { foldsCase: true, foldsUnicode: true, refusedCharacters: "=+" },
  ],
];

/**
 * The default deployment and the one that answers with the least; in a long run all deployments.
 */
const USUAL = ["the profile deployed", "the profile minimal"];

export const DEPLOYMENTS = MANY_RUNS ? ALL : ALL.filter(([name]) => USUAL.includes(name));
