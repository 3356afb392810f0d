/** Ignore rules of a folder: the lines of `.mdmirrorignore`, and proposals for new lines. */

import { chmodSync, lstatSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Digest, digestOf } from "../../contract/digest.ts";
import { createNodeFs } from "../local/node-fs.ts";
import { IGNORE_FILE } from "../model/mirror-folder.ts";
import { ok, readErrorCode, type Result, toSystemTrouble } from "../../common/trouble.ts";
import { LocalDisk } from "../local/disk.ts";
import { ancestorsOf, joinPath, type LocalPath, nameOf, parentOf } from "../../contract/path.ts";
import type { LocalFile, LocalTree } from "../model/tree.ts";
import type { Random } from "../../common/random.ts";
import type { OpenedMirror } from "../folder/open-mirror.ts";
import type { SyncPlan } from "../folder/run.ts";

/**
 * Adds lines at the end of the folder's `.mdmirrorignore`.
 * @param root real path of the folder
 */
export function addIgnoreLines(root: string, patterns: readonly string[]): Result<readonly string[]> {
  const path = join(root, IGNORE_FILE);
  try {
    const bytes = readBytes(path);
    const existingText = bytes.toString("utf8");
    const existingLines = new Set(existingText.split(/\r?\n/));
    const addedPatterns = [...new Set(patterns)].filter((pattern) => !existingLines.has(pattern));
    if (addedPatterns.length === 0) return ok([]);
    const start = existingText === "" || existingText.endsWith("\n") ? "" : "\n";
    replaceFile(path, Buffer.concat([bytes, Buffer.from(`${start}${addedPatterns.join("\n")}\n`)]));
    return ok(addedPatterns);
  } catch (error) {
    return reportUnwritten(path, error);
  }
}

/**
 * Removes one line of the folder's `.mdmirrorignore`.
 * @param root real path of the folder
 * @param line number of the line, from 1
 * @param seen digest of the content that the user saw
 * @returns false if the file has changed since then, or has no such line
 */
export function removeIgnoreLine(root: string, line: number, seen: Digest): Result<boolean> {
  const path = join(root, IGNORE_FILE);
  try {
    const existingBytes = readBytes(path);
    // In Latin-1, each byte is one character, so bytes that are not UTF-8 stay the same.
    const lines = existingBytes.toString("latin1").split("\n");
    if (digestOf(existingBytes.toString("utf8")) !== seen || line < 1 || line > lines.length) return ok(false);
    replaceFile(path, Buffer.from(lines.toSpliced(line - 1, 1).join("\n"), "latin1"));
    return ok(true);
  } catch (error) {
    return reportUnwritten(path, error);
  }
}

/** @throws the error itself if the error has no code, because it is then no error of the disk */
function reportUnwritten(path: string, error: unknown): Result<never> {
  return toSystemTrouble(error, `${path} cannot be written`, "make the file writable, or change the rules yourself");
}

/**
 * Returns the content of `.mdmirrorignore` in the root of the linked folder; "" if the file does
 * not exist.
 * @param root real path of a linked folder
 */
export function readIgnoreLines(root: string): Result<string> {
  const path = join(root, IGNORE_FILE);
  try {
    return ok(readBytes(path).toString("utf8"));
  } catch (error) {
    return toSystemTrouble(error, `${path} cannot be read`, "make it a file that you can read");
  }
}

function readBytes(path: string): Buffer {
  try {
    return Buffer.from(createNodeFs().readFile(path).bytes);
  } catch (error) {
    if (readErrorCode(error) !== "ENOENT") throw error;
    return Buffer.alloc(0);
  }
}

/**
 * Replaces a file by a rename, so that after a crash the file has either the old rules or the new
 * rules. Keeps the mode of the file. Does not follow a symbolic link, because another person may
 * have created the folder.
 */
function replaceFile(path: string, content: Buffer): void {
  const newPath = `${path}.new`;
  const existingStat = lstatSync(path, { throwIfNoEntry: false });
  rmSync(newPath, { force: true });
  writeFileSync(newPath, content, { flag: "wx", flush: true });
  if (existingStat !== undefined) chmodSync(newPath, existingStat.mode & 0o777);
  renameSync(newPath, path);
}

export type DocumentShare = { readonly documents: number; readonly bytes: number };

