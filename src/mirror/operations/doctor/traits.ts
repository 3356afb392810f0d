import { SHELL_METACHARACTERS } from "../../../contract/names.ts";
import { META } from "../../engine/run/meta.ts";
import { readBacksLeft } from "../../model/text-form.ts";
import type { RemoteTraits } from "../../ports/remote.ts";
import { completeTraits } from "../../remote/traits.ts";
import { readStateSummary } from "../../state/read-beside.ts";
import { type DoctorCheck, makeGood, makeNote } from "./check.ts";

/**
 * Returns one check for each trait of the service that syncs have learned. Reads only the state
 * file. If a trait is not as preferred, syncs send more requests or change names, but still work.
 */
export function checkTraits(folder: string): DoctorCheck[] {
  const stateSummary = readStateSummary(folder);
  // Another check of `doctor` reports a state file that cannot be read, so this check reports
  // nothing.
  if (stateSummary.kind !== "read") return [];
  const traitsText = stateSummary.value.meta.get(META.traits) ?? null;
  return traitsText === null
    ? [makeGood("traits", "mdmirror learns the properties of the service in the first sync")]
    : checkEachTrait(completeTraits(JSON.parse(traitsText) as Partial<RemoteTraits>));
}

export function checkEachTrait(traits: RemoteTraits): DoctorCheck[] {
  return TRAITS.map(({ about, learnedIn, preferred = "yes", effect }) => {
    const learnedValue = learnedIn(traits);
    const trait = { learned: learnedValue, liked: preferred };
    if (learnedValue === "unknown") return { ...makeGood(about, "not known yet; nothing to do"), trait };
    if (learnedValue === preferred) return { ...makeGood(about, learnedValue), trait };
    return { ...makeNote(about, `${effect} (recommended: ${preferred})`), trait };
  });
}

type Trait = {
  readonly about: string;
  readonly learnedIn: (traits: RemoteTraits) => string;
  /** Preferred value; undefined for `yes`. */
  readonly preferred?: string;
  readonly effect: string;
};

const NO_FOLDER_PATCH = "folders cannot be renamed or moved: mdmirror moves each document in them by one request";
const NO_FOLDER_DELETE = "folders cannot be deleted: a folder that is deleted locally stays on the service, empty";
const NO_MOVE_TO_ROOT =
  "nothing can be moved to the root: such a document keeps its place on the service, and its edits are still synced";
const EDIT_REFUSED =
  "an edit that cannot be combined with another is refused: mdmirror merges it locally and uploads it again";
const FOLDED_NAMES = "two names that differ in this way are one name on the service: of two such files one is blocked";
const CONTENT_CHANGED =
  "the service changes content when it saves it: mdmirror reads each new document back, by one more request";
const FEWER_CHARACTERS =
  "names may contain everything except white space and these: a local name with one of them gets a hyphen on the service";

const TRAITS: readonly Trait[] = [
  { about: "folder-tree", learnedIn: (one) => one.folderTree, effect: "each scan lists each folder of the root" },
  {
    about: "path-spelling",
    learnedIn: ({ leadingSlash }) => (leadingSlash ? "absolute" : "relative"),
    preferred: "absolute",
    effect: "paths begin without a slash",
  },
  { about: "move-to-root", learnedIn: ({ moveToRoot }) => moveToRoot, effect: NO_MOVE_TO_ROOT },
  { about: "folder-changes", learnedIn: ({ folderPatch }) => folderPatch, effect: NO_FOLDER_PATCH },
  { about: "folder-deletion", learnedIn: ({ folderDelete }) => folderDelete, effect: NO_FOLDER_DELETE },
  { about: "conflicting-edits", learnedIn: (one) => one.conflicts, preferred: "reviewed", effect: EDIT_REFUSED },
  { about: "name-case", learnedIn: (one) => describeCase(one.foldsCase), preferred: "kept", effect: FOLDED_NAMES },
  {
    about: "name-unicode",
    learnedIn: (one) => describeCase(one.foldsUnicode),
    preferred: "kept",
    effect: FOLDED_NAMES,
  },
  {
    about: "legal-characters",
    learnedIn: ({ refusedCharacters: refused }) =>
      [...refused].every((one) => SHELL_METACHARACTERS.includes(one)) ? SHELL_METACHARACTERS : refused,
    preferred: SHELL_METACHARACTERS,
    effect: FEWER_CHARACTERS,
  },
  { about: "texts", learnedIn: describeForms, preferred: "kept", effect: CONTENT_CHANGED },
];

function describeCase(isFolded: boolean): string {
  return isFolded ? "folded" : "kept";
}

function describeForms({ keptForms }: RemoteTraits): string {
  if (Object.values(keptForms).includes(0)) return "changed";
  return readBacksLeft(keptForms) === 0 ? "kept" : "unknown";
}
