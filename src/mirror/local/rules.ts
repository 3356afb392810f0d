/** Rules of `.mdmirrorignore` and `.gitignore` files, all in gitignore syntax. */

import ignore, { type Ignore } from "ignore";
import { ancestorsOf, type LocalPath, parentOf } from "../../contract/path.ts";
import { GITIGNORE_FILE, IGNORE_FILE } from "../model/rule-files.ts";
import { patternFault } from "./pattern-fault.ts";

/** Content of the rule files of one folder; empty if there is none. */
type RuleTexts = {
  readonly ours: string;
  readonly git: string;
  /** Patterns of the setting `remote`; only the rules of the root have them. */
  readonly scope?: string;
};

/**
 * Rules that apply in a folder: its own lines after those of the folders above. All lines are one
 * matcher, because an inner line can include a folder that an outer line excludes. The entries of
 * an included folder are then checked one by one.
 */
export type FolderRules = {
  /** Rules of `.mdmirrorignore` alone. */
  readonly ours: Ignore;
  readonly oursInBytes: Ignore;
  /**
   * `git`: rules of `.gitignore` alone. `both`: these rules and then `ours`, so that a line `!name`
   * in `ours` includes a path again.
   */
  readonly git: Ignore;
  readonly both: Ignore;
  /** True if any `.gitignore` applies to the folder. */
  readonly hasGit: boolean;
  readonly foldsCase: boolean;
  /** Lines of the setting `remote`, for the folders below too. */
  readonly scope: readonly RuleLine[];
  /** The contents of rule files from which the rules were made. */
  readonly texts: RuleTexts;
  readonly above: FolderRules | null;
};

/** Rules, by the folder of a rule file. */
export type Rules = ReadonlyMap<LocalPath, FolderRules>;

/** File and line of the rule that excludes a path, as words that fit into a sentence. */
export type Exclusion = { readonly by: "ours" | "git"; readonly rule: string };

/**
 * Rules that cannot be used, so that they might exclude anything. The message is a clause for
 * people.
 */
export class RulesError extends Error {}

/**
 * Returns the rules of a folder with rule files.
 * @param above rules of the folder above, which apply in this folder too; null if none
 * @param foldsCase true if the disk ignores case; patterns then ignore it too, as in git
 * @throws RulesError for a line that would cost too much; without that line, files that it excludes
 * would be uploaded
 */
export function rulesOf(
  above: FolderRules | null,
  folder: LocalPath,
  texts: RuleTexts,
  foldsCase: boolean,
): FolderRules {
  const scope =
    above?.scope ??
    linesOf("", "", texts.scope ?? "").map(({ pattern }) => ({ pattern, mark: 'the setting "remote"' }));
  // ORDER: the lines of the scope come last in each folder, so that no `!name` in its file includes
  // a path outside the scope.
  const ownLines = [...linesOf(folder, IGNORE_FILE, texts.ours), ...scope];
  const gitLines = linesOf(folder, GITIGNORE_FILE, texts.git);
  const start = (one: Ignore | undefined): Ignore => {
    const fresh = ignore({ ignorecase: foldsCase });
    return one === undefined ? fresh : fresh.add(one);
  };
  const form = foldsCase ? unchangedLine : inBytes;
  const gitRules = start(above?.git).add(gitLines.map(form));
  const [ownRules, ownInBytes] = [start(above?.ours).add(ownLines), start(above?.oursInBytes).add(ownLines.map(form))];
  const hasGit = gitLines.length > 0 || above?.hasGit === true;
  const both = start(gitRules).add(ownInBytes);
  return { ours: ownRules, oursInBytes: ownInBytes, git: gitRules, both, hasGit, foldsCase, scope, texts, above };
}

/**
 * Returns a copy of the rules for storing. The package `ignore` remembers its answer for each path,
 * so after a scan the rules contain all paths of the folder.
 */
export function withoutAnswers(rules: Rules): Rules {
  return new Map(
    [...rules].map(([folder, one]) => {
      const [ours, both] = [one.ours, one.both].map((patterns) => ignore({ ignorecase: one.foldsCase }).add(patterns));
      return [folder, { ...one, ours: ours!, both: both! }];
    }),
  );
}

