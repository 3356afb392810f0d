import { SHELL_METACHARACTERS } from "../../../contract/names.ts";
import { META } from "../../engine/run/meta.ts";
import { readBacksLeft } from "../../model/text-form.ts";
import type { RemoteTraits } from "../../ports/remote.ts";
import { knownTraits } from "../../remote/traits.ts";
import { glanceAtState } from "../../state/glance.ts";
import { type Check, good, note } from "./check.ts";

/**
 * Returns what syncs have learned about the service, from the state file alone. A trait other than
 * the preferred one costs more requests or changes names, but everything works.
 */
export function checkTraits(folder: string): Check[] {
  const glanced = glanceAtState(folder);
  // Another check reports a state that cannot be read.
  if (glanced.kind !== "read") return [];
  const text = glanced.value.meta.get(META.traits) ?? null;
  return text === null
    ? [good("traits", "mdmirror learns the properties of the service in the first sync")]
    : traitChecks(knownTraits(JSON.parse(text) as Partial<RemoteTraits>));
}

/** Returns one check for each trait: good if it is preferred or not known yet, else a note. */
export function traitChecks(traits: RemoteTraits): Check[] {
  return [...CHOICES.map((choice) => checkOf(choice, traits)), namesCheck(traits), textsCheck(traits)];
}

type Choice = {
  readonly about: string;
  readonly learned: (traits: RemoteTraits) => string;
  readonly liked: string;
  /** Words for each possible value. */
  readonly words: Readonly<Record<string, string>>;
};

const CHOICES: readonly Choice[] = [
  {
    about: "folder-tree",
    learned: ({ folderTree }) => folderTree,
    liked: "yes",
    words: {
      yes: "one list shows the folders of the whole tree",
      no: "no list shows the folders of the whole tree: each scan sends one request for each folder in the root",
    },
  },
  {
    about: "path-spelling",
    learned: ({ leadingSlash }) => (leadingSlash ? "absolute" : "relative"),
    liked: "absolute",
    words: {
      absolute: "paths begin with a slash",
      relative: "paths begin without a slash",
    },
  },
  {
    about: "move-to-root",
    learned: ({ moveToRoot }) => moveToRoot,
    liked: "yes",
    words: {
      yes: "documents and folders can be moved to the root",
      no: "nothing can be moved to the root: such a document keeps its place on the service, and its edits are still synced",
    },
  },
  {
    about: "folder-changes",
    learned: ({ folderPatch }) => folderPatch,
    liked: "yes",
    words: {
      yes: "a folder is renamed or moved by one request",
      no: "folders cannot be renamed or moved: mdmirror moves each document in them by one request",
    },
  },
  {
    about: "folder-deletion",
    learned: ({ folderDelete }) => folderDelete,
    liked: "yes",
    words: {
      yes: "empty folders can be deleted",
      no: "folders cannot be deleted: a folder that is deleted locally stays on the service, empty",
    },
  },
  {
    about: "conflicting-edits",
    learned: ({ conflicts }) => conflicts,
    liked: "reviewed",
    words: {
      reviewed: "an edit that cannot be combined with another waits in review",
      refused:
        "an edit that cannot be combined with another is refused: mdmirror merges it locally and uploads it again",
    },
  },
  {
    about: "name-case",
    learned: ({ foldsCase }) => (foldsCase ? "folded" : "kept"),
    liked: "kept",
    words: {
      kept: "Note.md and note.md are two documents",
      folded: "Note.md and note.md are one document on the service: of two such files one is blocked",
    },
  },
  {
    about: "name-unicode",
    learned: ({ foldsUnicode }) => (foldsUnicode ? "folded" : "kept"),
    liked: "kept",
    words: {
      kept: "both spellings of é are two names",
      folded: "both spellings of é are one name on the service: of two such files one is blocked",
    },
  },
];

function checkOf({ about, learned: read, liked, words }: Choice, traits: RemoteTraits): Check {
  const learned = read(traits);
  const detail = words[learned] ?? "not known yet; nothing to do";
  return differing(about, { learned, liked }, learned === liked || learned === "unknown", detail);
}

function differing(about: string, trait: NonNullable<Check["trait"]>, isLiked: boolean, detail: string): Check {
  if (isLiked) return { ...good(about, detail), trait };
  return { ...note(about, `${detail} (recommended: ${trait.liked})`), trait };
}

function namesCheck({ refusedCharacters: refused }: RemoteTraits): Check {
  const more = [...refused].filter((character) => !SHELL_METACHARACTERS.includes(character)).join("");
  const trait = { learned: refused, liked: SHELL_METACHARACTERS };
  const detail = `names may contain everything except white space and ${refused}`;
  const mapped = `; a local name with one of ${more} gets a hyphen in its place on the service`;
  return differing("legal-characters", trait, more === "", more === "" ? detail : detail + mapped);
}

function textsCheck({ keptForms }: RemoteTraits): Check {
  const changed = Object.entries(keptForms).flatMap(([form, count]) => (count === 0 ? [form] : []));
  const known = readBacksLeft(keptForms) === 0;
  const trait = { learned: changed.length > 0 ? "changed" : known ? "kept" : "unknown", liked: "kept" };
  if (changed.length > 0)
    return differing(
      "texts",
      trait,
      false,
      `the service changes content when it saves it (${changed.join(", ")}): mdmirror reads each new document back, by one more request`,
    );
  const detail = known
    ? "the service keeps content as it is sent: a new document is one request"
    : "not known yet: mdmirror reads the first new documents back";
  return differing("texts", trait, true, detail);
}
