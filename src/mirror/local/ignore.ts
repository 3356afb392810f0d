/**
 * Decides which paths are not synced, by fixed rules for names and by the user's ignore files
 * (`.mdmirrorignore` and `.gitignore`, both in gitignore syntax).
 */
import {
  ancestorsOf,
  type DiskFolding,
  isConflictCopyName,
  type LocalPath,
  nameOf,
  parentOf,
} from "../../contract/path.ts";
import type { UnsyncedEntry } from "../model/tree.ts";
import { once } from "../../common/once.ts";
import ignore, { type Ignore as PatternSet } from "ignore";
import { GITIGNORE_FILE, IGNORE_FILE } from "../model/mirror-folder.ts";
import { findPatternFault } from "./pattern-fault.ts";
import { attemptCall, describeErrno } from "./results.ts";

const LEFTOVER_PATTERNS = [
  /^\.#/, // Emacs locks
  /^#.*#$/, // Emacs auto-saves
  /~$/, // backups
  /^~\$/, // office locks
  /^\.~/, // office locks, sync tools
  /^~syncthing~/,
  /^\.syncthing\./,
  /^\._/, // AppleDouble
  /\.sw[a-px]$/, // Vim swap files
  /\.kate-swp$/,
  /^4913$/, // Vim creates it to test if a folder is writable
  /^\.goutputstream-/,
  /^\.(?:nfs|fuse_hidden)[0-9A-Fa-f]{8,}$/, // files that were removed while open
  /^(?:\.DS_Store|\.directory|\.localized|Icon\r|[Tt]humbs\.db|[Dd]esktop\.ini)$/,
];
// One combined regular expression is faster than several, and a scan tests the name of every file
// and folder.
const LEFTOVER_NAME = new RegExp(LEFTOVER_PATTERNS.map(({ source }) => source).join("|"));

export function isLeftoverName(name: string): boolean {
  return LEFTOVER_NAME.test(name);
}

/**
 * Returns a function that is true for each path that the pattern matches, and for each path below
 * such a path.
 * @param pattern one line in gitignore syntax, which the caller has checked with `findPatternFault`
 */
export function createMatcher(pattern: string): (path: LocalPath) => boolean {
  const rules = ignore({ ignorecase: false }).add(pattern);
  return (path) => rules.ignores(path);
}

function isAlwaysIgnored(name: string, kind: "file" | "folder"): boolean {
  return kind === "folder" ? name.startsWith(".") : isLeftoverName(name) || isConflictCopyName(name);
}

/**
 * Returns true if a path is not synced. Does not read the disk, so the file need not exist. A path
 * below an excluded folder is excluded.
 * @param kept paths that are synced although a `.gitignore` file excludes them, because a document
 * at or below them has a record
 */
export function ignoresPath(
  rules: Rules,
  path: LocalPath,
  kind: "file" | "folder",
  kept: ReadonlySet<LocalPath> = new Set(),
): boolean {
  if (ancestorsOf(path).some((folder) => isAlwaysIgnored(nameOf(folder), "folder"))) return true;
  if (isAlwaysIgnored(nameOf(path), kind)) return true;
  const exclusion = findExclusion(rules, path, kind);
  return exclusion !== null && !(exclusion.by === "git" && kept.has(path));
}

/**
 * Rules that decide whether a path is synced.
 * - `recorded`: paths with a record, which no `.gitignore` file can exclude. Null if `.gitignore`
 *   files have no effect.
 * - `kept`: receives the paths that are synced only because of their record.
 */
export type SyncRules = {
  readonly rules: Rules;
  readonly recorded: RecordedPaths | null;
  readonly kept?: Set<LocalPath>;
};

type WhyUnsynced = Pick<UnsyncedEntry, "kind"> & Partial<Pick<UnsyncedEntry, "rule">>;

export function whyFileUnsynced({ rules, recorded, kept }: SyncRules, path: LocalPath): WhyUnsynced | null {
  const name = nameOf(path);
  if (isLeftoverName(name)) return { kind: "litter" };
  if (isConflictCopyName(name)) return { kind: "conflict-copy" };
  if (!name.endsWith(".md")) return { kind: "other-file" };
  const exclusion = findExclusion(rules, path, "file");
  if (exclusion === null) return null;
  const { by, rule } = exclusion;
  if (by === "ours") return { kind: "ignored", rule };
  if (recorded?.has(path) !== true) return { kind: "git-ignored", rule };
  kept?.add(path);
  return null;
}

