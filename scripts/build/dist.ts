import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, normalize } from "node:path";
import Sqlite from "better-sqlite3";
import { bundleProgram } from "./bundle.ts";
import { bundlePage } from "./page.ts";

/**
 * Builds `dist/` from `src/`, once for all processes that need it at the same time: types by tsc,
 * programs by esbuild. A build does not check types; `npm run check` does.
 */

type Built =
  | { readonly kind: "made" | "up to date"; readonly files: number }
  /** `why` is a clause. */
  | { readonly kind: "failed"; readonly why: string };

const CONFIGURED = ["package.json", "package-lock.json", "tsconfig.json", "config/tsconfig.build.json"];
/** Files that are copied unchanged. */
const COPIED = ["cli/entry.mjs"];
const MAN_PAGES = "scripts/build/man-pages.ts";
/** LIMIT: ms to wait for another build, which may never end. */
const PATIENCE_MS = 300_000;

/**
 * Builds `dist/` unless it is up to date. Returns the path of the program in it.
 * @param root path of the checkout, ending with a slash
 * @throws if the build fails
 */
export function builtProgram(root: string): string {
  const built = buildDist(root);
  if (built.kind === "failed") throw new Error(`dist/: ${built.why}`);
  return join(root, "dist/cli/entry.mjs");
}

/**
 * Builds `dist/` unless it is up to date.
 * @param root path of the checkout, ending with a slash
 */
export function buildDist(root: string): Built {
  const cache = join(root, "node_modules", ".cache");
  mkdirSync(cache, { recursive: true });
  const lock = new Sqlite(join(cache, "build.lock"), { timeout: PATIENCE_MS });
  try {
    // Several processes of tests may build at the same time.
    lock.exec("BEGIN EXCLUSIVE");
    return build(root, join(cache, "build.stamp"));
  } finally {
    lock.close();
  }
}

function build(root: string, stampFile: string): Built {
  const dist = join(root, "dist");
  const inputs = digestOf(root, [...CONFIGURED, ...filesIn(root, "scripts/build"), ...filesIn(root, "src")]);
  const stampOf = (files: readonly string[]) => `${inputs} ${digestOf(dist, files)}\n`;
  const before = filesIn(dist, "");
  if (readIfExists(stampFile) === stampOf(before)) return { kind: "up to date", files: before.length };
  const fresh = `${dist}.new-${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  try {
    const why = compile(root, fresh);
    if (why !== null) return { kind: "failed", why };
    rmSync(dist, { recursive: true, force: true });
    renameSync(fresh, dist);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  const files = filesIn(dist, "");
  writeFileSync(stampFile, stampOf(files));
  return { kind: "made", files: files.length };
}

/** Compiles and bundles. Returns why that failed, as a clause; null if it did not. */
function compile(root: string, dist: string): string | null {
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const args = ["-p", join(root, "config", "tsconfig.build.json"), "--outDir", dist, "--singleThreaded"];
  // Without garbage collection, tsc takes half of the processor time.
  const env = { ...process.env, GOGC: "off" };
  const { status, stdout, error } = spawnSync(tsc, args, { cwd: root, encoding: "utf8", env });
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ENOENT")
    return "the compiler is not installed (npm start takes what running needs alone); next: npm ci --ignore-scripts";
  if (status !== 0) return `tsc failed (${status ?? error?.message}):\n${stdout}`;
  const types = filesIn(dist, "");
  mkdirSync(join(dist, "cli"), { recursive: true });
  for (const file of COPIED) copyFileSync(join(root, "src", file), join(dist, file));
  for (const file of COPIED) chmodSync(join(dist, file), 0o755);
  const pages = spawnSync(process.execPath, [join(root, MAN_PAGES), join(dist, "man")], { encoding: "utf8" });
  if (pages.status !== 0) return `the man pages failed (${pages.status ?? pages.error?.message}):\n${pages.stderr}`;
  bundlePage(root, join(dist, "page", "files"));
  const reached = reachedTypes(dist, typeEntries(root));
  // Types of modules that users cannot import are not needed.
  for (const file of types) if (!reached.includes(file)) rmSync(join(dist, file));
  for (const file of reached) nameJavaScript(join(dist, file));
  bundleProgram(root, dist);
  return null;
}

/**
 * Replaces the ending `.ts` in the imports of declarations, which tsc keeps and some compilers do
 * not accept.
 */
function nameJavaScript(file: string): void {
  const text = readFileSync(file, "utf8");
  writeFileSync(file, text.replaceAll(/((?:from|import\() ?"\.[^"]*)\.ts"/g, '$1.js"'));
}

/** Returns the sorted files below `root`. */
function filesIn(root: string, folder: string): string[] {
  try {
    const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(root, "/").length))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function digestOf(root: string, files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) {
    const bytes = readFileSync(join(root, file));
    hash.update(`${file}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}

function readIfExists(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

const IMPORT = /(?:from|import\()\s*"(\.[^"]+)"/g;

/**
 * Returns the declaration files that a user of the package can reach, in the order of their
 * imports.
 * @param entries exported declaration files, as paths in `dist`
 * @throws if a file imports one that does not exist
 */
export function reachedTypes(dist: string, entries: readonly string[]): string[] {
  const reached = new Set(entries);
  for (const file of reached) {
    const text = readFileSync(join(dist, file), "utf8");
    for (const [, name] of text.matchAll(IMPORT)) {
      const found = normalize(join(dirname(file), name!)).replace(/\.(?:js|ts)$/, ".d.ts");
      if (!existsSync(join(dist, found))) throw new Error(`${file} imports ${name}, which is not there`);
      reached.add(found);
    }
  }
  return [...reached];
}

type Exports = Readonly<Record<string, string | { readonly types: string }>>;

/** Returns the exported declaration files of the package, as paths in `dist`. */
export function typeEntries(root: string): string[] {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly exports: Exports };
  return Object.values(exports).flatMap((entry) =>
    typeof entry === "string" ? [] : [entry.types.replace(/^\.\/dist\//, "")],
  );
}
