// `node scripts/build/page.ts`: builds the scripts and styles of the web pages unless they are up
// to date, and prints their folder.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCE = "src/page";
/**
 * Sources of the bundle besides `src/page`: modules that the pages' scripts import, and the
 * versions of packages.
 */
const BESIDE = ["package-lock.json", "src/common", "scripts/build/page.ts"];
const STYLES = ["style.css"];
const PICTURES = ["icon.svg"];
/** Browsers of 2026 and of the two years before. */
const TARGET = ["chrome123", "firefox125", "safari17.5"];

/**
 * Builds the scripts and styles unless they are up to date.
 * @param root path of the checkout, ending with a slash
 * @returns their folder, below node_modules/.cache
 */
export function pageFolder(root: string): string {
  const folder = join(root, "node_modules", ".cache", "page", digestOf(inputsOf(root)).slice(0, 16));
  if (existsSync(folder)) return folder;
  if (!existsSync(join(root, "node_modules", "esbuild"))) installTools(root);
  const fresh = `${folder}.${process.pid}`;
  try {
    bundlePage(root, fresh);
    // A concurrent build may have made the same folder.
    if (!existsSync(folder)) renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

/** Installs the tools for a build if only the packages for running are installed. */
function installTools(root: string): void {
  const { status } = spawnSync(process.execPath, [join(root, "scripts/setup.mjs")], { stdio: ["ignore", 2, 2] });
  if (status !== 0) throw new Error("what makes the pages could not be installed: npm needs its registry for that");
}

/**
 * Writes each entry as `NAME-DIGEST.ending`, the parts that several entries share, and
 * `manifest.json`, which maps names to files.
 * @throws with esbuild's message
 */
export function bundlePage(root: string, folder: string): void {
  // Loaded only for a build, so that esbuild is not needed when the bundle is up to date.
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof import("esbuild");
  // Files in subfolders are parts of these scripts.
  const scripts = readdirSync(join(root, SOURCE, "islands")).filter((name) => name.endsWith(".ts"));
  const { metafile, outputFiles } = buildSync({
    absWorkingDir: root,
    entryPoints: [
      ...scripts.map((name) => join(SOURCE, "islands", name)),
      ...[...STYLES, ...PICTURES].map((name) => join(SOURCE, name)),
    ],
    outdir: folder,
    outbase: SOURCE,
    entryNames: "[name]-[hash]",
    chunkNames: "part-[hash]",
    loader: { ".svg": "copy" },
    bundle: true,
    splitting: true,
    format: "esm",
    target: TARGET,
    minify: true,
    legalComments: "none",
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  // Packages may be outside of the checkout, behind a symbolic link. package-lock.json names them.
  const isListed = (path: string) =>
    path.includes("node_modules/") || [SOURCE, ...BESIDE].some((input) => path.startsWith(input));
  const unlisted = Object.keys(metafile.inputs).filter((path) => !isListed(path));
  if (unlisted.length > 0) throw new Error(`a change of these files would not build the pages again: ${unlisted}`);
  mkdirSync(folder, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(folder, basename(path)), contents);
  const names = Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint === undefined ? [] : [[basename(entryPoint).replace(/\.ts$/, ".js"), basename(path)] as const],
  );
  const manifest = {
    entries: Object.fromEntries(names.sort()),
    files: outputFiles.map(({ path }) => basename(path)).sort(),
  };
  writeFileSync(join(folder, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

function inputsOf(root: string): string[] {
  return [SOURCE, ...BESIDE].flatMap((name) => filesOf(join(root, name))).sort();
}

function filesOf(path: string): string[] {
  if (path.endsWith(".json") || path.endsWith(".ts")) return [path];
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

function digestOf(files: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of files) {
    const bytes = readFileSync(file);
    hash.update(`${bytes.length}\0`).update(bytes);
  }
  return hash.digest("hex");
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("../../", import.meta.url));
  mkdirSync(join(root, "node_modules", ".cache"), { recursive: true });
  console.log(pageFolder(root));
}