export function whyFolderUnsynced({ rules, recorded, kept }: SyncRules, path: LocalPath): WhyUnsynced | null {
  if (nameOf(path).startsWith(".")) return { kind: "dot-folder" };
  const exclusion = findExclusion(rules, path, "folder");
  if (exclusion === null) return null;
  const { by, rule } = exclusion;
  if (by === "ours") return { kind: "ignored-folder", rule };
  if (recorded?.isBelow(path) !== true) return { kind: "git-ignored-folder", rule };
  kept?.add(path);
  return null;
}

/**
 * Returns the local paths of all documents with a record. A `.gitignore` file does not exclude
 * these paths, because a document that is already synced is no build output.
 */
export type RecordedPathSource = () => Iterable<LocalPath>;

/** Lookup in the paths of documents with a record. The first call reads the paths. */
type RecordedPaths = {
  has(path: LocalPath): boolean;
  isBelow(folder: LocalPath): boolean;
};

function indexRecordedPaths(source: RecordedPathSource): RecordedPaths {
  const readPaths = once(() => {
    const files = new Set(source());
    const folders = new Set<LocalPath>();
    for (const path of files) for (const folder of ancestorsOf(path)) folders.add(folder);
    return { files, folders };
  });
  return { has: (path) => readPaths().files.has(path), isBelow: (folder) => readPaths().folders.has(folder) };
}

type RuleFileContents = {
  readonly ours: string;
  readonly git: string;
  /**
   * Lines that exclude everything outside the synced folders. Only the root has these lines; other
   * folders inherit them.
   */
  readonly scope?: string;
};

/**
 * Rules for the entries of a folder: first the lines of the folders above, then those of the folder
 * itself. Each matcher has the lines of all these folders, because a line of an inner folder can
 * include a path that an outer line excludes.
 */
export type FolderRules = {
  readonly ours: PatternSet;
  readonly oursInBytes: PatternSet;
  /**
   * Matchers of a folder. `git`: rules of the `.gitignore` files. `both`: the rules of `git`, then
   * those of the `.mdmirrorignore` files. With this order, a line `!name` of a `.mdmirrorignore`
   * file includes a path again.
   */
  readonly git: PatternSet;
  readonly both: PatternSet;
  readonly hasGit: boolean;
  readonly foldsCase: boolean;
  /** Lines that exclude everything outside the synced folders, equal in all folders. */
  readonly scope: readonly RuleLine[];
  /** Contents of the ignore files, which show whether one of the files changed. */
  readonly texts: RuleFileContents;
  readonly above: FolderRules | null;
};

/** Rules by the path of the folder. Only folders with an ignore file have rules of their own. */
type Rules = ReadonlyMap<LocalPath, FolderRules>;

/**
 * The rule that excludes a path. `by`: the kind of ignore file, `.mdmirrorignore` (`ours`) or
 * `.gitignore` (`git`). `rule`: file name and line number for messages.
 */
type Exclusion = { readonly by: "ours" | "git"; readonly rule: string };

/**
 * Thrown if an ignore file cannot be read or has an invalid line, because the file might then
 * exclude any path. The message is a clause; the caller adds the beginning of the sentence.
 */
export class RulesError extends Error {}

export type RulesOptions = {
  /** Folders that are synced; an empty list for all. */
  readonly folders: readonly LocalPath[];
  /**
   * Paths that are synced even if a `.gitignore` file excludes them. Null: `.gitignore` files have
   * no effect.
   */
  readonly gitignore: RecordedPathSource | null;
  /** Additional last lines of the root's `.mdmirrorignore`. */
  readonly ignore: readonly string[];
};

/** Rules of the folders that were read so far. A folder is read after the folders above it. */
export type RulesSoFar = Pick<SyncRules, "recorded"> & {
  readonly rules: Map<LocalPath, FolderRules>;
  readonly extraLines: string;
  /** Lines that exclude everything outside the synced folders. */
  readonly scope: string;
  readonly foldsCase: boolean;
};

export function beginRules(
  { folders, gitignore, ignore: extraPatterns }: RulesOptions,
  { foldsCase, foldsUnicode }: DiskFolding,
): RulesSoFar {
  return {
    extraLines: extraPatterns.map((pattern) => `${pattern}\n`).join(""),
    rules: new Map(),
    recorded: gitignore === null ? null : indexRecordedPaths(gitignore),
    scope: excludeAllBut(folders, foldsUnicode),
    foldsCase,
  };
}