export type RulesProposal = {
  /** Totals of the documents that `.gitignore` files would exclude; null if there are none. */
  readonly gitignore: DocumentShare | null;
  /**
   * Patterns for folders of packages and builds. Each pattern has totals of the documents that it
   * would exclude.
   */
  readonly patterns: readonly (DocumentShare & { readonly pattern: string })[];
};

/**
 * Names of folders that package managers and builds create.
 * - `beside`: the folder counts only if one of these files is in the same parent folder
 * - `inside`: the folder counts only if it contains this file
 */
const GENERATED_FOLDERS: Readonly<
  Record<string, { readonly beside?: readonly string[]; readonly inside?: string } | undefined>
> = {
  node_modules: {},
  bower_components: {},
  jspm_packages: {},
  "site-packages": {},
  vendor: { beside: ["go.mod", "composer.json", "Gemfile", "package.json"] },
  target: { beside: ["Cargo.toml", "pom.xml", "build.sbt"] },
  dist: { beside: ["package.json", "pyproject.toml", "setup.py", "tsconfig.json"] },
  build: {
    beside: ["package.json", "pyproject.toml", "setup.py", "CMakeLists.txt", "build.gradle", "build.gradle.kts"],
  },
  out: { beside: ["package.json", "tsconfig.json", "CMakeLists.txt"] },
  _build: { beside: ["conf.py", "mix.exs", "dune-project"] },
  deps: { beside: ["mix.exs"] },
  Pods: { beside: ["Podfile"] },
  coverage: { beside: ["package.json"] },
  venv: { inside: "pyvenv.cfg" },
  env: { inside: "pyvenv.cfg" },
};

/**
 * Finds documents of packages and builds, which hardly any user wants to sync. Before the first
 * sync, mdmirror proposes ignore rules for such documents, and adds a rule only if the user agrees.
 */
export function proposeRules({ root }: OpenedMirror, { trees }: SyncPlan, random: Random): RulesProposal {
  const { local } = trees;
  if (local.files.size === 0) return NO_PROPOSAL;
  const disk = new LocalDisk(createNodeFs(), root, { random, probes: false, gitignore: () => [] });
  const filteredTree = disk.walk((path) => local.files.get(path) ?? null);
  const localFiles = [...local.files.values()];
  const excludedFiles = localFiles.filter(({ path }) => !filteredTree.files.has(path));
  const syncedFiles = localFiles.filter(({ path }) => filteredTree.files.has(path));
  const byPattern = new Map<string, DocumentShare>();
  for (const file of syncedFiles) {
    const pattern = findPattern(local, file.path);
    if (pattern !== null) byPattern.set(pattern, addToShare(byPattern.get(pattern), file));
  }
  const patterns = [...byPattern].map(([pattern, share]) => ({ pattern, ...share }));
  return {
    gitignore: excludedFiles.length === 0 ? null : excludedFiles.reduce<DocumentShare>(addToShare, EMPTY_SHARE),
    patterns: patterns.toSorted((a, b) => b.documents - a.documents || (a.pattern < b.pattern ? -1 : 1)),
  };
}

export const NO_PROPOSAL: RulesProposal = { gitignore: null, patterns: [] };

export function isEmpty({ gitignore, patterns }: RulesProposal): boolean {
  return gitignore === null && patterns.length === 0;
}

const EMPTY_SHARE: DocumentShare = { documents: 0, bytes: 0 };

export function addToShare(share: DocumentShare | undefined, { stamp }: Pick<LocalFile, "stamp">): DocumentShare {
  const { documents, bytes } = share ?? EMPTY_SHARE;
  return { documents: documents + 1, bytes: bytes + stamp.size };
}

/** Returns a pattern for the topmost generated folder above a document; null if there is none. */
function findPattern({ others }: LocalTree, path: LocalPath): string | null {
  for (const folder of ancestorsOf(path)) {
    const name = nameOf(folder);
    const generatedRule = Object.hasOwn(GENERATED_FOLDERS, name) ? GENERATED_FOLDERS[name]! : null;
    if (generatedRule === null) continue;
    const { beside, inside } = generatedRule;
    if (beside === undefined && inside === undefined) return `${name}/`;
    const markFiles =
      inside === undefined ? beside!.map((mark) => joinPath(parentOf(folder), mark)) : [joinPath(folder, inside)];
    if (markFiles.some((mark) => others.has(mark))) return `/${folder.replace(/[\\*?[]/g, "\\$&")}/`;
  }
  return null;
}
