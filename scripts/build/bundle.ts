import { globSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import type { BuildOptions, Metafile } from "esbuild";

/**
 * Bundles the sources: the command line into one script, the library into modules that share
 * chunks. Each file is as deep in `dist/` as its source in `src/`, so that paths relative to
 * `import.meta.url` stay the same.
 */

const LIBRARY = ["lib/index.ts", "lib/client.ts", "lib/links.ts", "lib/merge.ts", "lib/server.ts"];
const THREADS = "**/*-worker.ts";

/**
 * Packages inside the bundle; all others are loaded from node_modules. Only the connection pool of
 * undici is needed, and a script cannot require the default export of p-queue.
 */
const BUNDLED: readonly string[] = ["undici", "p-queue", "ignore"];

/** @throws with esbuild's message */
export function bundleProgram(root: string, dist: string): void {
  // Loaded only for a build, so that esbuild is not needed when dist/ is up to date.
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof import("esbuild");
  const common = {
    absWorkingDir: root,
    outdir: dist,
    bundle: true,
    platform: "node",
    target: "node22.22",
    external: packagesOf(root).filter((name) => !BUNDLED.includes(name)),
    alias: {
      undici: join(root, "scripts/build/undici.cjs"),
      // mdmirror does not allow HTTP/2, but the pool loads it, and TLS with it, before it reads
      // that option.
      "node:http2": join(root, "scripts/build/no-http2.cjs"),
    },
    // Tells undici that it is bundled, so that it leaves out its second, experimental parser.
    define: { esbuildDetection: "true" },
    minifyWhitespace: true,
    // Names stay, and lines are short, so that stack traces can be read.
    lineLimit: 120,
    legalComments: "none",
    logLevel: "silent",
    metafile: true,
  } as const satisfies BuildOptions;
  // A script instead of a module, because a script can load each module and package when a command
  // first needs it.
  const program = buildSync({
    ...common,
    alias: { ...common.alias, "@lezer/markdown": join(root, "scripts/build/lezer-markdown.cjs") },
    entryPoints: [entryOf(root, "cli/main.ts")],
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    define: { ...common.define, "import.meta.url": "programUrl" },
    banner: { js: 'const programUrl=require("node:url").pathToFileURL(__filename).href;' },
  });
  escapeUnicode(join(dist, "cli/main.cjs"));
  const library = buildSync({
    ...common,
    entryPoints: [
      ...LIBRARY.map((file) => entryOf(root, file)),
      // The program of a thread is a file beside the code that starts the thread.
      ...globSync(THREADS, { cwd: join(root, "src") }).flatMap((file) => [
        entryOf(root, file, `cli/${basename(file)}`),
        entryOf(root, file, `lib/${basename(file)}`),
      ]),
    ],
    format: "esm",
    splitting: true,
    chunkNames: "lib/[name]-[hash]",
    banner: {
      js: 'import{createRequire as requireFrom}from"node:module";const require=requireFrom(import.meta.url);',
    },
  });
  writeFileSync(join(dist, "LICENSES.txt"), licensesOf(root, [program.metafile, library.metafile]));
}

/**
 * @param out path in `dist`
 * @param file path in `src`
 */
function entryOf(root: string, file: string, out = file): { readonly in: string; readonly out: string } {
  return { in: join(root, "src", file), out: out.replace(/\.ts$/, "") };
}

/**
 * Replaces characters outside of ASCII by escapes, also in templates and regular expressions. A
 * single such character doubles the memory of the script and the time to read it.
 */
function escapeUnicode(file: string): void {
  const escaped = readFileSync(file, "utf8").replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  writeFileSync(file, escaped);
}

function packagesOf(root: string): readonly string[] {
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(dependencies);
}

/** Returns the name, version and license of each package inside the bundles. */
function licensesOf(root: string, bundles: readonly Metafile[]): string {
  const inputs = bundles.flatMap((bundle) => Object.keys(bundle.inputs));
  const folders = inputs.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const licenses = [...new Set(folders)].sort().map((folder) => licenseOf(join(root, folder)));
  return licenses.join("\n---\n\n");
}

function licenseOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
  };
  const file = readdirSync(folder).find((found) => /^licen[cs]e/i.test(found));
  if (file === undefined) throw new Error(`${name} comes without the text of its license`);
  return `${name} ${version}\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`;
}