/**
 * Adds the rules of a folder.
 * @param read returns the content of the folder's ignore file with this name; an empty string
 * without such a file
 * @returns true if the folder already had the same rules
 */
export function readFolderRules(
  { rules, recorded, extraLines, scope, foldsCase }: RulesSoFar,
  folder: LocalPath,
  read: (file: string) => string,
): boolean {
  const texts = {
    // The last line of the file may have no line end, which a further line would need.
    ours: read(IGNORE_FILE).replace(/[^\n]$/, "$&\n") + (folder === "" ? extraLines : ""),
    git: recorded === null ? "" : read(GITIGNORE_FILE),
    scope: folder === "" ? scope : "",
  };
  const rulesBefore = rules.get(folder) ?? null;
  const rulesAbove = folder === "" ? null : findRules(rules, parentOf(folder));
  if (texts.ours === "" && texts.git === "" && texts.scope === "") return !rules.delete(folder);
  if (rulesBefore?.above === rulesAbove && rulesBefore.texts.ours === texts.ours && rulesBefore.texts.git === texts.git)
    return true;
  rules.set(folder, createFolderRules(rulesAbove, folder, texts, foldsCase));
  return false;
}

/**
 * Returns the content of an ignore file; an empty string if `read` returns null.
 * @param label words for the file in the message
 * @throws RulesError if the file cannot be read or is a symlink. The caller must then not scan the
 * folder of the file, because the rules may exclude any path
 */
export function readRuleFile(file: string, label: string, read: () => Uint8Array | null): string {
  const bytesOrErrno = attemptCall(read);
  if ("value" in bytesOrErrno) return Buffer.from(bytesOrErrno.value ?? []).toString("utf8");
  // Git ignores a folder with the name `.gitignore`.
  if (bytesOrErrno.errno === "EISDIR" && file === GITIGNORE_FILE) return "";
  throw new RulesError(`${label} cannot be read: ${describeErrno(bytesOrErrno.errno)}`);
}

/**
 * Returns the rules that apply in a folder with ignore files.
 * @param above rules of the folder above; null for the root, or if no folder above has rules
 * @param foldsCase true if the disk ignores case; then patterns ignore case too, as in git
 * @throws RulesError for a line that would take too long to match. Such a line must not be skipped,
 * because mdmirror would upload the files that the line excludes
 */
export function createFolderRules(
  above: FolderRules | null,
  folder: LocalPath,
  texts: RuleFileContents,
  foldsCase: boolean,
): FolderRules {
  const scope =
    above?.scope ??
    parseRuleLines("", "", texts.scope ?? "").map(({ pattern }) => ({ pattern, mark: 'the setting "remote"' }));
  // ORDER: in each folder, the lines from the setting `remote`, which lists the synced folders,
  // come last. Otherwise a line `!name` could include a path outside the synced folders.
  const ownLines = [...parseRuleLines(folder, IGNORE_FILE, texts.ours), ...scope];
  const gitLines = parseRuleLines(folder, GITIGNORE_FILE, texts.git);
  const startRules = (one: PatternSet | undefined): PatternSet => {
    const newRules = ignore({ ignorecase: foldsCase });
    return one === undefined ? newRules : newRules.add(one);
  };
  const toDiskForm = (lines: readonly RuleLine[]) => (foldsCase ? lines : lines.map(toBytePattern));
  const gitRules = startRules(above?.git).add(toDiskForm(gitLines));
  const ownInBytes = startRules(above?.oursInBytes).add(toDiskForm(ownLines));
  return {
    ours: startRules(above?.ours).add(ownLines),
    oursInBytes: ownInBytes,
    git: gitRules,
    both: startRules(gitRules).add(ownInBytes),
    hasGit: gitLines.length > 0 || above?.hasGit === true,
    foldsCase,
    scope,
    texts,
    above,
  };
}

/**
 * Returns a copy of the rules that takes little memory after a scan. The package `ignore` caches
 * its result for each path, so the originals have every path of the scan. The copy lacks `above`,
 * which only a scan needs.
 */
export function copyWithoutCache(rules: Rules): Rules {
  return new Map(
    [...rules].map(([folder, one]) => {
      const copy = (patterns: PatternSet) => ignore({ ignorecase: one.foldsCase }).add(patterns);
      return [folder, { ...one, ours: copy(one.ours), both: copy(one.both), above: null }];
    }),
  );
}

