/** Decides which names are legal, by the rules of `src/contract/README.md`, "Paths and names". */

import { countCharacters, MAX_NAME_CHARACTERS } from "./limits.ts";

/** Reason why a name is refused. SQLite, logs and messages contain these codes. */
export type NameFault =
  | "empty"
  | "too-long"
  | "whitespace"
  | "shell-metacharacter"
  | "slash"
  | "control-character"
  | "dot-or-dot-dot"
  | "leading-dot-folder"
  | "not-lowercase-md"
  | "folder-ends-in-md"
  | "lone-surrogate";

export type NameKind = "file" | "folder";

/**
 * Characters that are illegal in names, because shells interpret them. The fault `slash` covers the
 * backslash. Other services may refuse more or fewer characters (`DOUBTFUL_CHARACTERS`).
 */
export const SHELL_METACHARACTERS = "|&;<>$`*?[]{}:";

/**
 * Characters that some services may refuse and others may accept: the colon, which this module
 * refuses, and legal characters that some shells interpret. By answers to writes and by names of
 * existing documents, a client learns which characters a service refuses.
 */
export const DOUBTFUL_CHARACTERS = "()\"'!#~=%^@+,:";

/**
 * Name of a configuration file with rules for the contents of its folder. The service stores the
 * file like a document, but no search finds it.
 */
export const STRUCTURE_FILE = ".qontext.structure.md";

/**
 * Characters that the first version of the embedded service refused. By this set, mdmirror
 * recognises names that it converted for that version.
 */
export const FIRST_SHELL_METACHARACTERS = "|&;<>()$`\"'*?[]{}!#~";

const WHITESPACE = /[\s\u0085\u180e\u200b\u2060\ufeff]/u;
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Returns all faults of one name (one segment of a path), in a fixed order; an empty list for a
 * legal name.
 * @param refused characters that are refused as shell metacharacters; a client passes those of its
 * service
 */
export function findNameFaults(name: string, kind: NameKind, refused: string = SHELL_METACHARACTERS): NameFault[] {
  if (name === "") return ["empty"];
  return RULES_BY_KIND[kind].filter(([, isFound]) => isFound(name, refused)).map(([fault]) => fault);
}

const ALL_CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/g;

type NameRules = readonly (readonly [fault: NameFault, isFound: (name: string, refused: string) => boolean])[];

const RULES_OF_BOTH_KINDS: NameRules = [
  ["dot-or-dot-dot", isOnlyDots],
  ["lone-surrogate", (name) => LONE_SURROGATE.test(name)],
  ["too-long", (name) => countCharacters(name) > MAX_NAME_CHARACTERS],
  ["slash", (name) => /[/\\]/.test(name)],
  ["control-character", (name) => CONTROL_CHARACTER.test(name)],
  ["whitespace", (name) => WHITESPACE.test(name.replace(ALL_CONTROL_CHARACTERS, ""))],
  ["shell-metacharacter", (name, refused) => [...name].some((character) => refused.includes(character))],
];

const RULES_BY_KIND: Readonly<Record<NameKind, NameRules>> = {
  file: [...RULES_OF_BOTH_KINDS, ["not-lowercase-md", (name) => !name.endsWith(".md")]],
  folder: [
    ...RULES_OF_BOTH_KINDS,
    ["leading-dot-folder", (name) => name.startsWith(".") && !isOnlyDots(name)],
    ["folder-ends-in-md", (name) => name.endsWith(".md")],
  ],
};

function isOnlyDots(name: string): boolean {
  return name === "." || name === "..";
}

/** Predicate for each fault, such as "is empty". In a message, the name is its subject. */
export const NAME_FAULT_TEXT: Readonly<Record<NameFault, string>> = {
  empty: "is empty",
  "too-long": `is longer than ${MAX_NAME_CHARACTERS} characters`,
  whitespace: "contains white space",
  "shell-metacharacter": `contains one of ${SHELL_METACHARACTERS}`,
  slash: "contains a slash or backslash",
  "control-character": "contains a control character",
  "dot-or-dot-dot": "is . or ..",
  "leading-dot-folder": "is a folder's and starts with a dot",
  "not-lowercase-md": "is a file's and does not end in .md",
  "folder-ends-in-md": "is a folder's and ends in .md",
  "lone-surrogate": "is not well-formed Unicode",
};

type PathFault = { readonly name: string; readonly fault: NameFault };

/**
 * Splits a path of the API into its names.
 * ASSUMES: a path begins at the root, with or without a leading slash (contract test "takes a path
 * without its leading slash").
 */
export function splitPath(path: string): string[] {
  return (path.startsWith("/") ? path.slice(1) : path).split("/");
}

/**
 * Returns the first illegal name of a path of the API, with the first fault of this name; null if
 * the path is legal.
 * @param kind kind of the last name; all other names are names of folders
 */
export function findFirstFault(path: string, kind: NameKind, refused: string = SHELL_METACHARACTERS): PathFault | null {
  const segments = splitPath(path);
  for (const [index, name] of segments.entries()) {
    const fault = findNameFaults(name, index === segments.length - 1 ? kind : "folder", refused)[0];
    if (fault !== undefined) return { name, fault };
  }
  return null;
}

/**
 * Converts a local name to a legal name on the service, for the setting `names: map`. A sequence of
 * white space and refused characters becomes one hyphen. A name without letters and digits becomes
 * `u` and its code points (`[.md` → `u5b.md`).
 * @returns null if no safe name exists: the file is not a `.md` file, the name of the folder begins
 * with a dot, or the name is too long or not Unicode
 */
export function mapName(name: string, kind: NameKind, refused: string = SHELL_METACHARACTERS): string | null {
  const faults = findNameFaults(name, kind, refused);
  if (faults.length === 0) return name;
  if (faults.some((fault) => !MAPPABLE_FAULTS.has(fault))) return null;
  const stem = kind === "file" ? name.slice(0, -".md".length) : name;
  const isIllegal = (character: string) =>
    character === "\\" ||
    WHITESPACE.test(character) ||
    CONTROL_CHARACTER.test(character) ||
    refused.includes(character);
  let mappedStem = "";
  for (const character of stem) mappedStem += isIllegal(character) ? (mappedStem.endsWith("-") ? "" : "-") : character;
  mappedStem = mappedStem.replace(/^-+|-+$/g, "");
  if (!/[\p{L}\p{N}]/u.test(mappedStem))
    mappedStem = `u${[...stem].map((character) => character.codePointAt(0)!.toString(16)).join("-")}`;
  const mappedName = kind === "file" ? `${mappedStem}.md` : mappedStem;
  return findNameFaults(mappedName, kind, refused).length === 0 ? mappedName : null;
}

const MAPPABLE_FAULTS: ReadonlySet<NameFault> = new Set([
  "whitespace",
  "shell-metacharacter",
  "slash",
  "control-character",
]);