/**
 * Returns lines that exclude everything but some folders and their contents; "" if there are no
 * folders. As gitignore requires, the lines exclude all names of a folder, then include one again.
 * @param foldsUnicode true if the disk may show another spelling of a name than the list has
 */
export function patternsOutside(folders: readonly LocalPath[], foldsUnicode: boolean): string {
  const spellings = foldsUnicode
    ? folders.flatMap((folder) => [folder.normalize("NFC"), folder.normalize("NFD")])
    : folders;
  const outermost = spellings.filter((folder) => !ancestorsOf(folder).some((above) => spellings.includes(above)));
  const included = new Set(outermost.flatMap((folder) => [...ancestorsOf(folder), folder]));
  const opened = new Set([...included].map(parentOf));
  const lines = [...opened].sort().flatMap((folder) => {
    const inside = [...included].filter((path) => parentOf(path) === folder);
    return [`${anchored(folder)}/*`, ...inside.map((path) => `!${anchored(path)}/`)];
  });
  return lines.map((line) => `${line}\n`).join("");
}

function anchored(path: LocalPath): string {
  return path === "" ? "" : `/${path.replace(/[\\*?[]/g, "\\$&")}`;
}

/** Returns the rules that apply in a folder; null if none do. */
export function rulesAt(rules: Rules, folder: LocalPath): FolderRules | null {
  for (let above = folder; ; above = parentOf(above)) {
    const found = rules.get(above);
    if (found !== undefined) return found;
    if (above === "") return null;
  }
}

/** Returns the line that excludes a path, or a folder above it; null if none does. */
export function exclusionOf(rules: Rules, path: LocalPath, kind: "file" | "folder"): Exclusion | null {
  const folderRules = rules.size === 0 ? null : rulesAt(rules, parentOf(path));
  if (folderRules === null) return null;
  const name = kind === "folder" ? `${path}/` : path;
  const ours = folderRules.ours.test(name);
  if (ours.ignored) return { by: "ours", rule: ours.rule?.mark ?? IGNORE_FILE };
  const both = folderRules.hasGit ? folderRules.both.test(folderRules.foldsCase ? name : bytesOf(name)) : ours;
  return both.ignored ? { by: "git", rule: both.rule?.mark ?? GITIGNORE_FILE } : null;
}

/**
 * Returns a text with one character per byte. In a `.gitignore` file, `?` and `[…]` match a byte,
 * as for git, unless the disk folds case. In `.mdmirrorignore` they match a character.
 */
function bytesOf(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text).toString("latin1");
}

function inBytes({ pattern, mark }: RuleLine): RuleLine {
  return { pattern: bytesOf(pattern), mark };
}

function unchangedLine(line: RuleLine): RuleLine {
  return line;
}

/** A line of rules. `mark`: its place for messages, which the package `ignore` returns. */
type RuleLine = { readonly pattern: string; readonly mark: string };

/** Returns the meaningful lines of a file, as patterns from the root. */
function linesOf(folder: LocalPath, file: string, text: string): readonly RuleLine[] {
  if (text === "") return [];
  const name = folder === "" ? file : `${folder}/${file}`;
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n|\r$/)
    .flatMap((line, index) => {
      const fault = line.startsWith("#") ? null : patternFault(line);
      if (fault !== null) throw new RulesError(`line ${index + 1} of ${name} ${fault}`);
      const pattern = fromRoot(folder, line);
      return pattern === null ? [] : [{ pattern, mark: `line ${index + 1} of ${name}` }];
    });
}

/**
 * Rewrites a line of a folder's rule file as a line of the root's. A pattern without a slash,
 * except at its end, matches names at any depth.
 * @returns null for an empty line or a comment
 */
function fromRoot(folder: LocalPath, line: string): string | null {
  const isNegative = line.startsWith("!");
  const body = isNegative ? line.slice(1) : line;
  // Spaces at the end do not count. After an escaped space, only the backslash is left.
  const bare = body.replace(/ +$/, "");
  if (line.startsWith("#") || bare === "" || bare === "/") return null;
  if (folder === "") return line;
  const isAnchored = bare.slice(0, -1).includes("/");
  const within = isAnchored ? body.replace(/^\//, "") : `**/${body}`;
  return `${isNegative ? "!" : ""}${anchored(folder)}/${within}`;
}