/**
 * Returns lines that exclude everything except some folders and their contents; an empty string
 * without folders. As gitignore syntax requires, the lines first exclude all names in a folder,
 * then include the synced names.
 * @param foldsUnicode true if the disk may list a name in another Unicode form; the lines then
 * include both forms
 */
export function excludeAllBut(folders: readonly LocalPath[], foldsUnicode: boolean): string {
  const spellings = foldsUnicode
    ? folders.flatMap((folder) => [folder.normalize("NFC"), folder.normalize("NFD")])
    : folders;
  const topFolders = spellings.filter((folder) => !ancestorsOf(folder).some((above) => spellings.includes(above)));
  const includedPaths = new Set(topFolders.flatMap((folder) => [...ancestorsOf(folder), folder]));
  const openedFolders = new Set([...includedPaths].map(parentOf));
  const lines = [...openedFolders].sort().flatMap((folder) => {
    const includedEntries = [...includedPaths].filter((path) => parentOf(path) === folder);
    return [`${anchorPattern(folder)}/*`, ...includedEntries.map((path) => `!${anchorPattern(path)}/`)];
  });
  return lines.map((line) => `${line}\n`).join("");
}

function anchorPattern(path: LocalPath): string {
  return path === "" ? "" : `/${path.replace(/[\\*?[]/g, "\\$&")}`;
}

export function findRules(rules: Rules, folder: LocalPath): FolderRules | null {
  for (let ancestor = folder; ; ancestor = parentOf(ancestor)) {
    const knownRules = rules.get(ancestor);
    if (knownRules !== undefined) return knownRules;
    if (ancestor === "") return null;
  }
}

/** Returns the line that excludes a path or a folder above it; null without such a line. */
export function findExclusion(rules: Rules, path: LocalPath, kind: "file" | "folder"): Exclusion | null {
  const folderRules = rules.size === 0 ? null : findRules(rules, parentOf(path));
  if (folderRules === null) return null;
  const name = kind === "folder" ? `${path}/` : path;
  const ownResult = folderRules.ours.test(name);
  if (ownResult.ignored) return { by: "ours", rule: ownResult.rule?.mark ?? IGNORE_FILE };
  const combinedResult = folderRules.hasGit
    ? folderRules.both.test(folderRules.foldsCase ? name : toByteString(name))
    : ownResult;
  return combinedResult.ignored ? { by: "git", rule: combinedResult.rule?.mark ?? GITIGNORE_FILE } : null;
}

/**
 * Converts a path or pattern so that each byte of the UTF-8 form becomes one character. In
 * `.gitignore` files, `?` and `[…]` match one byte, as in git. In `.mdmirrorignore` files, they
 * match one character.
 */
function toByteString(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : Buffer.from(text).toString("latin1");
}

function toBytePattern({ pattern, mark }: RuleLine): RuleLine {
  return { pattern: toByteString(pattern), mark };
}

/**
 * One line of an ignore file. `mark`: file name and line number for messages. The package `ignore`
 * returns the mark with a match.
 */
type RuleLine = { readonly pattern: string; readonly mark: string };

function parseRuleLines(folder: LocalPath, file: string, text: string): readonly RuleLine[] {
  if (text === "") return [];
  const name = folder === "" ? file : `${folder}/${file}`;
  return text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n|\r$/)
    .flatMap((line, index) => {
      const fault = line.startsWith("#") ? null : findPatternFault(line);
      if (fault !== null) throw new RulesError(`line ${index + 1} of ${name} ${fault}`);
      const pattern = rewriteForRoot(folder, line);
      return pattern === null ? [] : [{ pattern, mark: `line ${index + 1} of ${name}` }];
    });
}

/**
 * Rewrites a line of an ignore file as a line for the root. A pattern matches names at any depth if
 * it has no slash, or a slash only at the end.
 * @returns null for an empty line or a comment
 */
function rewriteForRoot(folder: LocalPath, line: string): string | null {
  const isNegative = line.startsWith("!");
  const body = isNegative ? line.slice(1) : line;
  // Spaces at the end of a line do not belong to the pattern. The backslash of an escaped last
  // space stays, so that a line of only this space does not count as empty.
  const bareBody = body.replace(/ +$/, "");
  if (line.startsWith("#") || bareBody === "" || bareBody === "/") return null;
  if (folder === "") return line;
  const isAnchored = bareBody.slice(0, -1).includes("/");
  const relativePattern = isAnchored ? body.replace(/^\//, "") : `**/${body}`;
  return `${isNegative ? "!" : ""}${anchorPattern(folder)}/${relativePattern}`;
}
